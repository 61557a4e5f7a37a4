package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.SoundDirectory;
import dev.varve.server.TestThreads;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.config.Settings;
import dev.varve.server.net.RespServer;
import dev.varve.wal.FailingStorageDirectory.Kind;
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
 * A server whose disk fails now and then replies what redis-server does, or refuses, or does not
 * answer; of what it does not answer all is done or nothing, of what it refuses, or cannot read
 * for, nothing, and afterwards it goes on with the same; of one whose disk hangs all is answered:
 * requests of every command group, where reads and writes leave their threads. So it is with what
 * clients have asked for that are killed.
 *
 * <p>{@code -Dvarve.disk.rounds=100} for so many, {@code -Dvarve.seed=…} for the same clients
 * again.
 */
class FailingDiskDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("varve.disk.rounds", 3);
  private static final int ROUNDS_MAX = 50;
  private static final int CLIENTS = 7;
  private static final int TIMES = 12;
  private static final int REST_MILLIS_MAX = 100;

  private enum Trouble {
    CHANGES_FAIL(FailingDisk.CHANGES),
    READS_FAIL(FailingDisk.READS),
    CALLS_HANG(FailingDisk.ALL),
    CLIENTS_ARE_KILLED(List.of());

    final List<Kind> failing;

    Trouble(List<Kind> failing) {
      this.failing = failing;
    }
  }

  @TempDir private Path path;

  private int refused;
  private int unread;
  private int unanswered;
  private int doneThough;

  @Test
  void whatIsNotAnsweredIsDoneOrNotAndAllElseIsRedis() throws Exception {
    rounds(Trouble.CHANGES_FAIL);
    assertTrue(refused > 0 && unanswered > 0, "nothing was refused, or unanswered");
  }

  @Test
  void whatCannotBeReadForIsNotDone() throws Exception {
    rounds(Trouble.READS_FAIL);
    assertTrue(unread > 0, "all was read");
  }

  @Test
  void whatHangsIsLateAndNoMore() throws Exception {
    rounds(Trouble.CALLS_HANG);
    assertEquals(0, refused + unread + unanswered);
  }

  @Test
  void whatAKilledClientHasAskedForIsDoneOrNot() throws Exception {
    rounds(Trouble.CLIENTS_ARE_KILLED);
    assertTrue(unanswered > 0, "nobody was killed");
  }

  private void rounds(Trouble trouble) throws Exception {
    System.out.printf(
        "FailingDiskDifferentialTest -Dvarve.seed=%d -Dvarve.disk.rounds=%d%n", SEED, ROUNDS);
    SplittableRandom random = new SplittableRandom(SEED);
    try (RedisOracle redis = RedisOracle.start(path)) {
      boolean readsFail = trouble == Trouble.READS_FAIL;
      for (int i = 0; i < ROUNDS || (readsFail && unread == 0 && i < ROUNDS_MAX); i++) {
        round(redis, path.resolve("varve" + i), trouble, random.split());
      }
    }
    System.out.printf(
        "%d refused, %d not answered, %d of these done; %d could not be read for%n",
        refused, unanswered, doneThough, unread);
  }

  private void round(RedisOracle redis, Path path, Trouble trouble, SplittableRandom random)
      throws Exception {
    FailingDisk disk = new FailingDisk(path, trouble.failing, random.split());
    Settings settings = SurfaceDifferentialTest.settings(random);
    int memoryBytes =
        trouble == Trouble.READS_FAIL
            ? SurfaceDifferentialTest.LEAST_MEMORY_BYTES
            : SurfaceDifferentialTest.memoryBytes(random);
    RespServer varve = SurfaceDifferentialTest.varve(disk.directory(), memoryBytes, settings);
    try (WireClient its = new WireClient("redis", redis.port())) {
      Copies.ask(its, "FLUSHALL");
      serve(redis.port(), varve, disk, trouble, random);
      varve.stop();
      SoundDirectory.assertSound(path);
      varve = SurfaceDifferentialTest.varve(path, memoryBytes, settings);
      try (WireClient ours = new WireClient("varve", varve.port())) {
        Copies.compare(its, ours);
      }
    } finally {
      varve.stop();
    }
  }

  private void serve(
      int redisPort, RespServer varve, FailingDisk disk, Trouble trouble, SplittableRandom random)
      throws Exception {
    TestThreads threads = new TestThreads();
    List<DoubtingClient> clients = new ArrayList<>();
    boolean readsFail = trouble == Trouble.READS_FAIL;
    try {
      for (int i = 0; i < CLIENTS; i++) {
        OwnDatabases databases = new OwnDatabases(i, random.split());
        DoubtingClient client =
            new DoubtingClient(redisPort, varve.port(), databases, random.split());
        clients.add(client);
        threads.start(() -> client.work(threads::isOver));
      }
      // Most of what is read is in memory.
      int times = readsFail ? 3 * TIMES : TIMES;
      for (int i = 0; i < times && !threads.isOver(); i++) {
        OtherClients.leave(varve.keyspace(), random);
        if (trouble == Trouble.CLIENTS_ARE_KILLED) {
          Thread.sleep(random.nextInt(REST_MILLIS_MAX));
          ask(varve.port(), List.of("CLIENT", "KILL", "TYPE", "normal"));
        } else {
          if (trouble == Trouble.CALLS_HANG) {
            disk.hangForAWhile();
          } else {
            disk.ailForAWhile();
          }
          ask(varve.port(), OtherClients.syncs(random));
        }
      }
      threads.over();
      threads.join();
    } finally {
      for (DoubtingClient client : clients) {
        client.close();
        refused += client.refused();
        unread += client.unread();
        unanswered += client.unanswered();
        doneThough += client.doneThough();
      }
    }
  }

  private static void ask(int port, List<String> request) throws IOException {
    try (WireClient client = new WireClient("varve", port)) {
      Copies.ask(client, request);
    } catch (EOFException | SocketException closed) {
      // It came with what could not be written.
    }
  }
}
