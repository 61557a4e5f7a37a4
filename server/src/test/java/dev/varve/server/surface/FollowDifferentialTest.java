package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.SoundDirectory;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.Replies;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.RespServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
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
  private static final int BATCH_MAX = 40;
  private static final int DATABASES = 16;
  private static final int IN_MEMORY_BYTES = SurfaceDifferentialTest.IN_MEMORY_BYTES;
  private static final int ON_DISK_BYTES = 64 << 10;

  /** So often it is looked whether the other has come so far, or something has expired there. */
  private static final int LOOKS_MAX = 400;

  private static final int LOOK_MILLIS = 25;

  /** What changes the master itself, or waits, or takes long. */
  private static final Set<String> LEFT_OUT =
      Set.of(
          "ACL",
          "BGREWRITEAOF",
          "BGSAVE",
          "CLIENT",
          "CONFIG",
          "DEBUG",
          "FAILOVER",
          "HELLO",
          "MONITOR",
          "PFSELFTEST",
          "QUIT",
          "REPLICAOF",
          "RESET",
          "SAVE",
          "SHUTDOWN",
          "SLAVEOF",
          "SWAPDB",
          "WAIT");

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
    try (RedisOracle copy = RedisOracle.start(theirs);
        WireClient master = new WireClient("redis", redis.port());
        WireClient expected = new WireClient("its replica", copy.port())) {
      try (WireClient actual = new WireClient("varve", varve.port())) {
        ask(actual, "SET", "mine", "goes");
        round(master, random, COMMANDS_PER_ROUND);
        for (WireClient replica : List.of(expected, actual)) {
          ask(replica, "REPLICAOF", "127.0.0.1", Integer.toString(redis.port()));
        }
        compare(master, expected, actual);
      }
      for (int left = COMMANDS / 2; left > 0; left -= COMMANDS_PER_ROUND) {
        int half = Math.min(left, COMMANDS_PER_ROUND) / 2;
        round(master, random, half);
        varve.stop();
        round(master, random, half);
        varve = restarted(ours, memoryBytes, redis.port());
        try (WireClient actual = new WireClient("varve", varve.port())) {
          compare(master, expected, actual);
          String errors = ask(actual, "INFO", "errorstats");
          assertTrue(!errors.contains("errorstat_"), errors);
        }
      }
      String syncs = ask(master, "INFO", "stats");
      assertTrue(syncs.contains("sync_full:2\r\n"), syncs);
    } finally {
      varve.stop();
    }
    SoundDirectory.assertSound(ours);
  }

  private static RespServer restarted(Path directory, int memoryBytes, int masterPort)
      throws Exception {
    Settings settings = new Settings();
    settings.set(ReplicationParameters.REPLICAOF, "127.0.0.1 " + masterPort);
    return SurfaceDifferentialTest.varve(directory, memoryBytes, settings);
  }

  private static String ask(WireClient client, String... request) throws IOException {
    client.send(List.of(List.of(request)));
    return client.read();
  }

  private static void round(WireClient master, SplittableRandom random, int count)
      throws IOException {
    Words words = new Words(random, false);
    List<Form> forms = SurfaceDifferentialTest.forms();
    int sent = 0;
    while (sent < count) {
      List<List<String>> batch = new ArrayList<>();
      int size = random.nextInt(BATCH_MAX) + 1;
      while (batch.size() < size) {
        boolean isTransaction = random.nextInt(20) == 0;
        if (isTransaction) {
          batch.add(List.of("MULTI"));
        }
        for (int i = random.nextInt(6); i >= 0; i--) {
          add(batch, forms.get(random.nextInt(forms.size())).make(words), random);
        }
        if (isTransaction) {
          batch.add(List.of(random.nextInt(5) == 0 ? "DISCARD" : "EXEC"));
        }
      }
      batch.add(List.of("EXEC"));
      if (random.nextInt(60) == 0) {
        batch.add(List.of("CLIENT", "KILL", "TYPE", "replica"));
      }
      master.send(batch);
      for (int i = 0; i < batch.size(); i++) {
        master.read();
      }
      sent += batch.size();
    }
  }

  private static void add(
      List<List<String>> batch, List<List<String>> requests, SplittableRandom random) {
    for (List<String> request : requests) {
      String name = request.get(0).toUpperCase(Locale.ROOT);
      boolean isLeftOut =
          LEFT_OUT.contains(name)
              || name.contains("SUBSCRIBE")
              || name.startsWith("BL")
              || name.startsWith("BR")
              || name.startsWith("BZ")
              || request.contains("BLOCK");
      if (isLeftOut) {
        continue;
      }
      if (random.nextInt(20) == 0) {
        List<String> script = new ArrayList<>();
        script.addAll(List.of("EVAL", "return redis.call(unpack(ARGV))", "0"));
        script.addAll(request);
        batch.add(script);
      } else {
        batch.add(request);
      }
    }
  }

  /** Waits until both are as far, from a moment on at which nobody writes. */
  private static void awaitOffset(WireClient master, WireClient replica) throws Exception {
    String theirs = "";
    String ours = "";
    for (int i = 0; i < LOOKS_MAX; i++) {
      theirs = Replies.elements(ask(master, "ROLE")).get(1);
      List<String> role = Replies.elements(ask(replica, "ROLE"));
      ours = role.get(4);
      if (role.get(3).equals("$9\r\nconnected\r\n") && ours.equals(theirs)) {
        return;
      }
      Thread.sleep(LOOK_MILLIS);
    }
    throw new AssertionError("the master is at " + theirs + ", who follows it at " + ours);
  }

  private static void compare(WireClient master, WireClient expected, WireClient actual)
      throws Exception {
    awaitOffset(master, expected);
    awaitOffset(master, actual);
    for (int database = 0; database < DATABASES; database++) {
      String number = Integer.toString(database);
      ask(expected, "SELECT", number);
      ask(actual, "SELECT", number);
      TreeSet<String> keys = new TreeSet<>();
      same(expected, actual, "KEYS", "*");
      for (String key : Replies.elements(ask(expected, "KEYS", "*"))) {
        keys.add(key.substring(key.indexOf('\n') + 1, key.length() - 2));
      }
      for (String key : keys) {
        same(expected, actual, "TYPE", key);
        same(expected, actual, "PEXPIRETIME", key);
        String type = ask(expected, "TYPE", key);
        switch (type.substring(1, type.length() - 2)) {
          case "string" -> same(expected, actual, "GET", key);
          case "list" -> same(expected, actual, "LRANGE", key, "0", "-1");
          case "set" -> same(expected, actual, "SMEMBERS", key);
          case "hash" -> same(expected, actual, "HGETALL", key);
          case "zset" -> same(expected, actual, "ZRANGE", key, "0", "-1", "WITHSCORES");
          case "stream" -> same(expected, actual, "XINFO", "STREAM", key, "FULL", "COUNT", "0");
          case "none" -> {}
          default -> throw new AssertionError(key + ": " + type);
        }
      }
    }
    ask(expected, "SELECT", "0");
    ask(actual, "SELECT", "0");
    same(expected, actual, "FUNCTION", "LIST", "WITHCODE");
  }

  /** Looked at several times, for what expires is gone at two moments. */
  private static void same(WireClient expected, WireClient actual, String... request)
      throws Exception {
    String theirs = "";
    String ours = "";
    for (int i = 0; i < LOOKS_MAX; i++) {
      theirs = ask(expected, request);
      ours = ask(actual, request);
      boolean isInAnyOrder = request[0].equals("FUNCTION");
      if (Likeness.isSame(List.of(request), theirs, ours)
          || (isInAnyOrder && isSameSet(theirs, ours))) {
        return;
      }
      Thread.sleep(LOOK_MILLIS);
    }
    throw new AssertionError(
        (Arrays.toString(request) + "\nredis " + theirs + "\nvarve " + ours).replace("\r\n", "|"));
  }

  private static boolean isSameSet(String theirs, String ours) {
    return new TreeSet<>(Replies.elements(theirs)).equals(new TreeSet<>(Replies.elements(ours)));
  }
}
