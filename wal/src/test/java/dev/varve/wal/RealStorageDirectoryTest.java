package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class RealStorageDirectoryTest {
  @TempDir Path temporary;

  private Path path() {
    return temporary.resolve("a/b/data");
  }

  @Test
  void aFileInTheWayIsNamed() throws IOException {
    Path file = Files.createFile(temporary.resolve("file"));
    for (Path path : List.of(file, file.resolve("data"), file.resolve("a/b"))) {
      NotDirectoryException refused =
          assertThrows(NotDirectoryException.class, () -> RealStorageDirectory.open(path));
      assertEquals(file.toString(), refused.getFile());
    }
  }

  @Test
  void whatCannotBeCreatedIsNamed() {
    Path takesNone = Path.of("/proc");
    assumeTrue(Files.isDirectory(takesNone.resolve("self")), "this system has no /proc");
    for (String path : List.of("varve", "varve/data")) {
      FileSystemException refused =
          assertThrows(
              FileSystemException.class, () -> RealStorageDirectory.open(takesNone.resolve(path)));
      assertEquals("/proc/varve: cannot be created", refused.getMessage());
    }
  }

  @Test
  void contentWrittenAtPositionsIsReadBack() throws IOException {
    try (RealStorageDirectory directory = RealStorageDirectory.open(path())) {
      byte[] large = Records.payload(1, 3_000_001);
      try (StorageFile file = directory.create("f")) {
        assertEquals("f", file.name());
        file.writeFully(ByteBuffer.wrap(large), 10);
        ByteBuffer direct = ByteBuffer.allocateDirect(3).put(new byte[] {1, 2, 3}).flip();
        file.writeFully(direct, 0);
        assertEquals(10 + large.length, file.length());
        file.sync();
        directory.sync();
      }
      try (StorageFile file = directory.openReadOnly("f")) {
        ByteBuffer target = ByteBuffer.allocate(large.length);
        file.readFully(target, 10);
        assertArrayEquals(large, target.array());
        ByteBuffer start = ByteBuffer.allocate(10);
        file.readFully(start, 0);
        assertArrayEquals(new byte[] {1, 2, 3, 0, 0, 0, 0, 0, 0, 0}, start.array());
        EOFException early =
            assertThrows(
                EOFException.class,
                () -> file.readFully(ByteBuffer.allocate(2), file.length() - 1));
        assertTrue(early.toString().contains("file f"), early.toString());
        assertThrows(
            NonWritableChannelException.class, () -> file.writeFully(ByteBuffer.allocate(1), 0));
      }
    }
  }

  @Test
  void aFileGetsASecondNameOrACopyElsewhere() throws IOException {
    byte[] content = Records.payload(1, 3_000_001);
    try (RealStorageDirectory directory = RealStorageDirectory.open(path());
        RealStorageDirectory other = RealStorageDirectory.open(temporary.resolve("other"))) {
      try (StorageFile file = directory.create("f")) {
        file.writeFully(ByteBuffer.wrap(content), 0);
      }
      directory.duplicate("f", other);
      assertTrue(Files.isSameFile(path().resolve("f"), temporary.resolve("other/f")));
      assertThrows(FileAlreadyExistsException.class, () -> directory.duplicate("f", other));
      CrashableStorageDirectory elsewhere = new CrashableStorageDirectory();
      directory.duplicate("f", elsewhere);
      elsewhere.sync();
      assertArrayEquals(content, elsewhere.crash(new Random(1), 0).content("f"));
      directory.delete("f");
      assertArrayEquals(content, Files.readAllBytes(temporary.resolve("other/f")));
    }
  }

  @Test
  void truncateCutsAndExtendsByZeroes() throws IOException {
    try (RealStorageDirectory directory = RealStorageDirectory.open(path());
        StorageFile file = directory.create("f")) {
      file.writeFully(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), 0);
      file.truncate(2);
      assertEquals(2, file.length());
      file.truncate(5);
      ByteBuffer all = ByteBuffer.allocate(5);
      file.readFully(all, 0);
      assertArrayEquals(new byte[] {1, 2, 0, 0, 0}, all.array());
    }
  }

  @Test
  void entriesAreCreatedRenamedListedAndDeleted() throws IOException {
    try (RealStorageDirectory directory = RealStorageDirectory.open(path())) {
      directory.lock();
      directory.create("one").close();
      assertThrows(FileAlreadyExistsException.class, () -> directory.create("one"));
      assertThrows(NoSuchFileException.class, () -> directory.open("two"));
      assertThrows(NoSuchFileException.class, () -> directory.openReadOnly("two"));
      directory.create("two").close();
      Files.createDirectory(path().resolve("subdirectory"));
      directory.rename("one", "two");
      assertEquals(List.of("two"), directory.list());
      assertTrue(directory.exists("two"));
      directory.delete("two");
      directory.delete("two");
      assertFalse(directory.exists("two"));
      assertTrue(directory.usableBytes() > 0);
      assertThrows(IllegalArgumentException.class, () -> directory.create("../two"));
      assertThrows(IllegalArgumentException.class, () -> directory.create("a/b"));
    }
  }

  @Test
  void secondOwnerInThisProcessIsRefused() throws IOException {
    RealStorageDirectory first = RealStorageDirectory.open(path());
    RealStorageDirectory second = RealStorageDirectory.open(path());
    first.lock();
    assertThrows(DirectoryLockedException.class, second::lock);
    assertThrows(DirectoryLockedException.class, first::lock);
    second.close();
    assertThrows(DirectoryLockedException.class, second::lock);
    first.close();
    second.lock();
    second.close();
  }

  @Test
  @Timeout(60)
  void secondOwnerInAnotherProcessIsRefused() throws IOException, InterruptedException {
    Process other = startOwner();
    try (BufferedReader says = other.inputReader(StandardCharsets.UTF_8);
        RealStorageDirectory directory = RealStorageDirectory.open(path())) {
      assertEquals("locked", says.readLine());
      DirectoryLockedException refused =
          assertThrows(DirectoryLockedException.class, directory::lock);
      assertTrue(refused.toString().contains(directory.path()), refused.toString());
      other.destroyForcibly().waitFor();
      directory.lock();
    } finally {
      other.destroyForcibly();
    }
  }

  /** A process loses its POSIX locks on a file as soon as it closes any channel to it. */
  @Test
  @Timeout(60)
  void refusedSecondOwnerHereDoesNotOpenTheDirectoryToOthers() throws IOException {
    try (RealStorageDirectory first = RealStorageDirectory.open(path());
        RealStorageDirectory second = RealStorageDirectory.open(path())) {
      first.lock();
      assertThrows(DirectoryLockedException.class, second::lock);
      Process other = startOwner();
      try (BufferedReader says = other.inputReader(StandardCharsets.UTF_8)) {
        assertEquals("refused", says.readLine());
      } finally {
        other.destroyForcibly();
      }
    }
  }

  @Test
  void whoOnlyReadsLeavesNoFileAndFindsOutWhoWrites() throws IOException {
    RealStorageDirectory reads = RealStorageDirectory.open(path());
    RealStorageDirectory writes = RealStorageDirectory.open(path());
    assertFalse(reads.lockToRead(), "nobody has ever had it");
    Path lock = path().resolve(RealStorageDirectory.LOCK_FILE);
    assertFalse(Files.exists(lock));
    assertFalse(reads.lockToRead());
    assertThrows(DirectoryLockedException.class, writes::lock);
    reads.close();
    writes.lock();
    assertThrows(DirectoryLockedException.class, reads::lockToRead);
    writes.close();
    assertTrue(lock.toFile().setReadOnly());
    assertTrue(reads.lockToRead());
    assertThrows(DirectoryLockedException.class, writes::lock);
    reads.close();
    assertEquals(0, Files.size(lock));
  }

  @Test
  @Timeout(60)
  void whoReadsKeepsAnotherProcessFromWriting() throws IOException, InterruptedException {
    Files.createDirectories(path());
    Files.createFile(path().resolve(RealStorageDirectory.LOCK_FILE));
    Process other;
    try (RealStorageDirectory reads = RealStorageDirectory.open(path())) {
      assertTrue(reads.lockToRead());
      other = startOwner();
      try (BufferedReader says = other.inputReader(StandardCharsets.UTF_8)) {
        assertEquals("refused", says.readLine());
      } finally {
        other.destroyForcibly();
      }
    }
    other = startOwner();
    try (BufferedReader says = other.inputReader(StandardCharsets.UTF_8);
        RealStorageDirectory reads = RealStorageDirectory.open(path())) {
      assertEquals("locked", says.readLine());
      assertThrows(DirectoryLockedException.class, reads::lockToRead);
    } finally {
      other.destroyForcibly().waitFor();
    }
  }

  private Process startOwner() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            location(RealStorageDirectory.class) + File.pathSeparator + location(Owner.class),
            Owner.class.getName(),
            path().toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static String location(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().getPath();
  }

  /** Another process: takes the directory if it can, and keeps it until it is killed. */
  static final class Owner {
    private Owner() {}

    public static void main(String[] arguments) throws IOException {
      try {
        RealStorageDirectory.open(Path.of(arguments[0])).lock();
      } catch (DirectoryLockedException e) {
        System.out.println("refused");
        return;
      }
      System.out.println("locked");
      while (System.in.read() >= 0) {
        // The parent says nothing; the end of its stream is the end of this process.
      }
    }
  }

  @Test
  void logOnARealDirectoryIsReplayed() throws IOException {
    try (RealStorageDirectory directory = RealStorageDirectory.open(path())) {
      directory.lock();
      Log log = Records.newLog(directory, 1 << 20);
      for (int i = 0; i < 1000; i++) {
        Records.append(log, Records.payload(i, 100));
        if (i % 10 == 0) {
          log.write();
        }
        if (i % 400 == 399) {
          log.prepareNextSegment();
          assertTrue(log.roll());
          log.sync();
        }
      }
      log.write();
      assertEquals(1000, Records.replayAll(directory, 1).size());
      log.close();
      List<byte[]> payloads = Records.replayAll(directory, 1);
      for (int i = 0; i < 1000; i++) {
        assertArrayEquals(Records.payload(i, 100), payloads.get(i));
      }
    }
  }
}
