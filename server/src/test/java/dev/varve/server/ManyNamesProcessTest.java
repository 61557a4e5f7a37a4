package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that name more than there is heap for: what is kept of that is bounded for all of them.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ManyNamesProcessTest {
  private static final MemoryBudget BUDGET = new MemoryBudget(64, 32);
  private static final int CLIENTS = 40;
  private static final int KEYS = 10_000;
  private static final int PREFIXES = 200;
  private static final int PREFIX_BYTES = 1_000_000;

  @TempDir Path directory;

  @Test
  void whoWaitsForMoreKeysThanHaveRoomIsRefusedAndOthersWait()
      throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient other = server.client()) {
      List<RawClient> waiting = new ArrayList<>();
      String refusal = "";
      for (int i = 0; i < CLIENTS && refusal.isEmpty(); i++) {
        RawClient client = server.client();
        client.send(waitFor(i, "0"));
        int expected = i + 1;
        Await.until(
            () ->
                client.hasReply()
                    || other.ask("info clients").contains("blocked_clients:" + expected + "|"),
            60,
            () -> "neither waiting nor refused");
        if (client.hasReply()) {
          refusal = client.reply();
          client.close();
        } else {
          waiting.add(client);
        }
      }
      assertEquals("-ERR clients wait for more than an eighth of the heap has room for|", refusal);
      assertTrue(waiting.size() > 1);
      other.ask("rpush k0_77 v");
      assertEquals("*2|$5|k0_77|$1|v|", waiting.remove(0).reply());
      for (RawClient client : waiting) {
        client.close();
      }
      Await.until(
          () -> other.ask("info clients").contains("blocked_clients:0|"), 60, () -> "they stay");
      // The room is free again.
      assertEquals("*-1|", other.send(waitFor(0, "0.01")).reply());
      assertEquals("", server.stop().err());
    }
  }

  private static String waitFor(int client, String seconds) {
    StringBuilder request = new StringBuilder("*" + (KEYS + 2) + "|$5|BLPOP|");
    for (int i = 0; i < KEYS; i++) {
      String key = "k" + client + "_" + i;
      request.append("$").append(key.length()).append("|").append(key).append("|");
    }
    return request + "$" + seconds.length() + "|" + seconds + "|";
  }

  @Test
  void prefixesThatHaveNoRoomAreRefused() throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.startWithin(BUDGET, directory);
        RawClient client = server.client();
        RawClient other = server.client()) {
      String reply = "+OK|";
      int count = 0;
      while (reply.equals("+OK|") && count < PREFIXES) {
        reply = track(client, count++);
      }
      assertEquals(
          "-ERR clients watch and listen to more than an eighth of the heap has room for|", reply);
      client.ask("client tracking off");
      assertEquals("+OK|", track(other, 0));
      assertEquals("", server.stop().err());
    }
  }

  private static String track(RawClient client, int number) throws IOException {
    String prefix = String.format("%06d", number) + "x".repeat(PREFIX_BYTES - 6);
    return client
        .send("*6|$6|CLIENT|$8|TRACKING|$2|ON|$5|BCAST|$6|PREFIX|$" + PREFIX_BYTES + "|")
        .send(prefix + "|")
        .reply();
  }
}
