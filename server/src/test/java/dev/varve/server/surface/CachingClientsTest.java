package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import dev.varve.server.SoundDirectory;
import dev.varve.server.TestThreads;
import dev.varve.server.config.Settings;
import dev.varve.server.net.RespServer;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a client keeps of what it has read is what it would read again, unless it has been told
 * otherwise: random reads of clients that cache, beside random writes of others.
 *
 * <p>{@code -Dvarve.caching.rounds=100} for so many servers, {@code -Dvarve.seed=…} for the same
 * clients again; who of them comes first is each run's own.
 */
class CachingClientsTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("varve.caching.rounds", 3);
  private static final int LOOKS_PER_ROUND = 12;
  private static final int WRITES_PER_LOOK = 200;
  private static final int WRITERS = 3;
  private static final int CACHES = 3;
  private static final long SECONDS_MAX = 10;

  @TempDir private Path path;

  @Test
  void whatTheyKeepIsWhatTheyWouldRead() throws Exception {
    rounds((directory, random) -> round(directory, random));
  }

  @Test
  void itIsThoughTheDiskFails() throws Exception {
    rounds(CachingClientsTest::roundOnFailingDisk);
  }

  private interface Round {
    void run(Path directory, SplittableRandom random) throws Exception;
  }

  private void rounds(Round round) throws Exception {
    System.out.printf(
        "CachingClientsTest -Dvarve.seed=%d -Dvarve.caching.rounds=%d%n", SEED, ROUNDS);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < ROUNDS; i++) {
      Path directory = path.resolve("varve" + i);
      round.run(directory, random.split());
      SoundDirectory.assertSound(directory);
    }
  }

  private static void roundOnFailingDisk(Path directory, SplittableRandom random) throws Exception {
    FailingDisk disk = new FailingDisk(directory, FailingDisk.ALL, random.split());
    RespServer varve =
        SurfaceDifferentialTest.varve(
            disk.directory(),
            SurfaceDifferentialTest.memoryBytes(random),
            SurfaceDifferentialTest.settings(random));
    List<CachingClient> caches = new ArrayList<>();
    try {
      int looked = 0;
      for (int i = 0; i < CACHES; i++) {
        caches.add(new CachingClient(varve.port(), random.split(), true));
      }
      for (int i = 0; i < LOOKS_PER_ROUND; i++) {
        OtherClients.leave(varve.keyspace(), random);
        TestThreads failures = new TestThreads();
        failures.start(
            () -> {
              while (!failures.isOver()) {
                disk.ailForAWhile();
              }
            });
        work(varve.port(), caches, random);
        failures.over();
        failures.join();
        try (WireClient plain = new WireClient("varve", varve.port())) {
          Copies.ask(plain, "HELLO", "3");
          Await.untilNone(() -> FailingDisk.failure(plain), SECONDS_MAX);
          for (CachingClient cache : caches) {
            looked += look(cache, plain);
          }
        }
      }
      assertTrue(looked > LOOKS_PER_ROUND * CACHES, "they kept " + looked);
    } finally {
      for (CachingClient cache : caches) {
        cache.close();
      }
      varve.stop();
    }
  }

  private static int look(CachingClient cache, WireClient plain) throws IOException {
    try {
      return cache.look(plain);
    } catch (EOFException | SocketException closed) {
      // What it was told, or asked for last, could not be written.
      cache.comeBack();
      return 0;
    }
  }

  private static void round(Path directory, SplittableRandom random) throws Exception {
    Settings settings = SurfaceDifferentialTest.settings(random);
    int memoryBytes = SurfaceDifferentialTest.memoryBytes(random);
    RespServer varve = SurfaceDifferentialTest.varve(directory, memoryBytes, settings);
    Path copyDirectory = directory.resolveSibling(directory.getFileName() + "-copy");
    RespServer copy =
        SurfaceDifferentialTest.varve(
            copyDirectory, memoryBytes, SurfaceDifferentialTest.settings(random));
    List<CachingClient> caches = new ArrayList<>();
    try (WireClient master = new WireClient("varve", varve.port());
        WireClient follower = new WireClient("copy", copy.port())) {
      Copies.ask(follower, "REPLICAOF", "127.0.0.1", Integer.toString(varve.port()));
      int looked = 0;
      Copies.ask(master, "HELLO", "3");
      Copies.ask(follower, "HELLO", "3");
      for (int i = 0; i < CACHES; i++) {
        caches.add(new CachingClient(varve.port(), random.split(), true));
      }
      caches.add(new CachingClient(copy.port(), random.split(), false));
      for (int i = 0; i < LOOKS_PER_ROUND; i++) {
        OtherClients.leave(varve.keyspace(), random);
        OtherClients.leave(copy.keyspace(), random);
        work(varve.port(), caches, random);
        Copies.awaitOffset(master, follower);
        for (CachingClient cache : caches) {
          looked += cache.look(cache == caches.get(CACHES) ? follower : master);
        }
      }
      assertTrue(looked > LOOKS_PER_ROUND * CACHES, "they kept " + looked);
    } finally {
      for (CachingClient cache : caches) {
        cache.close();
      }
      varve.stop();
      copy.stop();
    }
    SoundDirectory.assertSound(copyDirectory);
  }

  /** Has writers write and caches read until those are done. */
  private static void work(int port, List<CachingClient> caches, SplittableRandom random)
      throws InterruptedException {
    TestThreads writers = new TestThreads();
    for (int i = 0; i < WRITERS; i++) {
      SplittableRandom its = random.split();
      writers.start(
          () -> {
            try {
              write(port, its);
            } catch (EOFException | SocketException closed) {
              // It was to be told of what could not be written.
            }
          });
    }
    TestThreads readers = new TestThreads();
    for (CachingClient cache : caches) {
      readers.start(
          () -> {
            while (!readers.isOver()) {
              try {
                cache.work();
              } catch (EOFException | SocketException closed) {
                cache.comeBack();
              }
            }
          });
    }
    try {
      writers.join();
    } finally {
      readers.over();
      readers.join();
    }
  }

  private static void write(int port, SplittableRandom random) throws IOException {
    try (WireClient client = new WireClient("varve", port)) {
      Words words = new Words(random, false);
      for (int i = 0; i < WRITES_PER_LOOK; i += 20) {
        Copies.round(client, random, 20);
        Copies.ask(client, "SELECT", "0");
        Copies.ask(client, "PEXPIRE", words.next("key"), Integer.toString(random.nextInt(1, 60)));
        Copies.ask(
            client,
            "HPEXPIRE",
            words.next("h"),
            Integer.toString(random.nextInt(1, 60)),
            "FIELDS",
            "1",
            words.next("member"));
        if (random.nextInt(10) == 0) {
          Copies.ask(client, "SWAPDB", "0", "1");
        }
      }
    }
  }
}
