package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.SoundDirectory;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.RespServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who follows Varve has what it has, whatever clients ask of it, however often the connection is
 * lost or Varve restarted: a redis-server 7.0, and Varve. Random requests of every command group.
 *
 * <p>{@code -Dvarve.lead.commands=1000000} for so many, {@code -Dvarve.seed=…} for the same again.
 */
class LeadDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int COMMANDS = Integer.getInteger("varve.lead.commands", 30_000);
  private static final int COMMANDS_PER_ROUND = 3_000;
  private static final int ROUNDS_PER_START = 4;
  private static final int IN_MEMORY_BYTES = SurfaceDifferentialTest.IN_MEMORY_BYTES;
  private static final int ON_DISK_BYTES = 64 << 10;

  private static final int WRITERS = 4;
  private static final int JOINS = 40;
  private static final int SECONDS_MAX = 60;

  @TempDir private Path path;

  @Test
  void whoFollowsItHasWhatItHas() throws Exception {
    System.out.printf(
        "LeadDifferentialTest -Dvarve.seed=%d -Dvarve.lead.commands=%d%n", SEED, COMMANDS);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int memoryBytes : List.of(IN_MEMORY_BYTES, ON_DISK_BYTES)) {
      run(Files.createDirectories(path.resolve("memory-" + memoryBytes)), random, memoryBytes);
    }
  }

  private static void run(Path its, SplittableRandom random, int memoryBytes) throws Exception {
    Path theirs = Files.createDirectories(its.resolve("redis"));
    RespServer copy = SurfaceDifferentialTest.varve(its.resolve("copy"), memoryBytes);
    SurfaceDifferentialTest.writesLeave(copy, random);
    try (RedisOracle redis = RedisOracle.start(theirs);
        WireClient expected = new WireClient("redis", redis.port());
        WireClient actual = new WireClient("copy", copy.port())) {
      for (int left = COMMANDS / 2; left > 0; left -= ROUNDS_PER_START * COMMANDS_PER_ROUND) {
        lead(its.resolve("varve"), memoryBytes, random, List.of(expected, actual));
      }
      String errors = Copies.ask(actual, "INFO", "errorstats");
      assertTrue(!errors.contains("errorstat_"), errors);
      errors = Copies.ask(expected, "INFO", "errorstats");
      assertTrue(!errors.contains("errorstat_"), errors);
    } finally {
      copy.stop();
    }
    SoundDirectory.assertSound(its.resolve("copy"));
  }

  /** Starts a server, and has them follow it for some rounds. */
  private static void lead(
      Path directory, int memoryBytes, SplittableRandom random, List<WireClient> copies)
      throws Exception {
    Settings settings = new Settings();
    settings.set(ReplicationParameters.BACKLOG_SIZE, "64mb");
    settings.set(Parameters.APPENDFSYNC, random.nextBoolean() ? "always" : "everysec");
    RespServer varve = SurfaceDifferentialTest.varve(directory, memoryBytes, settings);
    if (random.nextBoolean()) {
      SurfaceDifferentialTest.writesLeave(varve, random);
    }
    try (WireClient master = new WireClient("varve", varve.port())) {
      Copies.round(master, random, COMMANDS_PER_ROUND);
      for (int i = 0; i < ROUNDS_PER_START; i++) {
        for (WireClient copy : copies) {
          if (i == 0 || random.nextInt(4) == 0) {
            // All data comes while the master is at work.
            Copies.ask(copy, "REPLICAOF", "NO", "ONE");
            Copies.ask(copy, "REPLICAOF", "127.0.0.1", Integer.toString(varve.port()));
          }
        }
        Copies.round(master, random, COMMANDS_PER_ROUND);
        for (WireClient copy : copies) {
          Copies.awaitOffset(master, copy);
          Copies.compare(copy, master);
        }
      }
    } finally {
      varve.stop();
    }
    SoundDirectory.assertSound(directory);
  }

  @Test
  void whoJoinsBetweenTheCommitsOfOthersMissesNothing() throws Exception {
    Settings settings = new Settings();
    settings.set(Parameters.APPENDFSYNC, "always");
    RespServer varve =
        SurfaceDifferentialTest.varve(path.resolve("led"), IN_MEMORY_BYTES, settings);
    RespServer copy = SurfaceDifferentialTest.varve(path.resolve("copy"), IN_MEMORY_BYTES);
    AtomicBoolean goesOn = new AtomicBoolean(true);
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    List<Future<Integer>> written = new ArrayList<>();
    try (WireClient master = new WireClient("varve", varve.port());
        WireClient actual = new WireClient("copy", copy.port())) {
      for (int i = 0; i < WRITERS; i++) {
        int number = i;
        written.add(writers.submit(() -> write(varve.port(), number, goesOn)));
      }
      for (int join = 0; join < JOINS; join++) {
        // Before all that it has is replaced.
        String keyspace = Copies.ask(actual, "INFO", "keyspace");
        assertFalse(keyspace.contains("db0"), keyspace);
        Copies.ask(actual, "REPLICAOF", "NO", "ONE");
        Copies.ask(actual, "REPLICAOF", "127.0.0.1", Integer.toString(varve.port()));
        Copies.awaitLink(actual);
      }
      goesOn.set(false);
      for (Future<Integer> its : written) {
        assertTrue(its.get(SECONDS_MAX, TimeUnit.SECONDS) > JOINS);
      }
      Copies.awaitOffset(master, actual);
      Copies.compare(master, actual);
    } finally {
      goesOn.set(false);
      writers.shutdown();
      varve.stop();
      copy.stop();
    }
  }

  /** Counts in one of two databases, by one request after the other; returns up to where. */
  private static int write(int port, int number, AtomicBoolean goesOn) throws IOException {
    int count = 0;
    try (WireClient client = new WireClient("writer", port)) {
      Copies.ask(client, "SELECT", Integer.toString(1 + number % 2));
      while (goesOn.get()) {
        count++;
        assertEquals(":" + count + "\r\n", Copies.ask(client, "INCR", "count-" + number));
      }
    }
    return count;
  }
}
