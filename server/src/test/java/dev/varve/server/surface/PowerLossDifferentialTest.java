package dev.varve.server.surface;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.SoundDirectory;
import dev.varve.server.TestThreads;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.RespServer;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.SimulatedCrash;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * With {@code appendfsync always}, a server whose machine loses its power goes on with what
 * redis-server has after all that was answered, and after some of what was not: requests of every
 * command group from clients with databases of their own, transactions and scripts whole or not at
 * all, where reads and writes leave their threads. The disk is one in memory, which keeps of what
 * was not synced any part.
 *
 * <p>{@code -Dvarve.lives=200} for so many, {@code -Dvarve.seed=…} for the same clients again; who
 * comes first, and where it ends, is each run's own.
 */
@Timeout(value = 3_000, unit = TimeUnit.SECONDS)
class PowerLossDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int LIVES = Integer.getInteger("varve.lives", 20);
  private static final int CLIENTS = 7;
  private static final int LOAD_MILLIS_MAX = 600;
  private static final int CALL_BITS_MAX = 12;

  @TempDir private Path path;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final List<CutClient> clients = new ArrayList<>();
  private int answered;

  @Test
  void whatIsThereAfterPowerLossIsWhatRedisHas() throws Exception {
    System.out.printf("PowerLossDifferentialTest -Dvarve.seed=%d -Dvarve.lives=%d%n", SEED, LIVES);
    CrashableStorageDirectory directory = new CrashableStorageDirectory();
    try (RedisOracle redis = RedisOracle.start(path)) {
      clients.addAll(CutClient.several(CLIENTS, redis.port(), random));
      for (int i = 0; i < LIVES; i++) {
        try (WireClient its = new WireClient("redis", redis.port())) {
          directory = live(directory, its);
        }
        SoundDirectory.assertSound(directory);
      }
    }
    System.out.println(answered + " requests were answered of those that were under way");
    assertTrue(answered > LIVES, "hardly any request was answered");
  }

  /** Returns what is found when there is power again. */
  private CrashableStorageDirectory live(CrashableStorageDirectory directory, WireClient its)
      throws Exception {
    Settings settings = SurfaceDifferentialTest.settings(random);
    settings.set(Parameters.APPENDFSYNC, "always");
    FailingStorageDirectory disk = new FailingStorageDirectory(directory);
    RespServer varve =
        SurfaceDifferentialTest.varve(disk, SurfaceDifferentialTest.ON_DISK_BYTES, settings);
    PowerLoss loss = new PowerLoss(directory);
    TestThreads threads = new TestThreads();
    try {
      CutClient.settle(clients, its, varve.port());
      OtherClients.leave(varve.keyspace(), random);
      if (random.nextBoolean()) {
        AtomicInteger left = new AtomicInteger(random.nextInt(1 << random.nextInt(CALL_BITS_MAX)));
        disk.failMatching(
            call -> {
              if (FailingDisk.CHANGES.contains(call.kind()) && left.getAndDecrement() == 0) {
                loss.happens();
              }
              return false;
            },
            1,
            new IOException("none fails"));
      }
      for (CutClient client : clients) {
        threads.start(() -> client.work(varve.port()));
      }
      Thread.sleep(random.nextInt(LOAD_MILLIS_MAX));
      loss.happens();
    } finally {
      end(varve);
      threads.join();
    }
    for (CutClient client : clients) {
      client.backToStop();
      client.carryOutAnswered();
      answered += client.answered();
    }
    return loss.found();
  }

  /** Happens once. What clients are told from then on they are told by nobody. */
  private final class PowerLoss {
    private final CrashableStorageDirectory directory;
    private final Random chance = new Random(random.nextLong());
    private @Nullable CrashableStorageDirectory found;

    PowerLoss(CrashableStorageDirectory directory) {
      this.directory = directory;
    }

    synchronized void happens() {
      if (found == null) {
        clients.forEach(CutClient::stop);
        found = directory.crash(chance, chance.nextInt(3) / 2.0);
      }
    }

    synchronized CrashableStorageDirectory found() {
      return requireNonNull(found);
    }
  }

  private static void end(RespServer varve) {
    try {
      varve.stop();
    } catch (IOException | SimulatedCrash gone) {
      // Its machine is down.
    }
  }
}
