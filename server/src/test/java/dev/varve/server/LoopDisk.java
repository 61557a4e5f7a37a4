package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * An ext4 file system in a file, mounted by the loop device: it can be filled up, and lose its
 * power. Where that needs rights that the test does not have, the test is skipped and says so.
 *
 * <p>Single-threaded.
 */
final class LoopDisk implements AutoCloseable {
  private static final long MEBIBYTE = 1 << 20;
  private static final long SECONDS_MAX = 60;

  /** EXT4_IOC_SHUTDOWN without writing anything back: what the cache holds is lost. */
  private static final String LOSE_POWER =
      "open(my $d, '<', $ARGV[0]) or die $!;"
          + " my $how = pack('L', 2); ioctl($d, 0x8004587D, $how) or die qq(ioctl: $!)";

  private final Path image;
  private final Path mountPoint;

  private LoopDisk(Path image, Path mountPoint) {
    this.image = image;
    this.mountPoint = mountPoint;
  }

  /** Makes one of that size in a directory, or aborts the test. */
  static LoopDisk assumePossible(Path directory, int mebibytes)
      throws IOException, InterruptedException {
    Path image = directory.resolve("disk.img");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(mebibytes * MEBIBYTE);
    }
    LoopDisk disk = new LoopDisk(image, Files.createDirectory(directory.resolve("mounted")));
    String problem = disk.tryRun("mkfs.ext4", "-q", "-F", "-m", "0", image.toString());
    if (problem.isEmpty()) {
      problem = disk.tryMount();
    }
    String why = "skipped: no file system can be mounted here (root can): " + problem;
    if (!problem.isEmpty()) {
      System.out.println(why);
    }
    Assumptions.assumeTrue(problem.isEmpty(), why);
    return disk;
  }

  /** Where a server has its data. */
  Path data() {
    return path().resolve("data");
  }

  /** Where it is mounted. */
  Path path() {
    return mountPoint;
  }

  /** From now on nothing more gets to the device, and what was not synced is lost. */
  void losePower() throws IOException, InterruptedException {
    run("perl", "-e", LOSE_POWER, mountPoint.toString());
  }

  /** As a machine that starts again. Nobody may have files open. */
  void remount() throws IOException, InterruptedException {
    unmount();
    assertEquals("", tryMount());
  }

  private String tryMount() throws InterruptedException {
    return tryRun("mount", "-o", "loop", image.toString(), mountPoint.toString());
  }

  private void unmount() throws IOException, InterruptedException {
    run("umount", mountPoint.toString());
  }

  private void run(String... command) throws IOException, InterruptedException {
    String problem = tryRun(command);
    if (!problem.isEmpty()) {
      throw new IOException(problem);
    }
  }

  /** Returns what went wrong, or nothing. */
  private String tryRun(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return command[0] + " does not end";
      }
      return process.exitValue() == 0 ? "" : command[0] + ": " + said;
    } catch (IOException missing) {
      return String.valueOf(missing.getMessage());
    }
  }

  @Override
  public void close() throws IOException {
    try {
      if (!tryRun("umount", mountPoint.toString()).isEmpty()) {
        // Somebody still has files open: it goes when they do.
        run("umount", "-l", mountPoint.toString());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while unmounting " + mountPoint, e);
    }
    Files.delete(image);
  }
}
