package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The table of commands in docs/compatibility.md is what the command table says. To write it anew:
 * {@code -Dvarve.rewrite=true}.
 */
class CompatibilityTest {
  private static final Path FILE = Path.of("..", "docs", "compatibility.md");
  private static final String BEGIN = "<!-- commands: written by CompatibilityTest -->\n";
  private static final String END = "<!-- end of commands -->\n";

  /** All commands of Redis 7.0 by their groups. */
  private static final String REDIS =
      """
      string append decr decrby get getdel getex getrange getset incr incrby incrbyfloat
      string lcs mget mset msetnx psetex set setex setnx setrange strlen substr
      hash hdel hexists hget hgetall hincrby hincrbyfloat hkeys hlen hmget hmset hrandfield
      hash hscan hset hsetnx hstrlen hvals
      list blmove blmpop blpop brpop brpoplpush lindex linsert llen lmove lmpop lpop lpos
      list lpush lpushx lrange lrem lset ltrim rpop rpoplpush rpush rpushx
      set sadd scard sdiff sdiffstore sinter sintercard sinterstore sismember smembers
      set smismember smove spop srandmember srem sscan sunion sunionstore
      sorted-set bzmpop bzpopmax bzpopmin zadd zcard zcount zdiff zdiffstore zincrby zinter
      sorted-set zintercard zinterstore zlexcount zmpop zmscore zpopmax zpopmin zrandmember
      sorted-set zrange zrangebylex zrangebyscore zrangestore zrank zrem zremrangebylex
      sorted-set zremrangebyrank zremrangebyscore zrevrange zrevrangebylex zrevrangebyscore
      sorted-set zrevrank zscan zscore zunion zunionstore
      stream xack xadd xautoclaim xclaim xdel xgroup xinfo xlen xpending xrange xread
      stream xreadgroup xrevrange xsetid xtrim
      bitmap bitcount bitfield bitfield_ro bitop bitpos getbit setbit
      hyperloglog pfadd pfcount pfdebug pfmerge pfselftest
      geo geoadd geodist geohash geopos georadius georadius_ro georadiusbymember
      geo georadiusbymember_ro geosearch geosearchstore
      generic copy del dump exists expire expireat expiretime keys migrate move object
      generic persist pexpire pexpireat pexpiretime pttl randomkey rename renamenx restore
      generic scan sort sort_ro touch ttl type unlink wait
      transactions discard exec multi unwatch watch
      pubsub psubscribe publish pubsub punsubscribe spublish ssubscribe subscribe
      pubsub sunsubscribe unsubscribe
      connection auth client echo hello ping quit reset select
      server acl bgrewriteaof bgsave command config dbsize debug failover flushall flushdb
      server info lastsave latency lolwut memory module monitor psync replconf replicaof
      server restore-asking role save shutdown slaveof slowlog swapdb sync time
      scripting eval eval_ro evalsha evalsha_ro fcall fcall_ro function script
      cluster asking cluster readonly readwrite
      """;

  /** From this on they are those of Valkey, which counts otherwise. */
  private static final String ONLY_VALKEY = "9";

  /** What differs, or why there is no such command. */
  private static final String NOTES =
      """
      client|`NO-EVICT` is taken, nothing is evicted; `TRACKING` tells of `SWAPDB` as of `FLUSHDB`
      config|parameters without meaning here are taken and shown; ports and certificates cannot change inside MULTI, nor can the file be written
      debug|only `SLEEP`, `SET-ACTIVE-EXPIRE`, `OBJECT` (without `lru`), `PROTOCOL`, `LOG` and `HELP`, and those where `enable-debug-command` allows it
      shutdown|`SAVE`, `NOSAVE` and `FORCE` are the same: everything is on disk. `ABORT` ends what another SHUTDOWN has begun, but not what a signal has: that is answered `-ERR No shutdown in progress.`, and the server ends once its replicas have all, or after `shutdown-timeout`
      bgrewriteaof|there is nothing to rewrite: compaction does it all the time
      acl|`LOAD` and `SAVE` are refused inside `MULTI`, where they would wait for a file
      module|`LIST` is empty, the others are refused
      memory|`USAGE` is the size in the tree; `STATS` lists Varve's parts; `DOCTOR` says other things
      object|`REFCOUNT` is always 1; `IDLETIME` is how long a key has not been used at the least, as keys share slots in memory; under an LFU policy it is refused as in Redis, and `FREQ` counts uses as Redis does, those of a slot: as often at the most, in memory alone, from the choice of the policy on
      latency|`GRAPH` and `DOCTOR` look and read otherwise
      lolwut|another picture
      save|writes all memtables as tables: every write is durable as `appendfsync` says anyway; with `backup-dir` it leaves a directory to start on there, not a file
      bgsave|as `SAVE`, in the background
      info|Varve's own sections and fields besides those of Redis that have a meaning here
      monitor|lines of commands that ran on different event loops may change places
      cluster|one server has all slots, where `cluster-enabled yes` is said: what would change that is refused; the keys of a slot are found among all
      restore-asking|slots never move, so nobody sends it
      migrate|not inside MULTI or scripts; a key that changes while it is on its way stays, and the reply is an error
      script|no `DEBUG`
      """;

