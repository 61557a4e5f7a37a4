package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who has ended another client, or paused all, sees nothing of them appear from then on. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FencedClientsTest {
  private static final int LOOPS = 3;

  @ParameterizedTest
  @ValueSource(strings = {"CLIENT KILL ID %s", "CLIENT PAUSE 50 WRITE"})
  void whatTheyHaveWrittenIsSeenByThen(String request) throws Exception {
    try (ServerFixture fixture =
        new ServerFixture("io-threads", Integer.toString(LOOPS), "appendfsync", "always")) {
      // With eight clients each time, of one loop after the other.
      for (int loop = 0; loop < LOOPS; loop++) {
        RawClient fence = fixture.client();
        RawClient writer = fixture.client();
        String id = writer.ask("CLIENT ID").replace(":", "").replace("|", "");
        CountDownLatch syncing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        fixture.engine.beforeSync(
            () -> {
              syncing.countDown();
              await(goOn);
            });
        writer.send("SET key" + loop + " written|");
        await(syncing);
        fence.send(request.formatted(id) + "|GET key" + loop + "|");
        LoopsRead.await(fixture, LOOPS);
        goOn.countDown();
        String reply = fence.reply();
        assertEquals(request.contains("KILL") ? ":1|" : "+OK|", reply);
        assertEquals("$7|written|", fence.reply());
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(20, TimeUnit.SECONDS)) {
        throw new AssertionError("it never came to that");
      }
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }
}
