package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.ServerProcess;
import dev.varve.server.SoundDirectory;
import dev.varve.server.TestThreads;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.surface.DoomedServer.Doom;
import java.io.EOFException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server whose disk fails now and then, and which is killed then, or ends in any call that
 * changes its files, goes on with what redis-server has after all that was answered and was not
 * refused; of what was not answered all is done or nothing, and stays so.
 *
 * <p>{@code -Dvarve.lives=200} for so many, {@code -Dvarve.seed=…} for the same clients again; who
 * comes first, and where it ends, is each run's own.
 */
@Timeout(value = 3_000, unit = TimeUnit.SECONDS)
class KilledOnFailingDiskTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int LIVES = Integer.getInteger("varve.lives", 6);
  private static final int CLIENTS = 7;
  private static final int LOAD_MILLIS_MAX = 1_500;

  @TempDir private Path path;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private List<DoubtingClient> clients = new ArrayList<>();
  private boolean isSettled = true;
  private int served;
  private int refused;
  private int unanswered;

  @Test
  void whatIsThereAfterAKillIsWhatRedisHas() throws Exception {
    System.out.printf("KilledOnFailingDiskTest -Dvarve.seed=%d -Dvarve.lives=%d%n", SEED, LIVES);
    Path directory = path.resolve("varve");
    try (RedisOracle redis = RedisOracle.start(path)) {
      while (served < LIVES) {
        live(redis.port(), directory);
        if (served > 0) {
          SoundDirectory.assertSound(directory);
        }
      }
    } finally {
      for (DoubtingClient client : clients) {
        client.close();
      }
    }
    System.out.printf("%d refused, %d not answered%n", refused, unanswered);
    assertTrue(refused > 0 && unanswered > 0, "nothing was refused, or unanswered");
  }

  private void live(int redisPort, Path directory) throws Exception {
    // What expires does so by the time at which redis is told.
    Set<Doom> dooms = isSettled ? Set.of(Doom.DISK_FAILS, Doom.MAY_END) : Set.of(Doom.DISK_FAILS);
    try (ServerProcess server =
        DoomedServer.begin(directory, path.resolve("backups"), random.nextLong(), dooms)) {
      TestThreads threads = new TestThreads();
      boolean isThere = server.becomesReady() && settle(redisPort, server.port()) && serve(threads);
      ServerProcess.End end = isThere ? server.kill() : server.end();
      threads.join();
      assertEquals("", end.err());
      assertEquals(DoomedServer.EXIT, end.exit());
    }
  }

  /** Returns whether the server was there all the time. */
  private boolean settle(int redisPort, int port) throws Exception {
    isSettled = false;
    try {
      for (int i = 0; i < CLIENTS; i++) {
        if (i == clients.size()) {
          OwnDatabases databases = new OwnDatabases(i, random.split());
          clients.add(new DoubtingClient(redisPort, port, databases, random.split()));
        } else {
          DoubtingClient before = clients.get(i);
          clients.set(i, before.of(port));
          refused += before.refused();
          unanswered += before.unanswered();
        }
      }
      isSettled = true;
      return true;
    } catch (EOFException | SocketException gone) {
      return false;
    }
  }

  /** Returns whether the server was there up to a moment that is drawn. */
  private boolean serve(TestThreads threads) throws InterruptedException {
    served++;
    CountDownLatch gone = new CountDownLatch(1);
    for (DoubtingClient client : clients) {
      threads.start(
          () -> {
            try {
              client.work(() -> false);
            } catch (EOFException | SocketException end) {
              gone.countDown();
            }
          });
    }
    return !gone.await(random.nextInt(LOAD_MILLIS_MAX), TimeUnit.MILLISECONDS);
  }
}