  private static Map<String, String> notes() {
    Map<String, String> notes = new TreeMap<>();
    for (String line : NOTES.split("\n")) {
      String[] parts = line.split("\\|", 2);
      notes.put(parts[0], parts[1]);
    }
    return notes;
  }

  private static String generated(CommandTable table) {
    Map<String, String> notes = notes();
    StringBuilder rows =
        new StringBuilder("| group | command | here | what differs, or why not |\n");
    rows.append("|---|---|---|---|\n");
    int[] counts = new int[3];
    for (String line : REDIS.split("\n")) {
      String[] words = line.split(" ");
      for (int i = 1; i < words.length; i++) {
        Command command = table.find(words[i].getBytes(StandardCharsets.US_ASCII));
        boolean isThere = command != null && !command.isUnsupported();
        String note = notes.getOrDefault(words[i], isThere ? "" : "on its way");
        int answer = isThere ? note.isEmpty() ? 0 : 1 : 2;
        counts[answer]++;
        rows.append("| ").append(words[0]).append(" | ");
        rows.append(words[i].toUpperCase(Locale.ROOT)).append(" | ");
        rows.append(new String[] {"yes", "partly", "no"}[answer]).append(" | ");
        rows.append(note).append(note.isEmpty() ? "|\n" : " |\n");
      }
    }
    return "Of the "
        + (counts[0] + counts[1] + counts[2])
        + " commands of Redis 7.0: yes "
        + counts[0]
        + ", partly "
        + counts[1]
        + ", no "
        + counts[2]
        + ".\n\nAnd from later releases: "
        + later(table)
        + ".\n\n"
        + rows;
  }

  /** The commands that Redis has since 7.2 or later, and since when. */
  private static String later(CommandTable table) {
    TreeMap<String, List<String>> later = new TreeMap<>();
    for (Command command : table.all()) {
      addLater(command, later);
      if (command.subcommands() != null) {
        command.subcommands().all().forEach(its -> addLater(its, later));
      }
    }
    return later.entrySet().stream()
        .map(
            release -> String.join(", ", release.getValue()) + " (" + named(release.getKey()) + ")")
        .collect(Collectors.joining("; "));
  }

  private static String named(String release) {
    return release.compareTo(ONLY_VALKEY) < 0 ? release : "Valkey " + release;
  }

  private static void addLater(Command command, Map<String, List<String>> later) {
    if (command.since().compareTo("7.1") > 0) {
      later
          .computeIfAbsent(command.since(), since -> new ArrayList<>())
          .add(command.fullName().replace('|', ' ').toUpperCase(Locale.ROOT));
    }
  }

  @Test
  void theDocumentSaysWhatTheTableSays() throws IOException {
    String text = Files.readString(FILE);
    int from = text.indexOf(BEGIN) + BEGIN.length();
    int to = text.indexOf(END);
    assertTrue(from > BEGIN.length() && to >= from, "the marks are missing in " + FILE);
    String expected;
    try (ServerFixture fixture = new ServerFixture()) {
      expected = generated(fixture.server.table());
    }
    if (Boolean.getBoolean("varve.rewrite")) {
      Files.writeString(FILE, text.substring(0, from) + expected + text.substring(to));
      return;
    }
    assertEquals(
        expected,
        text.substring(from, to),
        "run this test with -Dvarve.rewrite=true and look at the difference");
  }

  @Test
  void allCommandsOfRedisAreListedOnce() {
    Map<String, String> groups = new TreeMap<>();
    for (String line : REDIS.split("\n")) {
      String[] words = line.split(" ");
      for (int i = 1; i < words.length; i++) {
        assertEquals(null, groups.put(words[i], words[0]));
      }
    }
    assertEquals(240, groups.size());
    notes().keySet().forEach(name -> assertTrue(groups.containsKey(name), name));
  }
}
