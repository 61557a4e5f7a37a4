package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What very many clients send that cannot run yet: more than there is heap for. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class WaitingRequestsProcessTest {
  private static final int CLIENTS = 300;
  private static final long WAIT_SECONDS_MAX = 60;
  private static final int LOADERS = 20;
  private static final int LOADED = 20_000;
  private static final long PAUSE_MILLIS = 10_000;
  private static final int LONG_SENDERS = 30;
  private static final int LONG_BYTES = 4_000_000;
  private static final int ANNOUNCERS = 10;
  private static final int ANNOUNCED_BYTES = 500_000_000;
  private static final int TRICKLE_MILLIS = 100;
  private static final long LONG_SECONDS_MAX = 20;
  private static final MemoryBudget BUDGET = new MemoryBudget(64, 32);
  private static final Pattern CONNECTED = Pattern.compile("connected_clients:(\\d+)\\|");

  private enum Sends {
    /** The first half of a megabyte. */
    HALF_A_VALUE("*3|$3|SET|$1|k|$1000000|" + "x".repeat(500_000)),
    /** Many short arguments, and not the last one. */
    HALF_AN_ARRAY("*40001|$4|SADD|" + "$1|a|".repeat(20_000)),
    /** Far more behind a request that waits than is read. */
    PIPELINE_BEHIND_A_WAIT("BLPOP nothing 0|" + "PING|".repeat(100_000)),
    QUEUE("MULTI|" + ("SET k " + "x".repeat(90) + "|").repeat(3_000)),
    /** Words that are short take many times their length. */
    QUEUE_OF_SHORT_WORDS("MULTI|" + ("SADD k" + " a".repeat(1_000) + "|").repeat(20));

    private final String bytes;

    Sends(String bytes) {
      this.bytes = bytes;
    }
  }

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "HALF_A_VALUE, 1",
    "HALF_A_VALUE, 2",
    "HALF_AN_ARRAY, 1",
    "PIPELINE_BEHIND_A_WAIT, 1",
    "PIPELINE_BEHIND_A_WAIT, 2",
    "QUEUE, 1",
    "QUEUE_OF_SHORT_WORDS, 2"
  })
  void whoHasSentMostIsClosedBeforeTheHeapIsFull(Sends sends, String loops)
      throws IOException, InterruptedException {
    try (ServerProcess server =
            ServerProcess.startWithin(BUDGET, directory, "--io-threads", loops);
        RawClient other = server.client()) {
      List<RawClient> clients = new ArrayList<>();
      try {
        for (int i = 0; i < CLIENTS; i++) {
          clients.add(server.client());
          send(clients.get(i), sends.bytes);
        }
        Await.until(
            () -> !other.ask("info stats").contains("|evicted_clients:0|"),
            WAIT_SECONDS_MAX,
            () -> "nobody was closed");
        // Once they have stopped, who sends something long is not taken for one of them.
        Await.until(() -> isTaken(server), WAIT_SECONDS_MAX, () -> "no value is taken");
      } finally {
        for (RawClient client : clients) {
          client.close();
        }
      }
      Await.until(() -> connected(other) == 1, WAIT_SECONDS_MAX, () -> "they stay");
      assertEquals("+PONG|", other.ask("ping"));
      assertFalse(server.stop().err().contains("OutOfMemoryError"));
    }
  }

  /** Who is made to wait is no longer read from: that is no reason to close anybody. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void whoSendsOnWhileWritesWaitIsHeldBackAndAnswered(String loops)
      throws IOException, InterruptedException {
    try (ServerProcess server =
            ServerProcess.startWithin(BUDGET, directory, "--io-threads", loops);
        RawClient other = server.client()) {
      assertEquals("+OK|", other.ask("client pause " + PAUSE_MILLIS + " write"));
      List<RawClient> loaders = new ArrayList<>();
      for (int i = 0; i < LOADERS; i++) {
        loaders.add(server.client());
        send(loaders.get(i), ("SET k" + i + " " + "x".repeat(90) + "|").repeat(LOADED));
      }
      Thread.sleep(PAUSE_MILLIS / 2);
      assertEquals("+OK|", other.ask("client unpause"));
      for (RawClient loader : loaders) {
        assertEquals("+OK|".repeat(LOADED), loader.replies(LOADED));
        loader.close();
      }
      assertTrue(other.ask("info stats").contains("|evicted_clients:0|"), "some were closed");
      assertEquals("", server.stop().err());
    }
  }

  /** All together are far more than there is heap for. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void whatManySendAtOnceComesOneAfterTheOther(String loops)
      throws IOException, InterruptedException {
    try (ServerProcess server =
            ServerProcess.startWithin(BUDGET, directory, "--io-threads", loops);
        RawClient other = server.client()) {
      String value = "x".repeat(LONG_BYTES);
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < LONG_SENDERS; i++) {
        clients.add(server.client());
        send(clients.get(i), set("k" + i, value));
      }
      for (RawClient client : clients) {
        assertEquals("+OK|", client.reply());
        client.close();
      }
      for (int i = 0; i < LONG_SENDERS; i++) {
        assertEquals(":" + LONG_BYTES + "|", other.ask("strlen k" + i));
      }
      assertTrue(other.ask("info stats").contains("|evicted_clients:0|"), "some were closed");
      assertEquals("", server.stop().err());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void whoSendsAByteNowAndThenKeepsNobodyWaiting(String loops)
      throws IOException, InterruptedException {
    try (ServerProcess server =
        ServerProcess.startWithin(BUDGET, directory, "--io-threads", loops)) {
      List<RawClient> slow = new ArrayList<>();
      Thread trickle = new Thread(() -> trickle(slow));
      trickle.setDaemon(true);
      try {
        for (int i = 0; i < ANNOUNCERS; i++) {
          String begun = "*3|$3|SET|$3|key|$" + ANNOUNCED_BYTES + "|" + "x".repeat(100_000);
          slow.add(server.client().send(begun));
        }
        trickle.start();
        for (int i = 0; i < 5; i++) {
          try (RawClient client = server.client()) {
            long from = System.nanoTime();
            send(client, set("k", "x".repeat(LONG_BYTES)));
            assertEquals("+OK|", client.reply());
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - from);
            assertTrue(seconds < LONG_SECONDS_MAX, () -> "after " + seconds + " s");
          }
        }
      } finally {
        trickle.interrupt();
        trickle.join();
        for (RawClient client : slow) {
          client.close();
        }
      }
      server.stop();
    }
  }

  private static void trickle(List<RawClient> clients) {
    try {
      while (true) {
        for (RawClient client : clients) {
          client.send("x");
        }
        Thread.sleep(TRICKLE_MILLIS);
      }
    } catch (IOException | InterruptedException over) {
      // So is the test.
    }
  }

  /** With its line ends as they are: "|" is not looked for in something long. */
  private static String set(String key, String value) {
    String begin = "*3|$3|SET|$" + key.length() + "|" + key + "|$" + value.length() + "|";
    return begin.replace("|", "\r\n") + value + "\r\n";
  }

  private static boolean isTaken(ServerProcess server) throws IOException {
    try (RawClient client = server.client()) {
      client.send("*3|$3|SET|$5|large|$1000000|" + "y".repeat(1_000_000) + "|");
      return client.reply().equals("+OK|");
    } catch (EOFException | SocketException closed) {
      return false;
    }
  }

  /** As far as the server takes it, which may close it meanwhile. */
  private static void send(RawClient client, String bytes) {
    Thread sender =
        new Thread(
            () -> {
              try {
                client.send(bytes);
              } catch (IOException closed) {
                // It is one of those.
              }
            });
    sender.setDaemon(true);
    sender.start();
  }

  private static long connected(RawClient client) throws IOException {
    Matcher its = CONNECTED.matcher(client.ask("info clients"));
    assertTrue(its.find());
    return Long.parseLong(its.group(1));
  }
}
