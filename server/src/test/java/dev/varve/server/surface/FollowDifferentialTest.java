package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.SoundDirectory;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.RespServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that follows redis-server 7.0 has what a redis-server has that follows it, whatever
 * clients ask of the master, however often the connection is lost or the server restarted: random
 * requests of every command group. (The master itself has a little more: what a BITFIELD leaves
 * that fails, how far groups have read.)
 *
 * <p>{@code -Dvarve.follow.commands=1000000} for so many, {@code -Dvarve.seed=…} for the same
 * again.
 */
class FollowDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int COMMANDS = Integer.getInteger("varve.follow.commands", 30_000);
  private static final int COMMANDS_PER_ROUND = 3_000;
  private static final int EVENTS_ROUND = 100;
  private static final int IN_MEMORY_BYTES = SurfaceDifferentialTest.IN_MEMORY_BYTES;
  private static final int ON_DISK_BYTES = SurfaceDifferentialTest.ON_DISK_BYTES;

  @TempDir private Path path;

  @Test
  void whoFollowsRedisHasWhatItsOwnReplicaHas() throws Exception {
    System.out.printf(
        "FollowDifferentialTest -Dvarve.seed=%d -Dvarve.follow.commands=%d%n", SEED, COMMANDS);
    SplittableRandom random = new SplittableRandom(SEED);
    for (String diskless : List.of("yes", "no")) {
      Path its = Files.createDirectories(path.resolve("diskless-" + diskless));
      try (RedisOracle redis =
          RedisOracle.start(
              its,
              "--repl-diskless-sync",
              diskless,
              "--repl-diskless-sync-delay",
              "0",
              "--repl-backlog-size",
              "64mb")) {
        run(redis, its, random, diskless.equals("yes") ? IN_MEMORY_BYTES : ON_DISK_BYTES);
      }
    }
  }

  private void run(RedisOracle redis, Path its, SplittableRandom random, int memoryBytes)
      throws Exception {
    Path ours = its.resolve("varve");
    Path theirs = Files.createDirectories(its.resolve("replica"));
    RespServer varve = SurfaceDifferentialTest.varve(ours, memoryBytes);
    SurfaceDifferentialTest.writesLeave(varve, random);
    try (RedisOracle copy = RedisOracle.start(theirs);
        WireClient master = new WireClient("redis", redis.port());
        WireClient expected = new WireClient("its replica", copy.port())) {
      try (WireClient actual = new WireClient("varve", varve.port())) {
        Copies.ask(actual, "SET", "mine", "goes");
        Copies.round(master, random, COMMANDS_PER_ROUND);
        for (WireClient replica : List.of(expected, actual)) {
          Copies.ask(replica, "REPLICAOF", "127.0.0.1", Integer.toString(redis.port()));
        }
        Copies.compare(master, expected, actual);
      }
      for (int left = COMMANDS / 2; left > 0; left -= COMMANDS_PER_ROUND) {
        int half = Math.min(left, COMMANDS_PER_ROUND) / 2;
        Copies.round(master, random, half);
        varve.stop();
        Copies.round(master, random, half);
        varve = restarted(ours, memoryBytes, redis.port());
        if (random.nextBoolean()) {
          SurfaceDifferentialTest.writesLeave(varve, random);
        }
        try (WireClient actual = new WireClient("varve", varve.port())) {
          Copies.compare(master, expected, actual);
          String errors = Copies.ask(actual, "INFO", "errorstats");
          assertTrue(!errors.contains("errorstat_"), errors);
        }
      }
      String syncs = Copies.ask(master, "INFO", "stats");
      assertTrue(syncs.contains("sync_full:2\r\n"), syncs);
    } finally {
      varve.stop();
    }
    SoundDirectory.assertSound(ours);
  }

  @Test
  void itsClientsAreToldOfWhatThoseOfItsOwnReplicaAre() throws Exception {
    System.out.printf(
        "FollowDifferentialTest -Dvarve.seed=%d -Dvarve.follow.commands=%d%n", SEED, COMMANDS);
    SplittableRandom random = new SplittableRandom(SEED);
    Path theirs = Files.createDirectories(path.resolve("replica"));
    RespServer varve = SurfaceDifferentialTest.varve(path.resolve("varve"), ON_DISK_BYTES);
    SurfaceDifferentialTest.writesLeave(varve, random);
    try (RedisOracle redis = RedisOracle.start(path);
        RedisOracle copy = RedisOracle.start(theirs);
        WireClient master = new WireClient("redis", redis.port());
        WirePair listener = new WirePair(copy.port(), varve.port(), false)) {
      for (WireClient replica : List.of(listener.redis, listener.varve)) {
        Copies.ask(replica, "REPLICAOF", "127.0.0.1", Integer.toString(redis.port()));
        Copies.ask(replica, "CONFIG", "SET", "notify-keyspace-events", "KEA");
        Copies.awaitLink(replica);
      }
      listener.listen("PSUBSCRIBE", "__key*__:*");
      int told = 0;
      for (int left = COMMANDS / 4; left > 0; left -= EVENTS_ROUND) {
        Copies.round(master, random, EVENTS_ROUND, name -> !name.equals("FLUSHALL"));
        String mark = "mark" + left;
        Copies.ask(master, WirePair.mark(mark));
        WirePair.Both heard = listener.heard(mark);
        told += heard.redis().messages().size();
        String difference = Messages.difference(heard.redis().messages(), heard.varve().messages());
        if (difference != null) {
          throw new AssertionError("-Dvarve.seed=" + SEED + difference);
        }
      }
      assertTrue(told > COMMANDS / 40, "told of " + told);
    } finally {
      varve.stop();
    }
  }

  private static RespServer restarted(Path directory, int memoryBytes, int masterPort)
      throws Exception {
    Settings settings = new Settings();
    settings.set(ReplicationParameters.REPLICAOF, "127.0.0.1 " + masterPort);
    return SurfaceDifferentialTest.varve(directory, memoryBytes, settings);
  }
}
