package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A small file system that fills up for real, under a server that is killed meanwhile. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class FullDiskProcessTest {
  private static final int DISK_MEBIBYTES = 24;
  private static final int FILLER_BYTES = 6 << 20;
  private static final int AT_A_TIME = 20;
  private static final int FILLS_MAX = 1_000;
  private static final long RESUMES_WITHIN_SECONDS = 5;

  /** The machine may be busy with other tests. */
  private static final long SLACK_SECONDS = 10;

  private static final long BALLAST_BYTES = 1 << 20;

  private static final String NOISE =
      new Random(1)
          .ints(40_000, '!', '{')
          .filter(letter -> letter != '"' && letter != '\'')
          .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
          .toString();

  @TempDir Path directory;
  private int acknowledged;

  private static String value(int key) {
    return NOISE.substring(key % 30_000, key % 30_000 + 3_000);
  }

  @Test
  void aFullDiskRefusesWritesAndLosesNothingAndWritingResumesByItself()
      throws IOException, InterruptedException {
    try (LoopDisk disk = LoopDisk.assumePossible(directory, DISK_MEBIBYTES)) {
      Path filler = disk.path().resolve("filler");
      Files.write(filler, new byte[FILLER_BYTES]);
      try (ServerProcess server = start(disk)) {
        fill(server);
        try (RawClient client = server.client()) {
          assertEquals("+PONG|", client.ask("ping"));
          checkAll(client);
        }
        server.kill();
      }
      try (ServerProcess server = start(disk);
          RawClient client = server.client()) {
        checkAll(client);
        fillForGood(server, client);
        checkAll(client);
        Files.delete(filler);
        long freed = System.nanoTime();
        awaitWrite(client, "set resumed 1");
        System.out.printf(
            "writing resumed %d ms after there was space%n",
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - freed));
        checkAll(client);
        server.kill();
      }
      try (ServerProcess server = start(disk);
          RawClient client = server.client()) {
        checkAll(client);
        assertEquals("$1|1|", client.ask("get resumed"));
        server.stop();
      }
      SoundDirectory.assertSound(disk.data());
    }
  }

  @Test
  void aServerStartsOnAFullDiskAndServesReads() throws IOException, InterruptedException {
    try (LoopDisk disk = LoopDisk.assumePossible(directory, DISK_MEBIBYTES)) {
      Path ballast = disk.data().resolve("BALLAST");
      Path filler = disk.path().resolve("filler");
      try (ServerProcess server = start(disk);
          RawClient client = server.client()) {
        while (acknowledged < 10) {
          assertEquals("+OK|", client.ask("set k" + acknowledged + " " + value(acknowledged)));
          acknowledged++;
        }
        awaitSize(ballast, BALLAST_BYTES);
        server.kill();
      }
      leaveNothing(filler);
      try (ServerProcess server = start(disk);
          RawClient client = server.client()) {
        checkAll(client);
        // Whatever the start had to give up, nobody gets far.
        fill(server);
        checkAll(client);
        Files.delete(filler);
        awaitSize(ballast, BALLAST_BYTES);
        awaitWrite(client, "set more 1");
        checkAll(client);
        server.kill();
      }
      leaveNothing(filler);
      try (ServerProcess server = start(disk);
          RawClient client = server.client()) {
        checkAll(client);
        assertEquals("$1|1|", client.ask("get more"));
        server.kill();
      }
      SoundDirectory.assertSound(disk.data());
    }
  }

  @Test
  void aSaveOnAFullDiskComesToItsEnd() throws IOException, InterruptedException {
    try (LoopDisk disk = LoopDisk.assumePossible(directory, DISK_MEBIBYTES)) {
      try (ServerProcess server = start(disk);
          RawClient client = server.client()) {
        assertEquals("+OK|", client.ask("set k0 " + value(0)));
        acknowledged = 1;
        leaveNothing(disk.path().resolve("filler"));
        fill(server);
        assertTrue(client.ask("save").startsWith("-"), "a save that cannot have been made");
        assertTrue(client.ask("info").contains("|rdb_last_bgsave_status:err|"));
        server.kill();
      }
      // Another disk has room for a backup, and it is then that one is wanted.
      Path backups = directory.resolve("backups");
      try (ServerProcess server = start(disk, "--backup-dir", backups.toString());
          RawClient client = server.client()) {
        fill(server);
        assertEquals("+OK|", client.ask("save"));
        server.kill();
      }
      try (Stream<Path> made = Files.list(backups);
          ServerProcess server = ServerProcess.start(made.findFirst().orElseThrow());
          RawClient client = server.client()) {
        checkAll(client);
        server.stop();
      }
    }
  }

  private static void awaitWrite(RawClient client, String request) throws IOException {
    Await.until(
        () -> client.ask(request).equals("+OK|"),
        RESUMES_WITHIN_SECONDS,
        () -> "writing has not resumed by itself");
  }

  private static void awaitSize(Path file, long bytes) throws IOException {
    Await.until(
        () -> Files.exists(file) && Files.size(file) >= bytes,
        RESUMES_WITHIN_SECONDS + SLACK_SECONDS,
        () -> file + " is not there");
  }

  /** Fills the disk to the last block. */
  private static void leaveNothing(Path filler) throws IOException {
    byte[] block = new byte[4096];
    IOException full = null;
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (full == null) {
        try {
          out.write(block);
        } catch (IOException e) {
          full = e;
        }
      }
    }
  }

  /** The same until the last flush and merge have made what room they can. */
  private void fillForGood(ServerProcess server, RawClient client) throws IOException {
    String reply = "+OK|";
    for (int i = 0; i < FILLS_MAX && reply.equals("+OK|"); i++) {
      fill(server);
      reply = client.ask("set resumed 0");
    }
    assertTrue(reply.startsWith("-MISCONF "), reply);
  }

  /** Writes until it is refused; what is refused, or not answered, does not count. */
  private void fill(ServerProcess server) throws IOException {
    try (RawClient client = server.client()) {
      while (true) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < AT_A_TIME; i++) {
          lines.append("set k").append(acknowledged + i).append(' ');
          lines.append(value(acknowledged + i)).append('|');
        }
        client.send(lines.toString());
        for (int i = 0; i < AT_A_TIME; i++) {
          String reply = client.reply();
          if (!reply.equals("+OK|")) {
            assertTrue(reply.startsWith("-MISCONF "), reply);
            return;
          }
          acknowledged++;
        }
        assertTrue(acknowledged < 100_000, "the disk never fills up");
      }
    } catch (IOException closed) {
      // What was in flight when the log could not be written got no answer.
      assertTrue(acknowledged > 0);
    }
  }

  private void checkAll(RawClient client) throws IOException {
    for (int i = 0; i < acknowledged; i++) {
      String expected = value(i);
      assertEquals("$" + expected.length() + "|" + expected + "|", client.ask("get k" + i));
    }
  }

  private static ServerProcess start(LoopDisk disk, String... options)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("--maxmemory", "16mb"));
    all.addAll(List.of(options));
    return ServerProcess.start(disk.data(), all.toArray(String[]::new));
  }
}
