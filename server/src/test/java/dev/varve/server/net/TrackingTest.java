package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.engine.InMemoryEngine;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that cache or look on: over sockets, with one event loop and several. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TrackingTest {

  private static ServerFixture server(String loops) throws IOException {
    return new ServerFixture("io-threads", loops, "appendfsync", "always");
  }

  private static String invalidated(String key) {
    return ">2|$10|invalidate|*1|$" + key.length() + "|" + key + "|";
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void whatWasReadIsToldOnceWhenItChanges(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient writer = fixture.client();
      RawClient reader = fixture.client();
      reader.ask("HELLO 3");
      assertEquals("+OK|", reader.ask("CLIENT TRACKING on"));
      writer.ask("SET a 1");
      assertEquals("$1|1|", reader.ask("GET a"));
      writer.send("SET a 2|SET a 3|SET b 1|").replies(3);
      assertEquals(invalidated("a"), reader.reply());
      assertEquals("$1|3|", reader.ask("GET a"));
      // Its own change is told after the reply.
      reader.send("SET a 4|PING|");
      assertEquals("+OK|" + invalidated("a") + "+PONG|", reader.replies(3));
      reader.ask("GET a");
      writer.ask("FLUSHALL");
      assertEquals(">2|$10|invalidate|_|", reader.reply());
      reader.send("CLIENT TRACKING off|CLIENT TRACKING on NOLOOP|GET a|SET a 5|PING|");
      assertEquals("+OK|+OK|_|+OK|+PONG|", reader.replies(5));
    }
  }

  @Test
  void aKeyMadeByAnIntegerThatDoesNotFitIsTold() throws IOException {
    try (ServerFixture fixture = server("1")) {
      RawClient writer = fixture.client();
      RawClient reader = fixture.client();
      reader.ask("HELLO 3");
      reader.ask("CLIENT TRACKING on");
      String fails = " OVERFLOW FAIL INCRBY u2 0 9";
      assertEquals(":0|", reader.ask("EXISTS a"));
      assertEquals("*1|$-1|", writer.ask("BITFIELD a" + fails));
      assertEquals(invalidated("a"), reader.reply());
      assertEquals(":1|", reader.ask("STRLEN a"));
      assertEquals("*2|:0|$-1|", writer.ask("BITFIELD a GET u8 8" + fails.replace("0 9", "8 9")));
      assertEquals(invalidated("a"), reader.reply());
      assertEquals(":2|", reader.ask("STRLEN a"));
    }
  }

  private static final String SET_AND_GET =
      "\"redis.call('set',KEYS[1],'x') return redis.call('get',KEYS[1])\" 1 a|";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "MULTI|SET a 1|GET a|EXEC|",
        "MULTI|GET a|SET a 1|GET a|GET a|EXEC|",
        "MULTI|INCR a|MGET b a|EXEC|",
        "SET b 1|MULTI|FLUSHALL|GET a|EXEC|",
        "EVAL " + SET_AND_GET,
        "MULTI|EVAL " + SET_AND_GET + "EXEC|",
      })
  void whatATransactionReadsBehindItsOwnWriteIsTrackedToo(String requests) throws IOException {
    try (ServerFixture fixture = server("1")) {
      RawClient reader = fixture.client();
      reader.send("HELLO 3|CLIENT TRACKING on NOLOOP|").replies(2);
      reader.send(requests + "ECHO end|");
      awaitReply(reader, "end");
      fixture.client().ask("SET a 2");
      assertEquals(invalidated("a"), reader.reply());
    }
  }

  @Test
  void whatIsSaidOfTheNextReadOutlastsOtherClientCommandsAndEndsWithExec() throws IOException {
    try (ServerFixture fixture = server("1")) {
      RawClient writer = fixture.client();
      RawClient reader = fixture.client();
      reader.send("HELLO 3|CLIENT TRACKING on OPTIN|").replies(2);
      reader.send("CLIENT CACHING yes|CLIENT GETNAME|GET a|GET b|").replies(4);
      writer.send("SET b 1|SET a 1|").replies(2);
      assertEquals(invalidated("a"), reader.reply());
      reader.send("MULTI|CLIENT CACHING yes|GET a|EXEC|GET b|").replies(5);
      writer.send("SET b 2|SET a 2|").replies(2);
      assertEquals(invalidated("a"), reader.reply());
      assertEquals("+PONG|", reader.ask("PING"));
    }
  }

  private static void awaitReply(RawClient client, String text) throws IOException {
    String reply;
    do {
      reply = client.reply();
    } while (!reply.contains(text));
  }

  @ParameterizedTest
  @CsvSource({"'',1", "NOLOOP,0"})
  void whatATransactionWritesBehindItsOwnReadIsTold(String option, int told) throws IOException {
    try (ServerFixture fixture = server("1")) {
      RawClient reader = fixture.client();
      reader.send("HELLO 3|CLIENT TRACKING on " + option + "|").replies(2);
      reader.send("MULTI|SET a 1|GET a|SET a 2|EXEC|").replies(4);
      assertEquals("*3|+OK|$1|1|+OK|", reader.reply());
      if (told == 1) {
        assertEquals(invalidated("a"), reader.reply());
      }
      // Nothing is cached any more.
      fixture.client().ask("SET a 3");
      assertEquals("+PONG|", reader.ask("PING"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aReaderNeverKeepsWhatWasInvalidatedBefore(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient writer = fixture.client();
      RawClient reader = fixture.client();
      reader.ask("HELLO 3");
      reader.ask("CLIENT TRACKING on");
      String cached = "";
      for (int i = 0; i < 300; i++) {
        writer.send("SET a " + i + "|");
        if (cached.isEmpty()) {
          reader.send("GET a|");
          String reply = reader.reply();
          cached = reply.startsWith(">") ? reader.reply() : reply;
        }
        writer.reply();
        if (!cached.contains("|" + i + "|")) {
          // It is an older value, or none: the message must be on its way.
          assertEquals(invalidated("a"), reader.reply());
          cached = "";
        }
      }
    }
  }

  /** The read of a worker that waits, until it is told to go on. */
  private static final class HeldRead {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    /**
     * @param number of the read that is held, from 1
     */
    HeldRead(InMemoryEngine engine, int number) {
      AtomicInteger reads = new AtomicInteger();
      engine.beforeBlockingRead(
          key -> {
            if (reads.incrementAndGet() == number) {
              begun.countDown();
              await(goOn);
            }
          });
    }

    void awaitBegin() {
      await(begun);
    }

    void goOn() {
      goOn.countDown();
    }

    private static void await(CountDownLatch latch) {
      try {
        assertTrue(latch.await(20, TimeUnit.SECONDS), "it never came to that");
      } catch (InterruptedException stopped) {
        throw new AssertionError(stopped);
      }
    }
  }

  /** One that caches by broadcast, and listens. */
  private static RawClient broad(ServerFixture fixture, String key) throws IOException {
    RawClient broad = fixture.client();
    broad.send("HELLO 3|CLIENT TRACKING on BCAST PREFIX " + key + "|SUBSCRIBE to-" + key + "|");
    broad.replies(3);
    return broad;
  }

  private static void changeAndTell(RawClient writer, String key) throws IOException {
    // Of one pass, what is broadcast would come behind what was published.
    assertEquals("+OK|", writer.ask("SET " + key + " new"));
    assertEquals(":1|", writer.ask("PUBLISH to-" + key + " it"));
  }

  private static String told(String key) {
    return invalidated(key) + ">3|$7|message|$7|to-" + key + "|$2|it|";
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void whatWasReadFromTheDiskComesBeforeWhatTellsOfItsChange(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient writer = fixture.client();
      // One of each loop.
      for (int loop = 0; loop < Integer.parseInt(loops); loop++) {
        String key = "key" + loop;
        writer.ask("SET " + key + " old");
        RawClient reader = broad(fixture, key);
        fixture.engine.makeCold();
        HeldRead read = new HeldRead(fixture.engine, 1);
        reader.send("GET " + key + "|");
        read.awaitBegin();
        changeAndTell(writer, key);
        read.goOn();
        assertEquals("$3|old|" + told(key), reader.replies(3));
        assertEquals("$3|new|", reader.ask("GET " + key));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aLongReplyComesBeforeWhatTellsOfItsChange(String loops) throws IOException {
    int bytes = 5 << 20;
    try (ServerFixture fixture = server(loops)) {
      RawClient writer = fixture.client();
      for (int loop = 0; loop < Integer.parseInt(loops); loop++) {
        String key = "key" + loop;
        writer.send("*3|$3|SET|$4|" + key + "|$" + bytes + "|" + "x".repeat(bytes) + "|").reply();
        RawClient reader = broad(fixture, key);
        fixture.engine.makeCold();
        // The first finds that it is long.
        HeldRead read = new HeldRead(fixture.engine, 2);
        reader.send("GET " + key + "|");
        read.awaitBegin();
        changeAndTell(writer, key);
        read.goOn();
        assertEquals("$" + bytes, reader.firstLine());
        reader.skip(bytes + 2);
        assertEquals(told(key), reader.replies(2));
        assertEquals("$3|new|", reader.ask("GET " + key));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void broadcastRedirectAndChoice(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient writer = fixture.client();
      RawClient broad = fixture.client();
      broad.ask("HELLO 3");
      broad.ask("CLIENT TRACKING on BCAST PREFIX user: PREFIX item:");
      assertEquals(
          "-ERR Prefix 'user:1' overlaps with an existing prefix 'user:'. Prefixes for a single"
              + " client must not overlap.|",
          broad.ask("CLIENT TRACKING on BCAST PREFIX user:1"));
      RawClient listener = fixture.client();
      String id = listener.ask("CLIENT ID").replace(":", "").replace("|", "");
      listener.ask("SUBSCRIBE __redis__:invalidate");
      RawClient old = fixture.client();
      assertEquals("+OK|", old.ask("CLIENT TRACKING on REDIRECT " + id + " OPTIN"));
      old.send("GET user:1|CLIENT CACHING yes|GET other|").replies(3);
      writer.send("MSET user:1 a other b none c|").reply();
      assertEquals(invalidated("user:1"), broad.reply());
      assertEquals("*3|$7|message|$20|__redis__:invalidate|*1|$5|other|", listener.reply());
      assertEquals(":" + id + "|", old.ask("CLIENT GETREDIR"));
      assertTrue(old.ask("CLIENT CACHING no").startsWith("-ERR CLIENT CACHING NO is only valid"));
      assertTrue(old.ask("CLIENT TRACKING on BCAST").startsWith("-ERR You can't switch BCAST"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void whatAPipelineChangesIsBroadcastOnceBehindItsReplies(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient broad = fixture.client();
      broad.send("HELLO 3|CLIENT TRACKING on BCAST PREFIX k|").replies(2);
      broad.send("SET k2 1|SET k1 1|SET k2 2|SET other 1|PING|");
      assertEquals("+OK|+OK|+OK|+OK|+PONG|", broad.replies(5));
      assertEquals(">2|$10|invalidate|*2|$2|k1|$2|k2|", broad.reply());
      assertEquals("+PONG|", broad.ask("PING"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void theTableIsBounded(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient reader = fixture.client();
      reader.ask("CONFIG SET tracking-table-max-keys 2");
      reader.ask("HELLO 3");
      reader.send("CLIENT TRACKING on|GET a|GET b|GET c|").replies(4);
      assertEquals(invalidated("a"), reader.reply());
      assertTrue(reader.ask("INFO stats").contains("tracking_total_keys:2|"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void monitorsSeeCommandsAndNoSecrets(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient monitor = fixture.client();
      assertEquals("+OK|", monitor.ask("MONITOR"));
      RawClient client = fixture.client();
      client.send("SET a \"x\\n\\x01\"|AUTH secret|MULTI|GET a|EXEC|BLPOP none 0.01|").replies(6);
      assertShown(monitor, "\"SET\" \"a\" \"x\\n\\x01\"");
      assertShown(monitor, "\"AUTH\" \"(redacted)\"");
      assertShown(monitor, "\"MULTI\"");
      assertShown(monitor, "\"GET\" \"a\"");
      assertShown(monitor, "\"EXEC\"");
      assertShown(monitor, "\"BLPOP\" \"none\" \"0.01\"");
    }
  }

  private static void assertShown(RawClient monitor, String request) throws IOException {
    String line = monitor.reply();
    assertTrue(line.endsWith("] " + request + "|"), line);
  }
}
