package dev.varve.server.surface;

import dev.varve.server.SoundDirectory;
import dev.varve.server.TestThreads;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.net.RespServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What MIGRATE moves between two servers of Varve and a redis-server is what it was, and is in one
 * place: all types, of clients that work meanwhile, where reads and writes leave their threads.
 *
 * <p>{@code -Dvarve.migrations=100} for so many of each client, {@code -Dvarve.seed=…} for the same
 * clients again.
 */
class MigratingClientsTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int MIGRATIONS = Integer.getInteger("varve.migrations", 15);
  private static final int CLIENTS = 6;
  private static final int REST_MILLIS = 20;

  @TempDir private Path path;

  @Test
  void whatIsMovedIsWhatItWasInOnePlace() throws Exception {
    System.out.printf(
        "MigratingClientsTest -Dvarve.seed=%d -Dvarve.migrations=%d%n", SEED, MIGRATIONS);
    SplittableRandom random = new SplittableRandom(SEED);
    List<RespServer> servers = new ArrayList<>();
    List<Path> directories = List.of(path.resolve("first"), path.resolve("second"));
    for (Path directory : directories) {
      servers.add(
          SurfaceDifferentialTest.varve(
              directory,
              SurfaceDifferentialTest.memoryBytes(random),
              SurfaceDifferentialTest.settings(random)));
    }
    try (RedisOracle keeps = RedisOracle.start(path);
        RedisOracle third = RedisOracle.start(Files.createDirectory(path.resolve("third")))) {
      List<Integer> ports = new ArrayList<>();
      servers.forEach(server -> ports.add(server.port()));
      ports.add(third.port());
      work(keeps.port(), ports, servers, random);
    } finally {
      servers.get(0).stop();
      servers.get(1).stop();
    }
    for (Path directory : directories) {
      SoundDirectory.assertSound(directory);
    }
  }

  private static void work(
      int keeps, List<Integer> ports, List<RespServer> servers, SplittableRandom random)
      throws Exception {
    TestThreads threads = new TestThreads();
    for (int i = 0; i < CLIENTS; i++) {
      OwnDatabases databases = new OwnDatabases(i, random.split());
      SplittableRandom its = random.split();
      threads.start(
          () -> {
            try (MigratingClient client = new MigratingClient(keeps, ports, databases, its)) {
              client.work(MIGRATIONS);
            }
          });
    }
    TestThreads others = new TestThreads();
    others.start(
        () -> {
          while (!others.isOver()) {
            OtherClients.leave(servers.get(random.nextInt(servers.size())).keyspace(), random);
            Thread.sleep(REST_MILLIS);
          }
        });
    threads.join();
    others.over();
    others.join();
  }
}
