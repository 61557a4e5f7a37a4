package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that wait for keys, over sockets, with one event loop and with several. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BlockingTest {

  private static ServerFixture server(String loops) throws IOException {
    return new ServerFixture("io-threads", loops, "appendfsync", "always");
  }

  /** Waits until so many clients wait. */
  private static void awaitBlocked(RawClient client, int count) throws IOException {
    Await.until(
        () -> client.ask("INFO clients").contains("blocked_clients:" + count + "|"),
        20,
        () -> "never " + count + " blocked clients");
  }

  /** A client that waits for {@code request}, after those that waited before. */
  private static RawClient blocked(
      ServerFixture fixture, RawClient control, int before, String request) throws IOException {
    RawClient client = fixture.client().send(request + "|");
    awaitBlocked(control, before + 1);
    return client;
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void clientsAreServedInTheOrderInWhichTheyCame(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      RawClient first = blocked(fixture, control, 0, "BLPOP a b 0");
      RawClient second = blocked(fixture, control, 1, "BRPOP b a 0");
      RawClient third = blocked(fixture, control, 2, "BLMOVE a c LEFT RIGHT 0");
      RawClient fourth = blocked(fixture, control, 3, "BLMPOP 0 2 x c LEFT COUNT 5");
      assertEquals(":3|", control.ask("RPUSH a 1 2 3"));
      assertEquals("*2|$1|a|$1|1|", first.reply());
      assertEquals("*2|$1|a|$1|3|", second.reply());
      assertEquals("$1|2|", third.reply());
      assertEquals("*2|$1|c|*1|$1|2|", fourth.reply());
      assertEquals(":0|", control.ask("EXISTS a b c"));
      awaitBlocked(control, 0);
    }
  }

  @Test
  void whoIsGoneWhenWhatItNeedsHasComeFromTheDiskIsNotServed() throws Exception {
    try (ServerFixture fixture = server("1")) {
      CountDownLatch isReading = new CountDownLatch(1);
      CountDownLatch mayRead = new CountDownLatch(1);
      fixture.engine.beforeBlockingRead(
          key -> {
            if (key[key.length - 1] == 'c') {
              isReading.countDown();
              awaitQuietly(mayRead);
            }
          });
      RawClient control = fixture.client();
      RawClient gone = blocked(fixture, control, 0, "BLMOVE a c LEFT RIGHT 0");
      fixture.engine.makeCold();
      assertEquals(":1|", control.ask("RPUSH a 1"));
      assertTrue(isReading.await(20, TimeUnit.SECONDS));
      gone.close();
      // The loop that answers the second of them has seen the client go.
      RawClient other = fixture.client();
      other.ask("PING");
      other.ask("PING");
      mayRead.countDown();
      awaitBlocked(control, 0);
      assertEquals(":1|", control.ask("LLEN a"));
      assertEquals(":0|", control.ask("EXISTS c"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aLongRequestThatArrivesWhileTheClientWaitsRunsAfterwards(String loops) throws Exception {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      int length = 8 * 1024 * 1024;
      RawClient client = blocked(fixture, control, 0, "BLPOP a 0");
      // More than the socket takes by itself, and less than all of it.
      Thread sender =
          new Thread(
              () -> {
                try {
                  client.send("*3|$3|SET|$1|b|$" + length + "|" + "x".repeat(length - 1));
                  client.send("x|");
                } catch (IOException closed) {
                  // The test has failed.
                }
              });
      sender.start();
      awaitReceived(control, 1024 * 1024);
      assertEquals(":1|", control.ask("RPUSH a 1"));
      assertEquals("*2|$1|a|$1|1|", client.reply());
      assertEquals("+OK|", client.reply());
      assertEquals(":" + length + "|", control.ask("STRLEN b"));
      sender.join();
    }
  }

  /** Waits until the server has read so many bytes. */
  private static void awaitReceived(RawClient client, long bytes) throws IOException {
    Pattern received = Pattern.compile("total_net_input_bytes:(\\d+)");
    Await.until(
        () -> {
          Matcher its = received.matcher(client.ask("INFO stats"));
          return its.find() && Long.parseLong(its.group(1)) > bytes;
        },
        20,
        () -> "never " + bytes + " bytes");
  }

  /**
   * What the list is moved to has to be read from the disk, which takes as long as the test likes.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1 LPOP a",
        "3 LPOP a",
        "1 BLPOP a 0.01",
        "3 LMOVE a other LEFT LEFT",
        "1 DEL a",
        "3 EVAL \"return redis.call('lpop',KEYS[1])\" 1 a",
        // Whose keys nothing names.
        "1 EVAL \"return redis.call('lpop','a')\" 0",
        "3 FCALL take 0",
        "1 FLUSHALL",
        "3 FLUSHDB",
        "1 SWAPDB 0 1"
      })
  void whoComesLaterTakesNothingFromOneWhoIsServedFromTheDisk(String row) throws Exception {
    String[] parts = row.split(" ", 2);
    try (ServerFixture fixture = server(parts[0])) {
      RawClient control = fixture.client();
      control.ask("RPUSH stored 0");
      library(control, "take", "return redis.call('lpop','a')");
      fixture.engine.makeCold();
      RawClient first = blocked(fixture, control, 0, "BLMOVE a stored LEFT RIGHT 0");
      RawClient second = blocked(fixture, control, 1, "BLPOP a 0");
      SlowKey stored = new SlowKey("stored");
      SlowKey.putIn(fixture, stored);
      RawClient pusher = fixture.client().send("RPUSH a x|");
      stored.awaitRead();
      RawClient later = fixture.client().send(parts[1] + "|PING|");
      RawClient transaction = fixture.client().send("MULTI|LPOP a|EXEC|");
      assertEquals("+OK|+QUEUED|", transaction.replies(2));
      RawClient from1 = fixture.client().send("SELECT 1|MULTI|SELECT 0|LPOP a|EXEC|");
      assertEquals("+OK|+OK|+QUEUED|+QUEUED|", from1.replies(4));
      for (int i = 0; i < 20; i++) {
        control.ask("SET elsewhere " + i);
      }
      assertTrue(!later.hasReply(), "served before who came earlier");
      assertTrue(!transaction.hasReply() && !from1.hasReply(), "served before who came earlier");
      stored.mayBeRead();
      assertEquals("$1|x|", first.reply());
      assertEquals(":1|", pusher.reply());
      assertTrue(later.replies(2).matches("(\\$-1|\\*-1|:0|\\+OK)\\|\\+PONG\\|"), parts[1]);
      assertEquals("*1|$-1|", transaction.reply());
      assertEquals("*2|+OK|$-1|", from1.reply());
      // And what is pushed now is the second one's.
      control.ask("RPUSH a y");
      assertEquals("*2|$1|a|$1|y|", second.reply());
    }
  }

  /** What is written to and not waited for is as it was, too. */
  @Test
  void whoComesLaterWritesNothingToWhereAnElementIsMovedFromTheDisk() throws Exception {
    try (ServerFixture fixture = server("1")) {
      RawClient control = fixture.client();
      control.ask("RPUSH stored 0");
      RawClient first = blocked(fixture, control, 0, "BLMOVE a stored LEFT RIGHT 0");
      RawClient second = blocked(fixture, control, 1, "BLMOVE b stored LEFT RIGHT 0");
      SlowKey stored = new SlowKey("stored");
      SlowKey.putIn(fixture, stored);
      RawClient pusher = fixture.client().send("RPUSH a x|");
      stored.awaitRead();
      RawClient otherPusher = fixture.client().send("RPUSH b y|LPOP b|");
      RawClient later = fixture.client().send("LRANGE stored 0 -1|SET stored text|");
      later.reply();
      for (int i = 0; i < 20; i++) {
        control.ask("SET elsewhere " + i);
      }
      assertTrue(!second.hasReply() && !later.hasReply(), "served before who came earlier");
      stored.mayBeRead();
      assertEquals("$1|x|", first.reply());
      assertEquals("$1|y|", second.reply());
      assertEquals(":1|", pusher.reply());
      assertEquals(":1|$-1|", otherPusher.replies(2));
      assertEquals("+OK|", later.reply());
    }
  }

  @Test
  void elementsAreMovedFromTheDiskInTheOrderOfTheirPushes() throws Exception {
    try (ServerFixture fixture = server("1")) {
      RawClient control = fixture.client();
      control.ask("RPUSH stored 0");
      RawClient first = blocked(fixture, control, 0, "BLMOVE a stored LEFT RIGHT 0");
      RawClient second = blocked(fixture, control, 1, "BLMOVE b stored LEFT RIGHT 0");
      SlowKey stored = new SlowKey("stored");
      SlowKey.putIn(fixture, stored);
      fixture.client().send("RPUSH a x|");
      stored.awaitRead();
      fixture.client().send("RPUSH b y|");
      control.ask("PING");
      control.ask("PING");
      stored.mayBeRead();
      assertEquals("$1|x|", first.reply());
      assertEquals("$1|y|", second.reply());
      assertEquals("*3|$1|0|$1|x|$1|y|", control.ask("LRANGE stored 0 -1"));
    }
  }

  @Test
  void allElementsAreMovedFromTheDiskBeforeThoseAreServedWhoWaitForThem() throws Exception {
    try (ServerFixture fixture = server("1")) {
      RawClient control = fixture.client();
      RawClient first = blocked(fixture, control, 0, "BLMOVE a stored LEFT RIGHT 0");
      RawClient second = blocked(fixture, control, 1, "BLMOVE a stored LEFT RIGHT 0");
      RawClient third = blocked(fixture, control, 2, "BLMPOP 0 1 stored LEFT COUNT 9");
      SlowKey stored = new SlowKey("stored");
      SlowKey.putIn(fixture, stored);
      RawClient pusher = fixture.client().send("RPUSH a x y|");
      stored.awaitRead();
      stored.mayBeRead();
      assertEquals(":2|", pusher.reply());
      assertEquals("$1|x|", first.reply());
      assertEquals("$1|y|", second.reply());
      assertEquals("*2|$6|stored|*2|$1|x|$1|y|", third.reply());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "FLUSHALL",
        "EVAL \"redis.call('del','a','b') return redis.status_reply('OK')\" 0"
      })
  void whoWaitsForThoseServedFromTheDiskWaitsForNoneThatCameLater(String request) throws Exception {
    try (ServerFixture fixture = server("1")) {
      RawClient control = fixture.client();
      control.ask("RPUSH stored 0");
      control.ask("RPUSH other 0");
      RawClient first = blocked(fixture, control, 0, "BLMOVE a stored LEFT RIGHT 0");
      RawClient second = blocked(fixture, control, 1, "BLMOVE b other LEFT RIGHT 0");
      SlowKey stored = new SlowKey("stored");
      SlowKey other = new SlowKey("other");
      SlowKey.putIn(fixture, stored, other);
      fixture.client().send("RPUSH a x|");
      stored.awaitRead();
      // Else a worker reads them for the request, which has to wait only when it runs behind that.
      control.ask("EXISTS a b");
      RawClient later = fixture.client();
      later.ask("PING");
      later.send(request + "|");
      control.ask("PING");
      control.ask("PING");
      RawClient pusher = fixture.client().send("RPUSH b y|");
      other.awaitRead();
      assertTrue(!later.hasReply(), "before who came earlier");
      stored.mayBeRead();
      assertEquals("$1|x|", first.reply());
      assertEquals("+OK|", later.reply());
      other.mayBeRead();
      assertEquals(":1|", pusher.reply());
      control.ask("RPUSH b z");
      assertEquals("$1|z|", second.reply());
    }
  }

  @Test
  void aScriptThatTakesLongBeginsWhenThoseWereServedWhoNeedTheDisk() throws Exception {
    try (ServerFixture fixture = server("1")) {
      RawClient control = fixture.client();
      control.ask("RPUSH stored 0");
      RawClient first = blocked(fixture, control, 0, "BLMOVE a stored LEFT RIGHT 0");
      SlowKey stored = new SlowKey("stored");
      SlowKey.putIn(fixture, stored);
      RawClient pusher = fixture.client().send("RPUSH a x|");
      stored.awaitRead();
      RawClient script =
          fixture
              .client()
              .send(
                  "EVAL \"local n=0 while n<2e8 and redis.call('llen','a')==1 do n=n+1 end"
                      + " return redis.call('del','a')\" 0|");
      // It is not the script's yet: whoever writes goes on.
      RawClient writer = fixture.client();
      for (int i = 0; i < 300; i++) {
        assertEquals("+OK|", writer.ask("SET elsewhere " + i));
        TimeUnit.MILLISECONDS.sleep(1);
      }
      assertTrue(!script.hasReply() && !first.hasReply());
      stored.mayBeRead();
      assertEquals("$1|x|", first.reply());
      assertEquals(":1|", pusher.reply());
      assertEquals(":0|", script.reply());
    }
  }

  /** Either the element or the unblocking, never both, never neither. */
  @ParameterizedTest
  @ValueSource(strings = {"1 TIMEOUT", "3 TIMEOUT", "1 ERROR", "3 ERROR"})
  void whoIsUnblockedWhileItIsServedFromTheDiskGetsNothing(String row) throws Exception {
    String[] parts = row.split(" ", 2);
    try (ServerFixture fixture = server(parts[0])) {
      RawClient control = fixture.client();
      control.ask("RPUSH stored 0");
      RawClient first = fixture.client();
      String id = first.ask("CLIENT ID").substring(1).replace("|", "");
      first.send("BLMOVE a stored LEFT RIGHT 0|PING|");
      awaitBlocked(control, 1);
      RawClient second = blocked(fixture, control, 1, "BLPOP a 0");
      SlowKey stored = new SlowKey("stored");
      SlowKey.putIn(fixture, stored);
      RawClient pusher = fixture.client().send("RPUSH a x|");
      stored.awaitRead();
      control.send("CLIENT UNBLOCK " + id + " " + parts[1] + "|CLIENT UNBLOCK " + id + "|");
      assertEquals(":1|:0|", control.replies(2));
      stored.mayBeRead();
      String unblocked =
          parts[1].equals("ERROR") ? "-UNBLOCKED client unblocked via CLIENT UNBLOCK|" : "*-1|";
      assertEquals(unblocked + "+PONG|", first.replies(2));
      assertEquals(":1|", pusher.reply());
      assertEquals("*2|$1|a|$1|x|", second.reply());
      assertEquals("*1|$1|0|", control.ask("LRANGE stored 0 -1"));
    }
  }

  /** A key that lies on the disk, where the first who reads it waits until the test lets it. */
  private static final class SlowKey {
    private final String name;
    private final CountDownLatch reads = new CountDownLatch(1);
    private final CountDownLatch mayRead = new CountDownLatch(1);

    SlowKey(String name) {
      this.name = name;
    }

    /** From now on all that {@code fixture} has is on the disk. */
    static void putIn(ServerFixture fixture, SlowKey... keys) {
      fixture.engine.makeCold();
      fixture.engine.beforeBlockingRead(
          read -> {
            for (SlowKey key : keys) {
              key.read(new String(read, StandardCharsets.ISO_8859_1));
            }
          });
    }

    private void read(String key) {
      if (key.endsWith(name) && reads.getCount() > 0) {
        reads.countDown();
        awaitQuietly(mayRead);
      }
    }

    void awaitRead() throws InterruptedException {
      assertTrue(reads.await(20, TimeUnit.SECONDS), "nothing was cold");
    }

    void mayBeRead() {
      mayRead.countDown();
    }
  }

  /** Loads a function. */
  private static void library(RawClient control, String name, String body) throws IOException {
    String code =
        "#!lua name=lib\nredis.register_function('" + name + "',function() " + body + " end)\n";
    String reply =
        control.send("*3|$8|FUNCTION|$4|LOAD|$" + code.length() + "|" + code + "|").reply();
    assertEquals("$3|lib|", reply);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aTransactionWakesByTheKeyItTouchedFirst(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      RawClient waiter = blocked(fixture, control, 0, "BLPOP a b 0");
      control.send("MULTI|RPUSH b 1|RPUSH a 2|EXEC|").replies(4);
      assertEquals("*2|$1|b|$1|1|", waiter.reply());
      // What a transaction takes back itself wakes nobody.
      waiter = blocked(fixture, control, 0, "BZPOPMIN z 0");
      control.send("MULTI|ZADD z 1 m|DEL z|SADD z x|EXEC|").replies(5);
      awaitBlocked(control, 1);
      control.send("DEL z|ZADD z 2 m 1 l|").replies(2);
      assertEquals("*3|$1|z|$1|l|$1|1|", waiter.reply());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void renameSwapAndStoreWake(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      RawClient waiter = blocked(fixture, control, 0, "BLPOP a 0");
      control.send("RPUSH other 1|RENAME other a|").replies(2);
      assertEquals("*2|$1|a|$1|1|", waiter.reply());
      waiter = blocked(fixture, control, 0, "BLPOP a 0");
      control.send("SELECT 1|RPUSH a 2|SWAPDB 0 1|SELECT 0|").replies(4);
      assertEquals("*2|$1|a|$1|2|", waiter.reply());
      waiter = blocked(fixture, control, 0, "BLPOP a 0");
      control.send("SADD set 3|SORT set STORE a|").replies(2);
      assertEquals("*2|$1|a|$1|3|", waiter.reply());
    }
  }

  /** An attempt comes across a key that has expired, of which its own client wants to know. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void whatAnAttemptTellsItsOwnClientIsNobodyElses(String loops) throws IOException {
    try (ServerFixture fixture =
        new ServerFixture(
            "io-threads", loops, "enable-debug-command", "yes", "notify-keyspace-events", "Ex")) {
      RawClient control = fixture.client();
      assertEquals("+OK|", control.ask("DEBUG SET-ACTIVE-EXPIRE 0"));
      control.send("SELECT 1|SET a text PX 1000|SELECT 0|").replies(3);
      RawClient listener = fixture.client();
      listener.ask("HELLO 3");
      String expired = "__keyevent@0__:expired";
      listener.ask("SUBSCRIBE " + expired);
      listener.send("BLPOP a 0|");
      awaitBlocked(control, 1);
      RawClient second = blocked(fixture, control, 1, "BZPOPMIN a 0");
      fixture.aheadMillis.addAndGet(5000);
      control.send("SWAPDB 0 1|ZADD a 1 m|PING|");
      assertEquals("+OK|:1|+PONG|", control.replies(3));
      assertEquals(">3|$7|message|$22|" + expired + "|$1|a|", listener.reply());
      assertEquals("*3|$1|a|$1|m|$1|1|", second.reply());
      control.ask("RPUSH a x");
      assertEquals("*2|$1|a|$1|x|", listener.reply());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aWaitEndsByTimeOrByAnotherClient(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      assertEquals("*-1|", control.ask("BLPOP a 0.01"));
      assertEquals("*-1|", control.ask("BLMOVE a b LEFT LEFT 0.01"));
      assertEquals(":0|", control.ask("WAIT 1 10"));
      RawClient waiter = fixture.client();
      String id = waiter.ask("CLIENT ID").substring(1).replace("|", "");
      waiter.send("BLPOP a 0|PING|");
      awaitBlocked(control, 1);
      assertEquals(":1|", control.ask("CLIENT UNBLOCK " + id));
      assertEquals("*-1|+PONG|", waiter.replies(2));
      waiter.send("BLPOP a 0|");
      awaitBlocked(control, 1);
      control.send("CLIENT UNBLOCK " + id + " ERROR|CLIENT UNBLOCK " + id + "|");
      assertEquals(":1|:0|", control.replies(2));
      assertEquals("-UNBLOCKED client unblocked via CLIENT UNBLOCK|", waiter.reply());
      assertEquals(":0|", control.ask("CLIENT UNBLOCK " + id));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aClientThatIsGoneTakesNothing(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      blocked(fixture, control, 0, "BLPOP a 0").close();
      awaitBlocked(control, 0);
      RawClient ended = blocked(fixture, control, 0, "BLPOP a 0");
      ended.endInput();
      assertEquals("", ended.untilClosed());
      awaitBlocked(control, 0);
      control.ask("RPUSH a 1");
      assertEquals(":1|", control.ask("LLEN a"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void insideMultiNobodyWaits(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient client = fixture.client();
      client.send("MULTI|BLPOP a 0|BLMOVE a b LEFT LEFT 0|BZPOPMIN z 0|WAIT 1 0|EXEC|");
      assertEquals("+OK|+QUEUED|+QUEUED|+QUEUED|+QUEUED|", client.replies(5));
      assertEquals("*4|*-1|$-1|*-1|:0|", client.reply());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aKeyOfAnotherTypeIsNoErrorForOneThatWaits(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      RawClient waiter = blocked(fixture, control, 0, "BLPOP a 0");
      control.send("SET a text|DEL a|RPUSH a 1|").replies(3);
      assertEquals("*2|$1|a|$1|1|", waiter.reply());
      control.ask("SET b text");
      assertTrue(control.ask("BLPOP b 0").startsWith("-WRONGTYPE"));
      waiter = blocked(fixture, control, 0, "BLMOVE a b LEFT LEFT 0");
      control.ask("RPUSH a 1");
      assertTrue(waiter.reply().startsWith("-WRONGTYPE"));
      assertEquals(":1|", control.ask("LLEN a"));
    }
  }
}
