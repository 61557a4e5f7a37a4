package dev.varve.perf.peer;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One command as redis-benchmark sends it again and again.
 *
 * @param name as on the command line and in the table
 * @param command its words; {@code __rand_int__} stands for a number of twelve digits below the key
 *     range
 * @param data what must be there before
 */
record Workload(String name, List<String> command, Data data) {

  /** What a workload finds in the server. */
  enum Data {
    /** Nothing. */
    NONE,
    /** Keys, as {@code set} leaves them. */
    KEYS,
    /** Fields of {@code bench:hash}, as {@code hset} leaves them. */
    FIELDS,
    /** What {@code lpush} has just pushed, and nobody has popped. */
    QUEUE,
    /** A list of {@link DataSets#LIST_LENGTH} elements under {@code bench:list}. */
    LIST,
    /** A sorted set of {@link DataSets#BOARD_MEMBERS} members under {@code bench:board}. */
    BOARD,
    /** {@link DataSets#COLLECTIONS} of each type, under {@code bench:large:hash:…} and so on. */
    LARGE,
    /** A set with more members than are popped, made anew for each run. */
    SET_TO_POP,
    /** A sorted set with more members than are popped, made anew for each run. */
    ZSET_TO_POP
  }

  /** What keys begin with; twelve digits follow. */
  static final String KEY = "bench:key:";

  /** The hash whose fields begin as {@link #FIELD} says; twelve digits follow. */
  static final String HASH = "bench:hash";

  static final String FIELD = "field:";

  /** What {@code lpush} pushes to and {@code rpop} pops from. */
  static final String QUEUE = "bench:queue";

  /** The workload that pushes to it. */
  static final String PUSHES = "lpush";

  /** What is popped. */
  static final String POPPED = "bench:popped";

  /** What the names of large collections begin with; their type and twelve digits follow. */
  static final String LARGE = "bench:large:";

  /** Of a value, where nothing is said. */
  static final int VALUE_BYTES = 100;

  /** An argument of redis-benchmark's own may not be much longer. */
  static final int VALUE_BYTES_MAX = 100_000;

  private static final String RANDOM = "__rand_int__";
  private static final String FIRST_OF_MIDDLE = Long.toString(DataSets.BOARD_MEMBERS / 2);
  private static final String LAST_OF_MIDDLE = Long.toString(DataSets.BOARD_MEMBERS / 2 + 99);

  /**
   * All there are, in the order in which they run: who reads comes after who writes.
   *
   * @param valueBytes of what is set and pushed, at most {@link #VALUE_BYTES_MAX}
   */
  static List<Workload> all(int valueBytes) {
    String value = "v".repeat(valueBytes);
    return List.of(
        of("set", Data.NONE, "SET", KEY + RANDOM, value),
        of("get", Data.KEYS, "GET", KEY + RANDOM),
        of("incr", Data.NONE, "INCR", "bench:count:" + RANDOM),
        new Workload("mset", mset(value), Data.NONE),
        of(PUSHES, Data.NONE, "LPUSH", QUEUE, value),
        of("rpop", Data.QUEUE, "RPOP", QUEUE),
        of("sadd", Data.NONE, "SADD", "bench:set", "member:" + RANDOM),
        of("hset", Data.NONE, "HSET", HASH, FIELD + RANDOM, value),
        of("hget", Data.FIELDS, "HGET", HASH, FIELD + RANDOM),
        of("zadd", Data.NONE, "ZADD", "bench:zset", RANDOM, "member:" + RANDOM),
        of("spop", Data.SET_TO_POP, "SPOP", POPPED),
        of("zpopmin", Data.ZSET_TO_POP, "ZPOPMIN", POPPED),
        of("lrange_100", Data.LIST, "LRANGE", "bench:list", "0", "99"),
        of("zrange_100", Data.BOARD, "ZRANGE", "bench:board", "0", "99"),
        of("zrevrange_100", Data.BOARD, "ZREVRANGE", "bench:board", "0", "99"),
        of("zrange_middle", Data.BOARD, "ZRANGE", "bench:board", FIRST_OF_MIDDLE, LAST_OF_MIDDLE),
        of(
            "zrevrange_middle",
            Data.BOARD,
            "ZREVRANGE",
            "bench:board",
            FIRST_OF_MIDDLE,
            LAST_OF_MIDDLE),
        of("zrank", Data.BOARD, "ZRANK", "bench:board", "member:" + RANDOM));
  }

  /**
   * Those that read a large collection as a whole, one of many, more than a cache has room for.
   * They run where they are named.
   */
  static List<Workload> large() {
    return List.of(
        of("hgetall_5000", Data.LARGE, "HGETALL", LARGE + "hash:" + RANDOM),
        of("smembers_5000", Data.LARGE, "SMEMBERS", LARGE + "set:" + RANDOM),
        of("zrange_5000", Data.LARGE, "ZRANGE", LARGE + "zset:" + RANDOM, "0", "-1"),
        of("lrange_5000", Data.LARGE, "LRANGE", LARGE + "list:" + RANDOM, "0", "-1"));
  }

  /** What a request brings or asks for, about. */
  int bytes(int valueBytes) {
    return data == Data.LARGE ? DataSets.COLLECTION_MEMBERS * VALUE_BYTES : valueBytes;
  }

  /** The one that leaves what this one finds, where both run; null if none does. */
  @Nullable String writer() {
    return switch (data) {
      case KEYS -> "set";
      case FIELDS -> "hset";
      case QUEUE -> PUSHES;
      case NONE, LIST, BOARD, LARGE, SET_TO_POP, ZSET_TO_POP -> null;
    };
  }

  /**
   * The same from a generator of our own.
   *
   * @param range numbers that {@code __rand_int__} stands for
   */
  Steps steps(long range) {
    Command its = Command.create(command.get(0));
    List<String> arguments = command.subList(1, command.size());
    return random -> {
      Request request = Request.cmd(its);
      for (String each : arguments) {
        request.arg(
            each.contains(RANDOM)
                ? each.replace(RANDOM, String.format(Locale.ROOT, "%012d", random.nextLong(range)))
                : each);
      }
      return List.of(request);
    };
  }

  private static Workload of(String name, Data data, String... command) {
    return new Workload(name, List.of(command), data);
  }

  private static List<String> mset(String value) {
    String[] words = new String[21];
    words[0] = "MSET";
    for (int i = 1; i < words.length; i += 2) {
      words[i] = KEY + RANDOM;
      words[i + 1] = value;
    }
    return List.of(words);
  }
}
