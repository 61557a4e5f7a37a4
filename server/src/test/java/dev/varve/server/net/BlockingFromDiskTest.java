package dev.varve.server.net;

import static dev.varve.server.net.WaitingClients.awaitBlocked;
import static dev.varve.server.net.WaitingClients.blocked;
import static dev.varve.server.net.WaitingClients.server;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that wait for keys and cannot be served before something was read from the disk. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BlockingFromDiskTest {
  private static final long SECONDS_MAX = 10;

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

  @Test
  void whoIsServedFromTheDiskTakesNothingOnceAnotherServerIsFollowed() throws Exception {
    try (ServerFixture fixture = server("1")) {
      RawClient control = fixture.client();
      control.ask("RPUSH stored 0");
      RawClient first = blocked(fixture, control, 0, "BLMOVE list stored LEFT RIGHT 0");
      SlowKey stored = SlowKey.in(fixture, "stored");
      RawClient pusher = stored.readBy(fixture.client().send("RPUSH list x|"));
      assertEquals("+OK|", control.ask("REPLICAOF 127.0.0.1 1"));
      stored.mayBeRead();
      assertEquals(
          "-UNBLOCKED force unblock from blocking operation, instance state changed (master ->"
              + " replica?)|",
          first.reply());
      assertEquals("", first.untilClosed());
      assertEquals(":1|", pusher.reply());
      assertEquals("*1|$1|x|", control.ask("LRANGE list 0 -1"));
      assertEquals("*1|$1|0|", control.ask("LRANGE stored 0 -1"));
    }
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
      SlowKey stored = SlowKey.in(fixture, "stored");
      RawClient pusher = stored.readBy(fixture.client().send("RPUSH a x|"));
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
      SlowKey stored = SlowKey.in(fixture, "stored");
      RawClient pusher = stored.readBy(fixture.client().send("RPUSH a x|"));
      RawClient otherPusher = fixture.client().send("RPUSH b y|LPOP b|");
      // Whose request is here first is the sockets' to say.
      Await.until(
          () -> control.ask("EXISTS b").equals(":1|"), SECONDS_MAX, () -> "the push has come");
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
      SlowKey stored = SlowKey.in(fixture, "stored");
      stored.readBy(fixture.client().send("RPUSH a x|"));
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
      SlowKey stored = SlowKey.in(fixture, "stored");
      RawClient pusher = stored.readBy(fixture.client().send("RPUSH a x y|"));
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
      stored.readBy(fixture.client().send("RPUSH a x|"));
      // Else a worker reads them for the request, which has to wait only when it runs behind that.
      control.ask("EXISTS a b");
      RawClient later = fixture.client();
      later.ask("PING");
      later.send(request + "|");
      control.ask("PING");
      control.ask("PING");
      RawClient pusher = other.readBy(fixture.client().send("RPUSH b y|"));
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
      SlowKey stored = SlowKey.in(fixture, "stored");
      RawClient pusher = stored.readBy(fixture.client().send("RPUSH a x|"));
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
      SlowKey stored = SlowKey.in(fixture, "stored");
      RawClient pusher = stored.readBy(fixture.client().send("RPUSH a x|"));
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

    /** From now on all that {@code fixture} has is on the disk, and one key is slow. */
    static SlowKey in(ServerFixture fixture, String name) {
      SlowKey its = new SlowKey(name);
      putIn(fixture, its);
      return its;
    }

    /** The same with several. */
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

    /** Waits until the key is being read for what {@code client} has sent. Returns the client. */
    RawClient readBy(RawClient client) throws InterruptedException {
      assertTrue(reads.await(20, TimeUnit.SECONDS), "nothing was cold");
      return client;
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
}
