package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.history.Linearizability;
import dev.varve.server.history.Operation;
import dev.varve.server.history.PlantedLoss;
import dev.varve.server.history.RandomOperations;
import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Several clients on the same few keys of a server that is killed again and again: what they see is
 * what one server would have shown that did one thing after the other, and never forgot what it had
 * acknowledged.
 *
 * <p>{@code -Dvarve.histories=…} makes more histories, {@code -Dvarve.history.operations=…} longer
 * ones.
 */
@Timeout(value = 3_000, unit = TimeUnit.SECONDS)
class LinearizabilityProcessTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int HISTORIES = Integer.getInteger("varve.histories", 10);
  private static final int OPERATIONS = Integer.getInteger("varve.history.operations", 10_000);
  private static final int CLIENTS = 8;
  private static final int KEYS = 6;
  private static final int AT_A_TIME_MAX = 3;
  private static final int KILLS = 2;
  private static final int OPERATIONS_OF_A_LIAR = 3_000;
  private static final int WAIT_SECONDS_MAX = 120;
  private static final long LOOK_NANOS = 200_000;

  @TempDir Path directory;

  @Test
  void whatClientsSeeThroughKillsIsLinearizable() throws IOException, InterruptedException {
    System.out.println("LinearizabilityProcessTest: -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    // It fills memtables, so that keys are flushed, merged and read from tables meanwhile.
    LoadClient noise = new LoadClient(LoadSequences.overwrites(), 8);
    long lost = 0;
    ServerProcess server = start(0);
    try {
      for (int round = 0; round < HISTORIES; round++) {
        List<HistoryClient> clients = clients("h" + round + ":", random);
        AtomicInteger left = new AtomicInteger(OPERATIONS);
        for (int kill = 0; kill <= KILLS; kill++) {
          for (HistoryClient client : clients) {
            client.start(server.client(), left);
          }
          if (kill < KILLS) {
            noise.start(server.client());
            // Somewhere in this part of the history.
            int share = OPERATIONS / (KILLS + 1);
            awaitAtMost(left, OPERATIONS - kill * share - 1 - random.nextInt(share));
            assertEquals("", server.kill().err());
            long dead = System.nanoTime();
            for (HistoryClient client : clients) {
              client.join();
              client.settledBy(dead);
            }
            noise.join();
            server = start(round);
            try (RawClient client = server.client()) {
              noise.check(client);
            }
          }
        }
        List<Operation> history = new ArrayList<>();
        for (HistoryClient client : clients) {
          client.join();
        }
        try (RawClient client = server.client()) {
          clients.get(0).lookAtAll(client);
        }
        clients.forEach(client -> history.addAll(client.history()));
        String violation = Linearizability.violation(history);
        assertEquals("", violation, () -> "seed " + SEED + ", " + violation);
        assertTrue(history.size() >= OPERATIONS, "only " + history.size());
        lost += history.stream().filter(Operation::isLost).count();
        // The net holds: one write that is forgotten is found.
        assertNotEquals("", Linearizability.violation(PlantedLoss.in(history, random)));
      }
      server.stop();
    } finally {
      server.close();
    }
    System.out.println(
        HISTORIES + " histories of " + OPERATIONS + " operations, " + lost + " replies lost");
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatLiesIsFound(LyingProxy.Lie lie) throws IOException, InterruptedException {
    System.out.println("LinearizabilityProcessTest " + lie + ": -Dvarve.seed=" + SEED);
    try (ServerProcess server = start(0);
        LyingProxy proxy = new LyingProxy(server, lie)) {
      List<HistoryClient> clients = clients("lie:", new SplittableRandom(SEED));
      AtomicInteger left = new AtomicInteger(OPERATIONS_OF_A_LIAR);
      for (HistoryClient client : clients) {
        client.start(proxy.client(), left);
      }
      List<Operation> history = new ArrayList<>();
      for (HistoryClient client : clients) {
        client.join();
        history.addAll(client.history());
      }
      assertTrue(history.size() >= OPERATIONS_OF_A_LIAR, "only " + history.size());
      String violation = Linearizability.violation(history);
      boolean lies = lie != LyingProxy.Lie.NONE;
      assertEquals(lies, proxy.lies() > 0);
      assertEquals(lies, !violation.isEmpty(), () -> "seed " + SEED + ", " + violation);
      server.stop();
    }
  }

  private static List<HistoryClient> clients(String keyPrefix, SplittableRandom random) {
    RandomOperations operations = new RandomOperations();
    List<HistoryClient> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      int atATime = 1 + random.nextInt(AT_A_TIME_MAX);
      clients.add(new HistoryClient(keyPrefix, KEYS, atATime, operations, random.split()));
    }
    return clients;
  }

  private static void awaitAtMost(AtomicInteger left, int wanted) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS_MAX);
    while (left.get() > wanted) {
      assertTrue(System.nanoTime() < deadline, () -> "stuck with " + left + " to do");
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private ServerProcess start(int round) throws IOException, InterruptedException {
    // Every other round has readers on other loops, which look at what is published only.
    String loops = round % 2 == 0 ? "2" : "1";
    return ServerProcess.start(
        directory, "--appendfsync", "always", "--io-threads", loops, "--maxmemory", "16mb");
  }
}
