package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.server.SoundDirectory;
import dev.varve.server.TestThreads;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.RespServer;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.RealStorageDirectory;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that stops in the midst of what clients ask for answers what it has carried out, or goes
 * on with it all the same: requests of every command group from clients with databases of their
 * own, transactions and scripts whole or not at all, where reads and writes leave their threads.
 *
 * <p>{@code -Dvarve.lives=200} for so many, {@code -Dvarve.seed=…} for the same clients again; who
 * comes first, and where it ends, is each run's own.
 */
@Timeout(value = 3_000, unit = TimeUnit.SECONDS)
class StoppedServerDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int LIVES = Integer.getInteger("varve.lives", 12);
  private static final int CLIENTS = 7;
  private static final int LOAD_MILLIS_MAX = 600;

  @TempDir private Path path;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final List<CutClient> clients = new ArrayList<>();

  @Test
  void whatIsThereAfterAStopIsWhatRedisHas() throws Exception {
    System.out.printf(
        "StoppedServerDifferentialTest -Dvarve.seed=%d -Dvarve.lives=%d%n", SEED, LIVES);
    try (RedisOracle redis = RedisOracle.start(path)) {
      clients.addAll(CutClient.several(CLIENTS, redis.port(), random));
      for (int i = 0; i < LIVES; i++) {
        try (WireClient its = new WireClient("redis", redis.port())) {
          live(its);
        }
        SoundDirectory.assertSound(directory());
      }
    }
  }

  @Test
  void whereASyncHasFailedAMomentAgoAllIsWrittenFirst() throws Exception {
    FailingStorageDirectory disk =
        new FailingStorageDirectory(RealStorageDirectory.open(directory()));
    Settings settings = new Settings();
    settings.set(Parameters.APPENDFSYNC, "always");
    RespServer varve =
        SurfaceDifferentialTest.varve(disk, SurfaceDifferentialTest.IN_MEMORY_BYTES, settings);
    try (WireClient client = new WireClient("varve", varve.port())) {
      assertEquals("+OK\r\n", Copies.ask(client, "SET", "before", "1"));
      disk.failCall(Kind.SYNC_FILE, 1, new IOException("a disk that fails"));
      assertThrows(EOFException.class, () -> Copies.ask(client, "SET", "doubtful", "1"));
    } finally {
      // It says so where it does not stop cleanly.
      varve.stop();
    }
    SoundDirectory.assertSound(directory());
  }

  private Path directory() {
    return path.resolve("varve");
  }

  private void live(WireClient its) throws Exception {
    RespServer varve =
        SurfaceDifferentialTest.varve(
            directory(),
            SurfaceDifferentialTest.memoryBytes(random),
            SurfaceDifferentialTest.settings(random));
    TestThreads threads = new TestThreads();
    try {
      CutClient.settle(clients, its, varve.port());
      OtherClients.leave(varve.keyspace(), random);
      for (CutClient client : clients) {
        threads.start(() -> client.work(varve.port()));
      }
      Thread.sleep(random.nextInt(LOAD_MILLIS_MAX));
    } finally {
      varve.stop();
      threads.join();
    }
    clients.forEach(CutClient::carryOutAnswered);
  }
}
