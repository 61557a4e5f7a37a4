package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replies to very many clients that read none of them: more than there is heap for. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class UnreadRepliesProcessTest {
  private static final int BIG_BYTES = 1 << 20;
  private static final int DEAF_CLIENTS = 200;
  private static final long WAIT_SECONDS_MAX = 60;

  private static final int LONG_BYTES = 100_000;
  private static final int LONG_ASKERS = 100;
  private static final int LONG_REPLIES = 50;

  private static final MemoryBudget BUDGET = new MemoryBudget(64, 32);

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void whoLeavesMostUnreadIsClosedBeforeTheHeapIsFull(String loops)
      throws IOException, InterruptedException {
    try (ServerProcess server =
            ServerProcess.startWithin(BUDGET, directory, "--io-threads", loops);
        RawClient other = server.client()) {
      assertEquals(":" + BIG_BYTES + "|", other.ask("setrange big " + (BIG_BYTES - 1) + " b"));
      ProcessStatus status = ProcessStatus.of(server);
      SteadyClient steady = SteadyClient.start(server, DEAF_CLIENTS + " deaf clients");
      List<RawClient> deaf = new ArrayList<>();
      try {
        for (int i = 0; i < DEAF_CLIENTS; i++) {
          deaf.add(server.client().send("get big|".repeat(10)));
        }
        steady.awaitAnswers();
        Await.until(() -> closed(other) > 0, WAIT_SECONDS_MAX, () -> "nobody is closed");
        assertFalse(other.ask("info stats").contains("|evicted_clients:0|"), "nobody was counted");
        // Who reads is served whole meanwhile, and not taken for one of them.
        other.send("get big|");
        other.skip(("$" + BIG_BYTES + "\r\n\r\n").length() + BIG_BYTES);
        BUDGET.assertKept(other, status, DEAF_CLIENTS + " deaf clients");
        steady.close();
      } finally {
        for (RawClient client : deaf) {
          client.close();
        }
      }
      Await.until(
          () -> other.ask("info clients").contains("connected_clients:1|"),
          WAIT_SECONDS_MAX,
          () -> "they stay");
      assertEquals("+PONG|", other.ask("ping"));
      server.stop();
    }
  }

  /** Each is given a little at a time, the less the more there are. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void whoAsksForMuchBesideManyIsGivenSoMuchAtATimeAsThereIsRoomFor(String loops)
      throws IOException, InterruptedException {
    try (ServerProcess server =
            ServerProcess.startWithin(BUDGET, directory, "--io-threads", loops);
        RawClient other = server.client()) {
      other.ask("setrange big " + (LONG_BYTES - 1) + " b");
      List<RawClient> askers = new ArrayList<>();
      for (int i = 0; i < LONG_ASKERS; i++) {
        askers.add(server.client().send("get big|".repeat(LONG_REPLIES)));
      }
      QuietGets.await(other);
      for (RawClient asker : askers) {
        asker.skip((long) LONG_REPLIES * (("$" + LONG_BYTES + "\r\n\r\n").length() + LONG_BYTES));
        asker.close();
      }
      assertTrue(other.ask("info stats").contains("|evicted_clients:0|"), "some were closed");
      assertEquals("", server.stop().err());
    }
  }

  /** How many of the deaf clients are gone. */
  private static long closed(RawClient client) throws IOException {
    String info = client.ask("info clients").replaceFirst("(?s).*connected_clients:", "");
    // It and the steady one are there as well.
    return DEAF_CLIENTS + 2 - Long.parseLong(info.substring(0, info.indexOf('|')));
  }
}
