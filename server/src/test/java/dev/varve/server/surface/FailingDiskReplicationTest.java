package dev.varve.server.surface;

import dev.varve.server.SoundDirectory;
import dev.varve.server.TestThreads;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.RespServer;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who follows and who leads have the same, though their disks fail now and then: random requests of
 * every command group.
 *
 * <p>{@code -Dvarve.disk.rounds=100} for so many, {@code -Dvarve.seed=…} for the same requests.
 */
class FailingDiskReplicationTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("varve.disk.rounds", 3);
  private static final int CONNECTIONS = 10;
  private static final int COMMANDS_PER_CONNECTION = 200;
  private static final String BACKLOG_SIZE = "64mb";

  @TempDir private Path path;

  private final SplittableRandom random = new SplittableRandom(SEED);

  private RespServer varve(FailingDisk disk) throws Exception {
    Settings settings = SurfaceDifferentialTest.settings(random);
    settings.set(ReplicationParameters.BACKLOG_SIZE, BACKLOG_SIZE);
    int memoryBytes =
        random.nextBoolean()
            ? SurfaceDifferentialTest.LEAST_MEMORY_BYTES
            : SurfaceDifferentialTest.memoryBytes(random);
    RespServer varve = SurfaceDifferentialTest.varve(disk.directory(), memoryBytes, settings);
    SurfaceDifferentialTest.writesLeave(varve, random);
    return varve;
  }

  private static void follow(WireClient replica, int port) throws IOException {
    Copies.ask(replica, "REPLICAOF", "127.0.0.1", Integer.toString(port));
  }

  /** Has a master do random things while disks fail. */
  private void work(int port, List<FailingDisk> disks) throws InterruptedException {
    TestThreads threads = new TestThreads();
    AtomicBoolean isDone = new AtomicBoolean();
    SplittableRandom its = random.split();
    threads.start(
        () -> {
          for (int i = 0; i < CONNECTIONS; i++) {
            work(port, its);
          }
          isDone.set(true);
        });
    while (!isDone.get() && !threads.isOver()) {
      disks.get(random.nextInt(disks.size())).failForAWhile();
    }
    threads.join();
  }

  private static void work(int port, SplittableRandom random) throws IOException {
    try (WireClient client = new WireClient("the master", port)) {
      Copies.round(client, random.split(), COMMANDS_PER_CONNECTION);
    } catch (EOFException | SocketException closed) {
      // It was to be told of what could not be written.
    }
  }

  @Test
  void aReplicaWhoseDiskFailsHasWhatOthersHave() throws Exception {
    System.out.printf(
        "FailingDiskReplicationTest -Dvarve.seed=%d -Dvarve.disk.rounds=%d%n", SEED, ROUNDS);
    Path directory = path.resolve("varve");
    Path theirs = Files.createDirectories(path.resolve("replica"));
    FailingDisk disk = new FailingDisk(directory, FailingDisk.ALL, random.split());
    RespServer varve = varve(disk);
    try (RedisOracle redis = RedisOracle.start(path, "--repl-backlog-size", BACKLOG_SIZE);
        RedisOracle copy = RedisOracle.start(theirs);
        WireClient master = new WireClient("redis", redis.port());
        WireClient expected = new WireClient("its replica", copy.port());
        WireClient actual = new WireClient("varve", varve.port())) {
      follow(expected, redis.port());
      follow(actual, redis.port());
      for (int i = 0; i < ROUNDS; i++) {
        work(redis.port(), List.of(disk));
        Copies.compare(master, expected, actual);
      }
    } finally {
      varve.stop();
    }
    SoundDirectory.assertSound(directory);
  }

  @Test
  void whoFollowsHasTheSameThoughTheDiskOfItsMasterFails() throws Exception {
    System.out.printf(
        "FailingDiskReplicationTest -Dvarve.seed=%d -Dvarve.disk.rounds=%d%n", SEED, ROUNDS);
    Path directory = path.resolve("varve");
    Path copyDirectory = path.resolve("copy");
    FailingDisk disk = new FailingDisk(directory, FailingDisk.ALL, random.split());
    FailingDisk copyDisk = new FailingDisk(copyDirectory, FailingDisk.ALL, random.split());
    RespServer varve = varve(disk);
    RespServer copy = varve(copyDisk);
    try (RedisOracle redis = RedisOracle.start(path);
        WireClient its = new WireClient("redis", redis.port())) {
      follow(its, varve.port());
      try (WireClient ours = new WireClient("the copy", copy.port())) {
        follow(ours, varve.port());
      }
      for (int i = 0; i < ROUNDS; i++) {
        work(varve.port(), List.of(disk, copyDisk));
        try (WireClient master = new WireClient("varve", varve.port());
            WireClient ours = new WireClient("the copy", copy.port())) {
          for (WireClient replica : List.of(its, ours)) {
            Copies.awaitOffset(master, replica);
            Copies.compare(master, replica);
          }
        }
      }
    } finally {
      varve.stop();
      copy.stop();
    }
    SoundDirectory.assertSound(directory);
    SoundDirectory.assertSound(copyDirectory);
  }
}
