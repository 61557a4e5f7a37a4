package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import dev.varve.server.HistoryClient;
import dev.varve.server.SoundDirectory;
import dev.varve.server.history.Linearizability;
import dev.varve.server.history.Operation;
import dev.varve.server.history.PlantedLoss;
import dev.varve.server.history.RandomOperations;
import dev.varve.server.net.RawClient;
import dev.varve.server.net.RespServer;
import java.io.IOException;
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
  private static final int FAILURES = 10;
  private static final long SECONDS_MAX = 60;

  @TempDir private Path path;

  private interface Round {
    void run(Path directory, SplittableRandom random) throws Exception;
  }

  private void rounds(Round round) throws Exception {
    System.out.printf("HistoriesTest -Dvarve.seed=%d -Dvarve.histories=%d%n", SEED, HISTORIES);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < HISTORIES; i++) {
      Path directory = path.resolve("varve" + i);
      round.run(directory, random.split());
      SoundDirectory.assertSound(directory);
    }
  }

  @Test
  void whatClientsSeeIsLinearizable() throws Exception {
    rounds(HistoriesTest::round);
  }

  @Test
  void itIsWhereTheDiskFails() throws Exception {
    rounds(HistoriesTest::roundOnFailingDisk);
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
      List<HistoryClient> clients = clients(random);
      AtomicInteger left = new AtomicInteger(OPERATIONS);
      for (HistoryClient client : clients) {
        client.start(new RawClient(varve.port()), left);
      }
      for (HistoryClient client : clients) {
        client.join();
      }
      assertLinearizable(varve, clients, OPERATIONS, random);
    } finally {
      others.end();
      varve.stop();
    }
  }

  private static void roundOnFailingDisk(Path directory, SplittableRandom random) throws Exception {
    FailingDisk disk = new FailingDisk(directory, FailingDisk.CHANGES, random.split());
    RespServer varve =
        SurfaceDifferentialTest.varve(
            disk.directory(),
            SurfaceDifferentialTest.memoryBytes(random),
            SurfaceDifferentialTest.settings(random));
    try {
      List<HistoryClient> clients = clients(random);
      for (int i = 0; i < FAILURES; i++) {
        OtherClients.leave(varve.keyspace(), random);
        AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
        for (HistoryClient client : clients) {
          client.start(new RawClient(varve.port()), left);
        }
        disk.ailForAWhile();
        left.set(OPERATIONS / FAILURES);
        for (HistoryClient client : clients) {
          client.join();
        }
        awaitWritten(varve.port());
        long nanos = System.nanoTime();
        clients.forEach(client -> client.settledBy(nanos));
      }
      // Whom it refuses something stops.
      assertLinearizable(varve, clients, OPERATIONS / FAILURES, random);
    } finally {
      varve.stop();
    }
  }

  /** Waits until the disk is written to again: what was in doubt is done then, or never. */
  private static void awaitWritten(int port) throws IOException {
    Await.until(
        () -> {
          try (RawClient client = new RawClient(port)) {
            return client.ask("SET other 1").equals("+OK|");
          }
        },
        SECONDS_MAX,
        () -> "writes are taken");
  }

  private static List<HistoryClient> clients(SplittableRandom random) {
    RandomOperations operations = new RandomOperations();
    List<HistoryClient> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      int atATime = 1 + random.nextInt(AT_A_TIME_MAX);
      clients.add(new HistoryClient("key", KEYS, atATime, operations, random.split()));
    }
    return clients;
  }

  private static void assertLinearizable(
      RespServer varve, List<HistoryClient> clients, int operations, SplittableRandom random)
      throws Exception {
    try (RawClient client = new RawClient(varve.port())) {
      clients.get(0).lookAtAll(client);
    }
    List<Operation> history = new ArrayList<>();
    clients.forEach(client -> history.addAll(client.history()));
    assertTrue(history.size() >= operations, "only " + history.size());
    String violation = Linearizability.violation(history);
    assertEquals("", violation, () -> "seed " + SEED + ", " + violation);
    // The net holds: one write that is forgotten is found.
    assertNotEquals("", Linearizability.violation(PlantedLoss.in(history, random)));
  }
}
