package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a key that is read after it expired, over sockets. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ReadExpiredKeyTest {

  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void aKeyThatIsReadAfterItExpiredIsDeletedAtOnceUnlessClientsArePaused(String loops)
      throws IOException {
    try (ServerFixture fixture =
        new ServerFixture("io-threads", loops, "enable-debug-command", "yes")) {
      RawClient other = fixture.client();
      RawClient client = fixture.client();
      // Or the sweep deletes them, and what the read does is not seen.
      assertEquals("+OK|", client.ask("DEBUG SET-ACTIVE-EXPIRE 0"));
      assertEquals("+OK|", client.ask("SET a 1 PX 1000"));
      assertEquals("+OK|", client.ask("SET b 1 PX 1000"));
      assertEquals("+OK|", other.ask("CLIENT PAUSE 1000000 WRITE"));
      fixture.aheadMillis.set(2000);
      assertEquals("$-1|", client.ask("GET a"));
      assertEquals(":2|", client.ask("DBSIZE"));
      assertTrue(client.ask("INFO stats").contains("expired_keys:0"));
      assertEquals("+OK|", other.ask("CLIENT UNPAUSE"));
      assertEquals("*2|$-1|$-1|", client.ask("MGET a b"));
      assertTrue(client.ask("INFO stats").contains("expired_keys:2"));
      assertEquals(":0|", client.ask("DBSIZE"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PERSIST a, GET a",
    "PEXPIRE a 1000000, GET a",
    "GETEX a PX 1000000, GETRANGE a 0 -1",
    "HPERSIST h FIELDS 1 f, HGET h f",
    "HPEXPIRE h 1000000 FIELDS 1 f, HGET h f"
  })
  void whatWasKeptInTimeIsNotSeenToExpire(String keeps, String reads) throws Exception {
    int loops = 3;
    try (ServerFixture fixture =
        new ServerFixture("io-threads", Integer.toString(loops), "appendfsync", "always")) {
      RawClient writer = fixture.client();
      assertEquals("+OK|", writer.ask("SET a 1 PX 60000"));
      assertEquals(":1|", writer.ask("HSET h f 1"));
      assertEquals("*1|:1|", writer.ask("HPEXPIRE h 60000 FIELDS 1 f"));
      List<RawClient> readers = new ArrayList<>();
      for (int loop = 0; loop < loops; loop++) {
        readers.add(fixture.client());
      }
      CountDownLatch syncing = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      fixture.engine.beforeSync(
          () -> {
            syncing.countDown();
            await(goOn);
          });
      writer.send(keeps + "|");
      await(syncing);
      fixture.aheadMillis.set(100_000);
      for (RawClient reader : readers) {
        reader.send(reads + "|");
      }
      LoopsRead.await(fixture, loops);
      goOn.countDown();
      for (RawClient reader : readers) {
        assertEquals("$1|1|", reader.reply());
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS), "it never came to that");
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }
}
