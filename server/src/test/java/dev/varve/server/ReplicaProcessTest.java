package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server and one that follows it, of which the first is killed. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ReplicaProcessTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final long SECONDS_MAX = 60;
  private static final int WRITES = 300;

  /** It connects once a second, also to whom it has just told to close its connections. */
  private static final int DOWN_MILLIS = 3000;

  private static final String SENTINEL_LOG = "sentinel.log";

  @TempDir Path directory;

  private static String master(int port) {
    return "127.0.0.1 " + port;
  }

  private static void awaitInfo(ServerProcess server, String line) throws IOException {
    try (RawClient client = server.client()) {
      Await.until(
          () -> client.ask("INFO replication").contains("|" + line), SECONDS_MAX, () -> line);
    }
  }

  @Test
  void whatAClientHasWaitedForIsWithTheOther() throws IOException, InterruptedException {
    System.out.println("ReplicaProcessTest -Dvarve.seed=" + SEED);
    int writes = new SplittableRandom(SEED).nextInt(1, WRITES);
    try (ServerProcess first = ServerProcess.start(directory.resolve("first"))) {
      try (RawClient client = first.client()) {
        assertEquals("+OK|", client.ask("SET before 1"));
        try (ServerProcess second =
            ServerProcess.start(directory.resolve("second"), "--replicaof", master(first.port()))) {
          awaitInfo(first, "slave0:ip=127.0.0.1,port=" + second.port() + ",state=online");
          for (int i = 1; i <= writes; i++) {
            assertEquals(":" + i + "|", client.ask("INCR n"));
          }
          assertEquals(":1|", client.ask("WAIT 1 0"));
          first.kill();
          try (RawClient other = second.client()) {
            assertTrue(other.ask("SET before 2").startsWith("-READONLY "));
            assertEquals("+OK|", other.ask("REPLICAOF NO ONE"));
            assertEquals(":" + (writes + 1) + "|", other.ask("INCR n"));
            assertEquals("$1|1|", other.ask("GET before"));
          }
        }
      }
    }
  }

  @Test
  void aStopAndAStartAreNoReasonToSendAllDataAgain() throws IOException, InterruptedException {
    Path ours = directory.resolve("first");
    String port = Integer.toString(FreePort.any());
    try (ServerProcess second =
        ServerProcess.start(directory.resolve("second"), "--replicaof", "127.0.0.1 " + port)) {
      long filled = 0;
      for (int start = 0; start < 4; start++) {
        boolean isKilled = start == 2;
        try (ServerProcess first = ServerProcess.start(ours, "--port", port);
            RawClient client = first.client()) {
          awaitInfo(first, "slave0:ip=127.0.0.1,port=" + second.port() + ",state=online");
          boolean isNew = start == 0;
          String stats = client.ask("INFO stats");
          assertTrue(stats.contains("|sync_full:" + (isNew ? 1 : 0) + "|"), stats);
          assertTrue(stats.contains("|sync_partial_ok:" + (isNew ? 0 : 1) + "|"), stats);
          for (int i = 0; i < WRITES; i++) {
            filled++;
            assertEquals(":" + filled + "|", client.ask("INCR n"));
          }
          if (isKilled) {
            assertEquals(":1|", client.ask("WAIT 1 0"));
            first.kill();
          } else {
            first.stop();
          }
        }
        assertEquals(
            "$" + Long.toString(filled).length() + "|" + filled + "|", ask(second, "GET n"));
      }
    }
  }

  @Test
  void aBackupIsTheBeginningOfAnotherCopy() throws IOException, InterruptedException {
    Path backups = Files.createDirectory(directory.resolve("backups"));
    try (ServerProcess first =
            ServerProcess.start(directory.resolve("first"), "--backup-dir", backups.toString());
        RawClient client = first.client();
        ServerProcess second =
            ServerProcess.start(directory.resolve("second"), "--replicaof", master(first.port()))) {
      awaitInfo(first, "slave0:ip=127.0.0.1,port=" + second.port() + ",state=online");
      for (int i = 1; i <= WRITES; i++) {
        client.ask("INCR n");
      }
      assertEquals("+OK|", client.ask("SAVE"));
      for (int i = 1; i <= WRITES; i++) {
        client.ask("INCR n");
      }
      try (ServerProcess third =
          ServerProcess.start(onlyOneIn(backups), "--replicaof", master(first.port()))) {
        awaitInfo(first, "connected_slaves:2");
        String all = Integer.toString(2 * WRITES);
        Await.until(
            () -> ask(third, "GET n").equals("$" + all.length() + "|" + all + "|"),
            SECONDS_MAX,
            () -> "it has all");
        String stats = client.ask("INFO stats");
        assertTrue(stats.contains("|sync_full:1|sync_partial_ok:1|"), stats);
      }
    }
  }

  private static Path onlyOneIn(Path its) throws IOException {
    try (Stream<Path> all = Files.list(its)) {
      return all.findFirst().orElseThrow();
    }
  }

  @Test
  void aSentinelOfRedisLetsTheOtherTakeOver() throws IOException, InterruptedException {
    Tool.assumeInstalled("redis-server");
    Path ours = directory.resolve("first");
    String port = Integer.toString(FreePort.any());
    try (ServerProcess first = ServerProcess.start(ours, "--port", port);
        RawClient client = first.client();
        ServerProcess second =
            ServerProcess.start(directory.resolve("second"), "--replicaof", "127.0.0.1 " + port)) {
      awaitInfo(first, "slave0:ip=127.0.0.1,port=" + second.port() + ",state=online");
      assertEquals("+OK|", client.ask("SET a 1"));
      Process sentinel = sentinel(port);
      try {
        try (RawClient subscriber = second.client()) {
          // It has seen both when it greets others by way of either.
          subscriber.send("SUBSCRIBE __sentinel__:hello|").replies(2);
        }
        first.kill();
        Await.until(
            () -> ask(second, "ROLE").startsWith("*3|$6|master|"), SECONDS_MAX, () -> "a master");
        Await.until(() -> ask(second, "SET a 2").equals("+OK|"), SECONDS_MAX, () -> "it writes");
        try (ServerProcess again = ServerProcess.start(ours, "--port", port)) {
          Await.until(
              () -> ask(again, "INFO replication").contains("|master_link_status:up"),
              SECONDS_MAX,
              () -> "it follows: " + state(again) + state(second) + sentinelLog());
          Await.until(() -> ask(again, "GET a").equals("$1|2|"), SECONDS_MAX, () -> "it has all");
        }
      } finally {
        sentinel.destroy();
        sentinel.waitFor();
      }
    }
  }

  /**
   * By a client of its own; nothing where that is closed, as the sentinel does with all of them.
   */
  private static String ask(ServerProcess server, String request) throws IOException {
    try (RawClient client = server.client()) {
      return client.ask(request);
    } catch (EOFException closed) {
      return "";
    }
  }

  private Process sentinel(String port) throws IOException {
    Path file = directory.resolve("sentinel.conf");
    Files.writeString(
        file,
        """
        port %d
        bind 127.0.0.1
        sentinel monitor ours 127.0.0.1 %s 1
        sentinel down-after-milliseconds ours %d
        """
            .formatted(FreePort.any(), port, DOWN_MILLIS));
    return new ProcessBuilder("redis-server", file.toString(), "--sentinel")
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve(SENTINEL_LOG).toFile())
        .start();
  }

  private static String state(ServerProcess server) {
    try {
      return ask(server, "INFO replication") + System.lineSeparator();
    } catch (IOException gone) {
      return gone + System.lineSeparator();
    }
  }

  private String sentinelLog() {
    try {
      return Files.readString(directory.resolve(SENTINEL_LOG));
    } catch (IOException none) {
      return none.toString();
    }
  }
}
