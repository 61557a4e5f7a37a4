package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.HistoryClient;
import dev.varve.server.SoundDirectory;
import dev.varve.server.history.Linearizability;
import dev.varve.server.history.Operation;
import dev.varve.server.history.PlantedLoss;
import dev.varve.server.history.RandomOperations;
import dev.varve.server.net.RawClient;
import dev.varve.server.net.RespServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What several clients see of the same few keys is what a server would have shown that did one
 * thing after the other, wherever reads and writes are done: on one loop or several, or elsewhere,
 * while others keep the server busy.
 *
 * <p>{@code -Dvarve.histories=100} for so many, {@code -Dvarve.seed=…} for the same requests again;
 * who of the clients comes first is each run's own.
 */
class HistoriesTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int HISTORIES = Integer.getInteger("varve.histories", 4);
  private static final int OPERATIONS = 6_000;
  private static final int CLIENTS = 6;
  private static final int KEYS = 6;
  private static final int AT_A_TIME_MAX = 3;

  @TempDir private Path path;

  @Test
  void whatClientsSeeIsLinearizable() throws Exception {
    System.out.printf("HistoriesTest -Dvarve.seed=%d -Dvarve.histories=%d%n", SEED, HISTORIES);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < HISTORIES; i++) {
      round(path.resolve("varve" + i), random.split());
    }
  }

  private static void round(Path directory, SplittableRandom random) throws Exception {
    RespServer varve =
        SurfaceDifferentialTest.varve(
            directory,
            SurfaceDifferentialTest.memoryBytes(random),
            SurfaceDifferentialTest.settings(random));
    OtherClients others = new OtherClients(varve);
    others.begin(random.split());
    try {
      RandomOperations operations = new RandomOperations();
      AtomicInteger left = new AtomicInteger(OPERATIONS);
      List<HistoryClient> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int atATime = 1 + random.nextInt(AT_A_TIME_MAX);
        HistoryClient client = new HistoryClient("key", KEYS, atATime, operations, random.split());
        clients.add(client);
        client.start(new RawClient(varve.port()), left);
      }
      List<Operation> history = new ArrayList<>();
      for (HistoryClient client : clients) {
        client.join();
      }
      try (RawClient client = new RawClient(varve.port())) {
        clients.get(0).lookAtAll(client);
      }
      clients.forEach(client -> history.addAll(client.history()));
      assertTrue(history.size() >= OPERATIONS, "only " + history.size());
      String violation = Linearizability.violation(history);
      assertEquals("", violation, () -> "seed " + SEED + ", " + violation);
      // The net holds: one write that is forgotten is found.
      assertNotEquals("", Linearizability.violation(PlantedLoss.in(history, random)));
    } finally {
      others.end();
      varve.stop();
    }
    SoundDirectory.assertSound(directory);
  }
}
