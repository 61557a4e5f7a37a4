package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import dev.varve.server.ServerProcess;
import dev.varve.server.SoundDirectory;
import dev.varve.server.TestThreads;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.surface.DoomedServer.Doom;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that is killed, or ends in any call that changes its files, goes on with what
 * redis-server has after all that was answered, and after some of what was not: requests of every
 * command group from clients with databases of their own, transactions and scripts whole or not at
 * all, where reads and writes leave their threads. So does one that begins with a backup that was
 * made in the midst of it.
 *
 * <p>{@code -Dvarve.lives=200} for so many, {@code -Dvarve.seed=…} for the same clients again; who
 * comes first, and where it ends, is each run's own.
 */
@Timeout(value = 3_000, unit = TimeUnit.SECONDS)
class KilledServerDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int LIVES = Integer.getInteger("varve.lives", 12);
  private static final int CLIENTS = 7;
  private static final int LOAD_MILLIS_MAX = 1_500;
  private static final long BACKUP_SECONDS_MAX = 60;

  @TempDir private Path path;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final List<CutClient> clients = new ArrayList<>();

  /** In how many lives clients were served. */
  private int served;

  /** Whether it is known what was there behind the last end. */
  private boolean isSettled = true;

  @Test
  void whatIsThereAfterAKillIsWhatRedisHas() throws Exception {
    System.out.printf(
        "KilledServerDifferentialTest -Dvarve.seed=%d -Dvarve.lives=%d%n", SEED, LIVES);
    Files.createDirectory(backups());
    try (RedisOracle redis = RedisOracle.start(path)) {
      clients.addAll(CutClient.several(CLIENTS, redis.port(), random));
      Path directory = path.resolve("varve");
      while (served < LIVES) {
        try (WireClient its = new WireClient("redis", redis.port())) {
          directory = live(directory, its);
        }
        if (served > 0) {
          SoundDirectory.assertSound(directory);
        }
      }
    }
  }

  private Path backups() {
    return path.resolve("backups");
  }

  /** Returns where it goes on. */
  private Path live(Path directory, WireClient its) throws Exception {
    // What expires does so by the time at which redis is told.
    Set<Doom> dooms = isSettled ? Set.of(Doom.MAY_END) : Set.of();
    try (ServerProcess server =
        DoomedServer.begin(directory, backups(), random.nextLong(), dooms)) {
      TestThreads threads = new TestThreads();
      boolean isThere =
          server.becomesReady() && settle(its, server.port()) && serve(threads, server.port());
      Path backup = isThere && random.nextInt(3) == 0 ? backUp(server) : null;
      ServerProcess.End end = isThere ? server.kill() : server.end();
      threads.join();
      assertEquals("", end.err());
      assertEquals(DoomedServer.EXIT, end.exit());
      if (backup != null) {
        clients.forEach(CutClient::backToStop);
      }
      clients.forEach(CutClient::carryOutAnswered);
      return backup == null ? directory : backup;
    }
  }

  /** Returns whether the server was there all the time. */
  private boolean settle(WireClient its, int port) throws IOException {
    isSettled = false;
    try {
      CutClient.settle(clients, its, port);
      isSettled = true;
      return true;
    } catch (EOFException | SocketException gone) {
      return false;
    }
  }

  /** Returns whether the server was there up to a moment that is drawn. */
  private boolean serve(TestThreads threads, int port) throws InterruptedException {
    served++;
    CountDownLatch gone = new CountDownLatch(1);
    for (CutClient client : clients) {
      threads.start(
          () -> {
            if (client.work(port)) {
              gone.countDown();
            }
          });
    }
    return !gone.await(random.nextInt(LOAD_MILLIS_MAX), TimeUnit.MILLISECONDS);
  }

  /**
   * Has it make a backup in the midst of what clients have asked for.
   *
   * @return the backup, or null where the server was gone before
   */
  private @Nullable Path backUp(ServerProcess server) throws Exception {
    clients.forEach(CutClient::stop);
    try (WireClient asking = new WireClient("varve", server.port())) {
      assertEquals("+Background saving started\r\n", Copies.ask(asking, "BGSAVE"));
      Await.until(
          () -> Copies.ask(asking, "INFO", "persistence").contains("rdb_bgsave_in_progress:0"),
          BACKUP_SECONDS_MAX,
          () -> "the backup does not end");
      String info = Copies.ask(asking, "INFO", "persistence");
      assertTrue(info.contains("rdb_last_bgsave_status:ok"), info);
    } catch (EOFException | SocketException gone) {
      server.end();
      return null;
    }
    try (Stream<Path> all = Files.list(backups())) {
      return all.max(Path::compareTo).orElseThrow();
    }
  }
}
