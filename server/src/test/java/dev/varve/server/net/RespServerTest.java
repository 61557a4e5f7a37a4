package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RespServerTest {

  private static void await(Await.Condition condition) throws IOException {
    Await.until(condition, 30, () -> "condition never came");
  }

  @Test
  void longRepliesComeInTheirTurn() throws IOException {
    int elements = 3_000;
    String element = "e".repeat(2_000);
    for (String loops : new String[] {"1", "3"}) {
      try (ServerFixture fixture = new ServerFixture("io-threads", loops)) {
        RawClient client = fixture.client();
        for (int i = 0; i < elements; i++) {
          client.send("RPUSH list " + element + "|");
          client.reply();
        }
        assertEquals("$2000|" + element + "|", client.ask("LINDEX list 0"));
        client.send("SET key before|LRANGE list 0 -1|SET key after|LRANGE list -1 -1|GET key|");
        assertEquals("+OK|", client.reply());
        assertEquals(
            "*" + elements + "|" + ("$2000|" + element + "|").repeat(elements), client.reply());
        assertEquals("+OK|", client.reply());
        assertEquals("*1|$2000|" + element + "|", client.reply());
        assertEquals("$5|after|", client.reply());
        // Where only the keyspace loop can say what is true, it does so, however long it takes.
        client.send("MULTI|LPUSH list x|LRANGE list 0 -1|EXEC|");
        assertEquals("+OK|+QUEUED|+QUEUED|", client.replies(3));
        assertTrue(client.reply().endsWith("$2000|" + element + "|"));
      }
    }
  }

  @Test
  void requestsAreAnsweredInOrderWhateverTheyNeed() throws IOException {
    for (String loops : new String[] {"1", "3"}) {
      for (String policy : new String[] {"everysec", "always", "no"}) {
        try (ServerFixture fixture =
            new ServerFixture("io-threads", loops, "appendfsync", policy)) {
          for (int c = 0; c < 4; c++) {
            RawClient client = fixture.client();
            StringBuilder requests = new StringBuilder();
            StringBuilder replies = new StringBuilder();
            for (int i = 0; i < 300; i++) {
              String key = "key" + c;
              switch (i % 5) {
                case 0 -> requests.append("t.set ").append(key).append(' ').append(i).append('|');
                case 1 -> requests.append("t.get ").append(key).append('|');
                case 2 -> requests.append("ping ").append(i).append('|');
                case 3 -> requests.append("t.slow|");
                default -> requests.append("t.get missing|");
              }
              int length = Integer.toString(i % 5 == 1 ? i - 1 : i).length();
              replies.append(
                  switch (i % 5) {
                    case 0 -> "+OK|";
                    case 1 -> "$" + length + "|" + (i - 1) + "|";
                    case 2 -> "$" + length + "|" + i + "|";
                    case 3 -> "+WORKED|";
                    default -> "$-1|";
                  });
            }
            client.send(requests.toString());
            StringBuilder got = new StringBuilder();
            for (int i = 0; i < 300; i++) {
              got.append(client.reply());
            }
            assertEquals(replies.toString(), got.toString(), loops + " " + policy);
          }
        }
      }
    }
  }

  @Test
  void infoSaysHowMuchGoesInAndOutLately() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      assertTrue(client.ask("INFO stats").contains("|instantaneous_input_kbps:0.00|"));
      String busy =
          "(?s).*\\|instantaneous_input_kbps:(?!0\\.00)\\d+\\.\\d\\d\\|"
              + "instantaneous_output_kbps:(?!0\\.00)\\d+\\.\\d\\d\\|.*";
      await(() -> client.ask("INFO stats").matches(busy));
    }
  }

  @Test
  void infoSaysHowManySavesThereWereAndHowLongTheLastTook() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      String info = client.ask("INFO persistence");
      assertTrue(
          info.contains("|rdb_last_bgsave_time_sec:-1|rdb_current_bgsave_time_sec:-1|rdb_saves:0|"),
          info);
      assertEquals("+OK|", client.ask("SAVE"));
      client.ask("BGSAVE");
      await(
          () ->
              client
                  .ask("INFO persistence")
                  .contains(
                      "|rdb_last_bgsave_time_sec:0|rdb_current_bgsave_time_sec:-1|rdb_saves:2|"));
    }
  }

  @Test
  void coldDataIsReadByWorkersAndNothingIsLostOrReordered() throws IOException {
    for (String loops : new String[] {"1", "2"}) {
      try (ServerFixture fixture = new ServerFixture("io-threads", loops)) {
        RawClient client = fixture.client();
        for (int i = 0; i < 50; i++) {
          assertEquals(":1|", client.ask("t.add key" + i + " 1"));
        }
        fixture.engine.makeCold();
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 50; i++) {
          requests.append("t.get key").append(i).append("|t.add key").append(i).append(" 1|ping|");
        }
        client.send(requests.toString());
        for (int i = 0; i < 50; i++) {
          assertEquals("$1|1|", client.reply());
          assertEquals(":2|", client.reply());
          assertEquals("+PONG|", client.reply());
        }
        await(() -> fixture.engine.openViews.get() <= 1);
      }
    }
  }

  @Test
  void manyWritesOfAPassShareOneCommit() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      client.send("t.add key 1|".repeat(1000));
      for (int i = 1; i <= 1000; i++) {
        assertEquals(":" + i + "|", client.reply());
      }
      assertTrue(fixture.engine.commits.get() < 100, "commits: " + fixture.engine.commits);
    }
  }

  @Test
  void withAlwaysEveryReplyHasItsSync() throws IOException {
    try (ServerFixture fixture = new ServerFixture("appendfsync", "always")) {
      RawClient client = fixture.client();
      for (int i = 1; i <= 10; i++) {
        assertEquals(":" + i + "|", client.ask("t.add key 1"));
        assertTrue(fixture.engine.syncs.get() >= i);
      }
    }
  }

  @Test
  void withAlwaysNoLoopTellsACountBeforeItsSync() throws Exception {
    try (ServerFixture fixture = new ServerFixture("appendfsync", "always", "io-threads", "3")) {
      RawClient writer = fixture.client();
      List<RawClient> readers = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        readers.add(fixture.client());
        assertEquals(":0|", readers.get(i).ask("DBSIZE"));
      }
      long before = commandsRun(fixture);
      CountDownLatch isSynced = new CountDownLatch(1);
      fixture.engine.beforeSync(() -> awaitUninterruptibly(isSynced));
      try {
        writer.send("SET key value|");
        await(() -> commandsRun(fixture) == before + 1);
        for (RawClient reader : readers) {
          reader.send("DBSIZE|INFO keyspace|");
        }
        await(() -> commandsRun(fixture) == before + 1 + 2 * readers.size());
        for (RawClient reader : readers) {
          assertFalse(reader.hasReply());
        }
      } finally {
        isSynced.countDown();
      }
      assertEquals("+OK|", writer.reply());
      for (RawClient reader : readers) {
        assertEquals(":1|", reader.reply());
        assertTrue(reader.reply().contains("db0:keys=1"));
      }
    }
  }

  private static long commandsRun(ServerFixture fixture) {
    return fixture.server.executors().stream()
        .mapToLong(executor -> executor.statistics().commands())
        .sum();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void everySecondTheLogIsSynced() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      fixture.client().ask("t.add key 1");
      await(() -> fixture.engine.syncs.get() > 0);
    }
  }

  @Test
  void protocolErrorsAreToldAndEndTheConnection() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      client.send("t.set key 1|PING|*1|!|PING|");
      assertEquals("+OK|+PONG|-ERR Protocol error: expected '$', got '!'|", client.untilClosed());
      for (String silence : new String[] {"OFF", "SKIP"}) {
        RawClient silent = fixture.client();
        silent.send("PING|CLIENT REPLY " + silence + "|*1|!|PING|");
        assertEquals("+PONG|", silent.untilClosed(), silence);
      }
      RawClient quitter = fixture.client();
      quitter.send("PING|QUIT|PING|");
      assertEquals("+PONG|+OK|", quitter.untilClosed());
    }
  }

  @Test
  void aClientThatEndsItsInputStillGetsItsReplies() throws IOException {
    try (ServerFixture fixture = new ServerFixture("appendfsync", "always")) {
      RawClient client = fixture.client();
      client.send("t.set key 1|t.slow|t.get key|");
      client.endInput();
      assertEquals("+OK|+WORKED|$1|1|", client.untilClosed());
    }
  }

  @Test
  void oneClientTooManyIsTurnedAway() throws IOException {
    try (ServerFixture fixture = new ServerFixture("maxclients", "2")) {
      assertEquals("+PONG|", fixture.client().ask("ping"));
      RawClient second = fixture.client();
      assertEquals("+PONG|", second.ask("ping"));
      assertEquals("-ERR max number of clients reached|", fixture.client().untilClosed());
      second.close();
      await(
          () -> {
            try (RawClient next = fixture.client()) {
              return next.ask("ping").equals("+PONG|");
            } catch (IOException turnedAway) {
              return false;
            }
          });
    }
  }

  @Test
  void aPasswordHoldsWithinOneRead() throws IOException {
    try (ServerFixture fixture = new ServerFixture("requirepass", "secret")) {
      RawClient client = fixture.client();
      StringBuilder big = new StringBuilder("*12||".replace("||", "|"));
      big.append("$4|PING|".repeat(12));
      client.send("ping|auth secret|ping|" + big);
      assertEquals("-NOAUTH Authentication required.|", client.reply());
      assertEquals("+OK|", client.reply());
      assertEquals("+PONG|", client.reply());
      assertEquals("-ERR wrong number of arguments for 'ping' command|", client.reply());
      RawClient stranger = fixture.client();
      stranger.send(big.toString());
      assertEquals(
          "-ERR Protocol error: unauthenticated multibulk length|", stranger.untilClosed());
    }
  }

  @Test
  void aSlowReaderIsPausedNotBuffered() throws IOException, InterruptedException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient slow = fixture.client();
      int replies = 2000;
      int bytes = 1 << 20;
      // Two gigabytes of replies: more than the heap and direct memory of this test together.
      Thread sender =
          new Thread(
              () -> {
                try {
                  slow.send(("t.big " + bytes + "|").repeat(replies));
                } catch (IOException closed) {
                  // The test ended.
                }
              });
      sender.start();
      RawClient other = fixture.client();
      for (int i = 0; i < 100; i++) {
        assertEquals("+PONG|", other.ask("ping"));
      }
      for (int i = 0; i < 200; i++) {
        slow.skip(("$" + bytes + "\r\n").length() + bytes + 2L);
      }
      slow.close();
      sender.join();
      assertEquals("+PONG|", other.ask("ping"));
    }
  }

  @Test
  void aReplyBeyondTheHardLimitClosesTheClient() throws IOException {
    try (ServerFixture fixture =
        new ServerFixture("client-output-buffer-limit", "normal 4mb 0 0")) {
      RawClient client = fixture.client();
      client.send("t.big 20000000|");
      assertTrue(client.untilClosed().length() < 20_000_000);
      assertEquals("+PONG|", fixture.client().ask("ping"));
    }
  }

  @Test
  void writesWaitWhileTheEngineSaysSoAndReadsDoNot() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient writer = fixture.client();
      RawClient reader = fixture.client();
      fixture.engine.writeDelayMillis(dev.varve.server.engine.Engine.WRITES_STOPPED);
      writer.send("t.set key 1|");
      assertEquals("$-1|", reader.ask("t.get key"));
      fixture.engine.writeDelayMillis(0);
      assertEquals("+OK|", writer.reply());
      assertEquals("$1|1|", reader.ask("t.get key"));
    }
  }

  @Test
  void aFailedCommitIsNotAcknowledged() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient writer = fixture.client();
      RawClient reader = fixture.client();
      assertEquals("+PONG|", reader.ask("ping"));
      fixture.engine.commitFails(true);
      writer.send("t.set key 1|");
      assertEquals("", writer.untilClosed());
      assertEquals("+PONG|", reader.ask("ping"));
    }
  }

  @Test
  void expiredKeysAreSweptSoon() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      client.send("t.set a 1 500000|t.set b 1 600000|t.set c 1|dbsize|");
      client.reply();
      client.reply();
      client.reply();
      assertEquals(":3|", client.reply());
      fixture.aheadMillis.set(600_000);
      await(
          () -> {
            try {
              return client.ask("dbsize").equals(":1|");
            } catch (IOException failure) {
              throw new AssertionError(failure);
            }
          });
      assertTrue(client.ask("info stats").contains("expired_keys:2"));
    }
  }

  @Test
  void aKilledClientIsClosed() throws IOException {
    try (ServerFixture fixture = new ServerFixture("io-threads", "2")) {
      RawClient victim = fixture.client();
      RawClient killer = fixture.client();
      assertEquals("+OK|", victim.ask("client setname victim"));
      String id = victim.ask("client id").replaceAll("[^0-9]", "");
      assertTrue(killer.ask("client list").contains("name=victim"));
      assertEquals(":1|", killer.ask("client kill id " + id));
      assertEquals("", victim.untilClosed());
      assertEquals("-ERR No such client|", killer.ask("client kill 1.2.3.4:5"));
    }
  }

  @Test
  void wholeDatabasesAreFlushedAndSwapped() throws IOException {
    try (ServerFixture fixture = new ServerFixture("io-threads", "2")) {
      RawClient one = fixture.client();
      RawClient two = fixture.client();
      one.ask("t.set key zero");
      assertEquals("+OK|", two.ask("swapdb 0 1"));
      assertEquals("$-1|", one.ask("t.get key"));
      assertEquals("+OK|", two.ask("select 1"));
      assertEquals("$4|zero|", two.ask("t.get key"));
      assertEquals(":1|", two.ask("dbsize"));
      assertEquals("+OK|", one.ask("flushall"));
      assertEquals(":0|", two.ask("dbsize"));
      assertEquals("$-1|", two.ask("t.get key"));
      assertEquals("-ERR invalid first DB index|", one.ask("swapdb a 1"));
      assertEquals("-ERR DB index is out of range|", one.ask("swapdb 0 16"));
      assertEquals("-ERR syntax error|", one.ask("flushall foo"));
    }
  }

  @Test
  void saveFlushesTheEngine() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      assertEquals("+OK|", client.ask("save"));
      assertEquals(1, fixture.engine.flushes.get());
      assertEquals("+Background saving started|", client.ask("bgsave"));
      await(() -> fixture.engine.flushes.get() == 2);
    }
  }

  @Test
  void stoppingClosesTheEngine() throws IOException {
    ServerFixture fixture = new ServerFixture();
    fixture.client().ask("t.set key 1");
    fixture.close();
    assertTrue(fixture.engine.isClosed());
  }
}
