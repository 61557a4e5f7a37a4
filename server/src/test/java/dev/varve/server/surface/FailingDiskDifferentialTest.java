package dev.varve.server.surface;

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
 * A server whose disk fails now and then replies what redis-server does, or refuses; of what it
 * refuses all is done or nothing, of what it cannot read for nothing, and afterwards it goes on
 * with the same: requests of every command group, where reads and writes leave their threads.
 *
 * <p>{@code -Dvarve.disk.rounds=100} for so many, {@code -Dvarve.seed=…} for the same clients
 * again.
 */
class FailingDiskDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("varve.disk.rounds", 3);
  private static final int ROUNDS_MAX = 50;
  private static final int CLIENTS = 7;
  private static final int FAILURES = 12;

  @TempDir private Path path;

  private int refused;
  private int unread;
  private int unanswered;
  private int doneThough;

  @Test
  void whatIsRefusedIsDoneOrNotAndAllElseIsRedis() throws Exception {
    rounds(FailingDisk.CHANGES);
    assertTrue(refused > 0 && unanswered > 0, "nothing was refused, or unanswered");
  }

  @Test
  void whatCannotBeReadForIsNotDone() throws Exception {
    rounds(FailingDisk.READS);
    assertTrue(unread > 0, "all was read");
  }

  private void rounds(List<Kind> failing) throws Exception {
    System.out.printf(
        "FailingDiskDifferentialTest -Dvarve.seed=%d -Dvarve.disk.rounds=%d%n", SEED, ROUNDS);
    SplittableRandom random = new SplittableRandom(SEED);
    try (RedisOracle redis = RedisOracle.start(path)) {
      boolean readsFail = failing == FailingDisk.READS;
      for (int i = 0; i < ROUNDS || (readsFail && unread == 0 && i < ROUNDS_MAX); i++) {
        round(redis, path.resolve("varve" + i), failing, random.split());
      }
    }
    System.out.printf(
        "%d refused, %d not answered, %d of these done; %d could not be read for%n",
        refused, unanswered, doneThough, unread);
  }

  private void round(RedisOracle redis, Path path, List<Kind> failing, SplittableRandom random)
      throws Exception {
    FailingDisk disk = new FailingDisk(path, failing, random.split());
    Settings settings = SurfaceDifferentialTest.settings(random);
    boolean readsFail = failing == FailingDisk.READS;
    int memoryBytes =
        readsFail
            ? SurfaceDifferentialTest.LEAST_MEMORY_BYTES
            : SurfaceDifferentialTest.memoryBytes(random);
    RespServer varve = SurfaceDifferentialTest.varve(disk.directory(), memoryBytes, settings);
    try (WireClient its = new WireClient("redis", redis.port())) {
      Copies.ask(its, "FLUSHALL");
      serve(redis.port(), varve, disk, readsFail, random);
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

  private static void syncOtherwise(int port, SplittableRandom random) throws IOException {
    try (WireClient client = new WireClient("varve", port)) {
      Copies.ask(client, OtherClients.syncs(random));
    } catch (EOFException | SocketException closed) {
      // It came with what could not be written.
    }
  }

  private void serve(
      int redisPort, RespServer varve, FailingDisk disk, boolean readsFail, SplittableRandom random)
      throws Exception {
    TestThreads threads = new TestThreads();
    List<DoubtingClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < CLIENTS; i++) {
        OwnDatabases databases = new OwnDatabases(i, random.split());
        DoubtingClient client =
            new DoubtingClient(redisPort, varve.port(), databases, readsFail, random.split());
        clients.add(client);
        threads.start(() -> client.work(threads::isOver));
      }
      // Most of what is read is in memory.
      int failures = readsFail ? 3 * FAILURES : FAILURES;
      for (int i = 0; i < failures && !threads.isOver(); i++) {
        OtherClients.leave(varve.keyspace(), random);
        disk.failForAWhile();
        syncOtherwise(varve.port(), random);
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
}
