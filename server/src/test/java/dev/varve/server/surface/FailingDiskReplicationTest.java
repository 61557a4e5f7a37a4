package dev.varve.server.surface;

import dev.varve.server.Await;
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
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
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
  private static final long SECONDS_MAX = 20;

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
    SplittableRandom its = random.split();
    whileDisksFail(disks, () -> work(port, its, name -> true));
  }

  private void whileDisksFail(List<FailingDisk> disks, TestThreads.Work work)
      throws InterruptedException {
    TestThreads threads = new TestThreads();
    AtomicBoolean isDone = new AtomicBoolean();
    threads.start(
        () -> {
          work.run();
          isDone.set(true);
        });
    while (!isDone.get() && !threads.isOver()) {
      disks.get(random.nextInt(disks.size())).ailForAWhile();
    }
    threads.join();
  }

  private static void work(int port, SplittableRandom random, Predicate<String> commands)
      throws IOException {
    for (int i = 0; i < CONNECTIONS; i++) {
      try (WireClient client = new WireClient("the master", port)) {
        Copies.round(client, random.split(), COMMANDS_PER_CONNECTION, commands);
      } catch (EOFException | SocketException closed) {
        // It was to be told of what could not be written.
        continue;
      }
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
        compare(varve.port(), List.of(redis.port(), copy.port()));
      }
    } finally {
      varve.stop();
      copy.stop();
    }
    SoundDirectory.assertSound(directory);
    SoundDirectory.assertSound(copyDirectory);
  }

  @Test
  void whoTakesOverHasTheSameThoughDisksFail() throws Exception {
    System.out.printf(
        "FailingDiskReplicationTest -Dvarve.seed=%d -Dvarve.disk.rounds=%d%n", SEED, ROUNDS);
    Path first = path.resolve("first");
    Path second = path.resolve("second");
    List<FailingDisk> disks =
        List.of(
            new FailingDisk(first, FailingDisk.ALL, random.split()),
            new FailingDisk(second, FailingDisk.ALL, random.split()));
    List<RespServer> servers = List.of(varve(disks.get(0)), varve(disks.get(1)));
    try (RedisOracle redis = RedisOracle.start(path, "--repl-backlog-size", BACKLOG_SIZE)) {
      List<Integer> ports = new ArrayList<>(List.of(redis.port()));
      servers.forEach(server -> ports.add(server.port()));
      for (int i = 0; i < ROUNDS; i++) {
        int master = ports.get(random.nextInt(ports.size()));
        SplittableRandom its = random.split();
        boolean tellsAll = master != redis.port();
        whileDisksFail(
            disks,
            () -> {
              lead(master, ports);
              work(master, its, name -> tellsAll || TakeOverDifferentialTest.TOLD.contains(name));
            });
        compare(master, ports);
      }
    } finally {
      servers.get(0).stop();
      servers.get(1).stop();
    }
    SoundDirectory.assertSound(first);
    SoundDirectory.assertSound(second);
  }

  /** One is the master from now on, and the others follow it. */
  private static void lead(int master, List<Integer> ports) throws IOException {
    askUntilDone(master, "REPLICAOF", "NO", "ONE");
    for (int port : ports) {
      if (port != master) {
        askUntilDone(port, "REPLICAOF", "127.0.0.1", Integer.toString(master));
      }
    }
  }

  private static void askUntilDone(int port, String... request) throws IOException {
    Await.until(
        () -> {
          try (WireClient client = new WireClient("it", port)) {
            return Copies.ask(client, request).startsWith("+OK");
          } catch (EOFException | SocketException closed) {
            return false;
          }
        },
        SECONDS_MAX,
        () -> List.of(request) + " is done");
  }

  private static void compare(int master, List<Integer> ports) throws Exception {
    try (WireClient expected = new WireClient("the master", master)) {
      for (int port : ports) {
        if (port != master) {
          try (WireClient actual = new WireClient("who follows " + master, port)) {
            Copies.awaitOffset(expected, actual);
            Copies.compare(expected, actual);
          }
        }
      }
    }
  }
}
