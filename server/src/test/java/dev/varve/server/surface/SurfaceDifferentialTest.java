package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.KeyspaceCheck;
import dev.varve.lsm.TreeOptions;
import dev.varve.server.SoundDirectory;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.run.WorkerStore;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.TreeEngine;
import dev.varve.server.net.RespServer;
import dev.varve.server.net.ServerFixture;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server on its sockets says what redis-server 7.0 says: random requests of every command group,
 * in RESP2 and RESP3, from clients that wait, listen and cache as well.
 *
 * <p>{@code -Dvarve.differential.commands=1000000} for so many, {@code -Dvarve.seed=…} for the same
 * again, {@code -Dvarve.differential.round=…} for the one round that failed, as often as there are
 * commands for.
 */
class SurfaceDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final @Nullable Long ROUND = Long.getLong("varve.differential.round");
  private static final int COMMANDS_PER_ROUND = 5_000;
  private static final int COMMANDS =
      Integer.getInteger(
          "varve.differential.commands", ROUND == null ? 100_000 : COMMANDS_PER_ROUND);
  static final int IN_MEMORY_BYTES = 64 << 20;
  static final int ON_DISK_BYTES = 64 << 10;

  /** Next to nothing that is read stays there. */
  static final int LEAST_MEMORY_BYTES = 16 << 10;

  private static final int DATABASES = 16;

  /** From so many on each command must have been carried out, some by a few more if need be. */
  private static final int COMMANDS_FOR_ALL = 100_000;

  private static final int COMMANDS_MORE_MAX = 100_000;

  /** Commands that no random request is, and why. */
  private static final String LEFT_OUT =
      """
      quit,reset,shutdown,monitor,bgsave,bgrewriteaof: end or change the connection, or the server
      subscribe,psubscribe,ssubscribe,unsubscribe,punsubscribe,sunsubscribe: who listens has done it
      restore: DumpDifferentialTest
      migrate: MigrateTest
      psync,sync,replconf: LeadDifferentialTest
      failover: TakeOverDifferentialTest
      cluster,readonly,readwrite,asking: ClusterDifferentialTest
      swapdb: TreeDifferentialTest; those who watch and cache are told more than Redis tells them
      save,pfselftest: they take long
      hexpire,hpexpire,hexpireat,hpexpireat,hexpiretime,hpexpiretime: later than 7.0
      httl,hpttl,hpersist,hgetex,hsetex,hgetdel,waitaof,delex: later than 7.0
      delifeq,msetex: later than 7.0
      """;

  @TempDir private Path path;

  static List<Form> forms() throws IOException {
    try (InputStream in = SurfaceDifferentialTest.class.getResourceAsStream("forms.txt")) {
      return Form.all(
          new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /**
   * @param memoryBytes for what is written and what is read; all else comes from the disk
   */
  static RespServer varve(Path directory, int memoryBytes) throws Exception {
    return varve(directory, memoryBytes, "nio");
  }

  private static RespServer varve(Path directory, int memoryBytes, String transport)
      throws Exception {
    Settings settings = new Settings();
    settings.set(Parameters.IO_TRANSPORT, transport);
    return varve(directory, memoryBytes, settings);
  }

  static RespServer varve(Path directory, int memoryBytes, Settings settings) throws Exception {
    return varve(RealStorageDirectory.open(directory), memoryBytes, settings);
  }

  static RespServer varve(StorageDirectory directory, int memoryBytes, Settings settings)
      throws Exception {
    settings.set(Parameters.PORT, "0");
    settings.set(Parameters.ENABLE_DEBUG_COMMAND, "yes");
    TreeEngine engine =
        TreeEngine.open(
            directory,
            TreeOptions.builder()
                .memtableBytesMax(memoryBytes)
                .blockBytes(512)
                .flushedTableBytes(32 << 10)
                .blockCacheBytesMax(memoryBytes),
            new OffHeap(),
            DATABASES);
    return RespServer.start(
        settings,
        engine,
        System::currentTimeMillis,
        new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
  }

  /** Settings of which replies do not depend. */
  static Settings settings(SplittableRandom random) throws ConfigException {
    Settings settings = new Settings();
    settings.set(Parameters.IO_THREADS, Integer.toString(random.nextInt(1, 4)));
    settings.set(Parameters.IO_TRANSPORT, random.nextBoolean() ? "nio" : "io_uring");
    settings.set(Parameters.APPENDFSYNC, random.nextInt(4) == 0 ? "always" : "everysec");
    return settings;
  }

  /** For all that is written, or for next to nothing. */
  static int memoryBytes(SplittableRandom random) {
    return random.nextBoolean() ? ON_DISK_BYTES : IN_MEMORY_BYTES;
  }

  /** From now on those of its writes leave the keyspace loop that take a few steps. */
  static void writesLeave(RespServer varve, SplittableRandom random) {
    varve.keyspace().longRun().writesLeaveAfterSteps(random.nextInt(1 << random.nextInt(6)));
  }

  @Test
  void everythingItSaysIsRedis() throws Exception {
    System.out.printf(
        "SurfaceDifferentialTest -Dvarve.seed=%d -Dvarve.differential.commands=%d%n",
        SEED, COMMANDS);
    TreeSet<String> carriedOut = new TreeSet<>();
    CommandTable table;
    try (RedisOracle redis =
        RedisOracle.start(path, "--enable-debug-command", "yes", "--hz", "500")) {
      RespServer inMemory = varve(path.resolve("memory"), IN_MEMORY_BYTES);
      RespServer onDisk = varve(path.resolve("disk"), ON_DISK_BYTES);
      RespServer byRing = varve(path.resolve("ring"), ON_DISK_BYTES, "io_uring");
      List<RespServer> servers = List.of(inMemory, onDisk, inMemory, byRing);
      try {
        table = ServerFixture.table(inMemory);
        SplittableRandom seeds = new SplittableRandom(SEED);
        boolean mustHaveAll = ROUND == null && COMMANDS >= COMMANDS_FOR_ALL;
        for (int left = COMMANDS;
            left > 0
                || (mustHaveAll
                    && left > -COMMANDS_MORE_MAX
                    && !missing(table, carriedOut).isEmpty());
            left -= COMMANDS_PER_ROUND) {
          long seed = ROUND == null ? seeds.nextLong() : ROUND;
          RespServer varve = servers.get((int) (seed & 3));
          // Each CONFIG SET has them stay.
          Runnable beforeBatch =
              varve == byRing ? () -> writesLeave(byRing, new SplittableRandom(seed)) : () -> {};
          try (SurfaceRun run =
              new SurfaceRun(redis.port(), varve.port(), forms(), seed, beforeBatch)) {
            run.commands(left > 0 ? Math.min(left, COMMANDS_PER_ROUND) : COMMANDS_PER_ROUND);
            carriedOut.addAll(run.carriedOut());
          }
          // The next round flushes it.
          KeyspaceCheck.assertConsistent(
              new WorkerStore(varve.keyspace().engine()),
              DATABASES,
              "-Dvarve.differential.round=" + seed);
        }
      } finally {
        inMemory.stop();
        onDisk.stop();
        byRing.stop();
      }
      // What all commands have left behind, those that are rare too.
      for (String directory : List.of("memory", "disk", "ring")) {
        SoundDirectory.assertSound(path.resolve(directory));
      }
    }
    if (ROUND == null && COMMANDS >= COMMANDS_FOR_ALL) {
      assertEquals(new TreeSet<>(), missing(table, carriedOut));
    }
  }

  /** The commands of Redis that no request was, but for those that are left out. */
  private static TreeSet<String> missing(CommandTable table, TreeSet<String> carriedOut) {
    TreeSet<String> missing = new TreeSet<>();
    for (Command command : table.all()) {
      if (!command.isUnsupported()) {
        missing.add(command.name());
      }
    }
    missing.removeAll(carriedOut);
    for (String line : LEFT_OUT.split("\n")) {
      missing.removeAll(List.of(line.substring(0, line.indexOf(':')).split(",")));
    }
    return missing;
  }
}
