package dev.varve.server.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Requests of all types on a few keys, all from one seed: well-formed, often of the wrong type.
 *
 * <p>Single-threaded.
 */
final class RandomRequests {

  /** What the oracle can follow. */
  enum Oracle {
    /** It has the clock of the test and believes what was chosen at random. */
    MODEL,
    /**
     * It has the clock of the test, and chooses others: what is drawn depends on what is at hand.
     */
    OTHER_SIZES,
    /** It has a clock and a chance of its own: keys expire long ago or in many years. */
    REDIS
  }

  private static final int FILL_KEYS_MAX = 60;
  private static final int MANY = 200;
  private static final long FAR_MILLIS = 4_102_444_800_000L;

  private final SplittableRandom random;
  private final RandomWords words;
  private final Oracle oracle;
  private final LongSupplier clock;
  private final int databaseCount;
  private final List<RequestSource> sources;

  /** Makes one request. */
  private interface RequestSource {
    String[] next();
  }

  RandomRequests(SplittableRandom random, Oracle oracle, LongSupplier clock, int databaseCount) {
    this.random = random;
    this.words = new RandomWords(random);
    this.oracle = oracle;
    this.clock = clock;
    this.databaseCount = databaseCount;
    this.sources =
        new ArrayList<>(
            List.of(
                this::keys,
                this::expiry,
                this::strings,
                new RandomHashRequests(this)::next,
                new RandomListRequests(this)::next,
                new RandomSetRequests(this)::next,
                new RandomSortedSetRequests(this)::next));
    if (hasClockOfTest()) {
      RandomFurtherRequests further = new RandomFurtherRequests(this);
      sources.add(further::fields);
      sources.add(further::later);
      sources.add(new RandomStreamRequests(this)::next);
      sources.add(new RandomLoneRequests(this)::next);
    }
  }

  /** The time, in ms since 1970. */
  long nowMillis() {
    return clock.getAsLong();
  }

  RandomWords words() {
    return words;
  }

  /** The next request about keys of any type. */
  String[] next() {
    return switch (random.nextInt(120)) {
      case 0, 1 -> databases();
      case 2 -> fill();
      default -> sources.get(random.nextInt(sources.size())).next();
    };
  }

  /** A request that may stand between MULTI and EXEC and whose reply is known then. */
  String[] nextQueued() {
    String[] request;
    do {
      request = next();
    } while (request[0].equals("DBSIZE"));
    return request;
  }

  /** A request after which it is known what is there, whatever the reply was. */
  String[] nextWithoutChoice() {
    String[] request;
    do {
      request = next();
    } while (request[0].equals("SPOP"));
    return request;
  }

  /** A list of requests, one of which is taken. */
  String[] anyOf(RequestOption... options) {
    return options[random.nextInt(options.length)].make();
  }

  /** One of the requests that could be made. */
  interface RequestOption {
    String[] make();
  }

  static String[] request(String... parts) {
    return parts;
  }

  static String[] with(String[] request, String... more) {
    String[] longer = Arrays.copyOf(request, request.length + more.length);
    System.arraycopy(more, 0, longer, request.length, more.length);
    return longer;
  }

  /** A request with so many more parts of a kind, now and then with very many. */
  String[] withSome(String[] request, PartSource part) {
    int count = random.nextInt(40) == 0 ? random.nextInt(MANY) + 1 : random.nextInt(4) + 1;
    List<String> parts = new ArrayList<>(List.of(request));
    for (int i = 0; i < count; i++) {
      part.addTo(parts);
    }
    return parts.toArray(String[]::new);
  }

  /** Adds what belongs together. */
  interface PartSource {
    void addTo(List<String> parts);
  }

  boolean choosesAtRandom() {
    return oracle == Oracle.MODEL;
  }

  private boolean hasClockOfTest() {
    return oracle != Oracle.REDIS;
  }

  /** Many keys at once, so that there is enough for several tables. */
  private String[] fill() {
    boolean deletes = random.nextInt(3) == 0;
    List<String> parts = new ArrayList<>(List.of(deletes ? "DEL" : "MSET"));
    for (int i = random.nextInt(FILL_KEYS_MAX); i >= 0; i--) {
      parts.add(words.fillKey());
      if (!deletes) {
        parts.add(words.fillValue());
      }
    }
    return parts.toArray(String[]::new);
  }

  private String[] databases() {
    String number = Integer.toString(random.nextInt(databaseCount));
    return switch (random.nextInt(12)) {
      case 0, 1, 2, 3 -> request("SELECT", number);
      case 4 -> request("SWAPDB", number, Integer.toString(random.nextInt(databaseCount)));
      case 5 -> random.nextInt(3) == 0 ? request("FLUSHDB") : request("DBSIZE");
      case 6 -> random.nextInt(10) == 0 ? request("FLUSHALL") : request("DBSIZE");
      case 7 -> request("KEYS", "*");
      case 8, 9 -> choosesAtRandom() ? request("RANDOMKEY") : request("DBSIZE");
      default -> request("SELECT", "0");
    };
  }

  private String[] keys() {
    String number = Integer.toString(random.nextInt(databaseCount));
    return anyOf(
        () -> request(words.anyOf("DEL", "UNLINK"), words.anyKey()),
        () -> request("DEL", words.anyKey(), words.anyKey()),
        () -> request(words.anyOf("EXISTS", "TOUCH"), words.anyKey(), words.anyKey()),
        () -> request("TYPE", words.anyKey()),
        () -> request("TYPE", words.anyKey()),
        () -> renamed(words.anyOf("RENAME", "RENAMENX")),
        () -> renamed("COPY"),
        () -> with(renamed("COPY"), "REPLACE"),
        () -> with(renamed("COPY"), "DB", number, "REPLACE"),
        () -> request("MOVE", words.anyKey(), number));
  }

  /** A request that gives a key another name, copies or deletes it. */
  String[] withRenamed(String source, String target) {
    return anyOf(
        () -> request("RENAME", source, target),
        () -> request("COPY", source, target, "REPLACE"),
        () -> request("DEL", source));
  }

  private String[] renamed(String command) {
    String source = words.anyKey();
    String target = words.likeKey(source);
    // Of a wrong kind now and then, so that each name has held every type.
    return request(command, source, random.nextInt(20) == 0 ? words.anyKey() : target);
  }

  private String[] expiry() {
    String key = words.anyKey();
    return anyOf(
        () -> conditional(expire(key)),
        () -> expire(key),
        () -> request(words.anyOf("EXPIRETIME", "PEXPIRETIME"), key),
        () -> request(hasClockOfTest() ? words.anyOf("TTL", "PTTL") : "EXPIRETIME", key),
        () -> request("PERSIST", key));
  }

  private String[] expire(String key) {
    if (oracle == Oracle.REDIS) {
      return random.nextInt(8) == 0
          ? request("PEXPIRE", key, "-1")
          : request("PEXPIREAT", key, absoluteMillis());
    }
    return switch (random.nextInt(4)) {
      case 0 -> request("EXPIRE", key, Integer.toString(random.nextInt(-1, 60)));
      case 1 -> request("PEXPIRE", key, Integer.toString(random.nextInt(-10, 20_000)));
      case 2 -> request("EXPIREAT", key, absoluteSeconds());
      default -> request("PEXPIREAT", key, absoluteMillis());
    };
  }

  private String[] conditional(String[] request) {
    return with(request, words.anyOf("NX", "XX", "GT", "LT"));
  }

  private String absoluteMillis() {
    return Long.toString(
        oracle == Oracle.REDIS
            ? FAR_MILLIS + random.nextInt(100_000)
            : clock.getAsLong() + random.nextLong(-1_000, 100_000));
  }

  private String absoluteSeconds() {
    return Long.toString(
        oracle == Oracle.REDIS
            ? FAR_MILLIS / 1000 + random.nextInt(100)
            : clock.getAsLong() / 1000 + random.nextLong(0, 10_000));
  }

  private String[] expiryOption() {
    if (oracle == Oracle.REDIS) {
      return random.nextBoolean()
          ? request("PXAT", absoluteMillis())
          : request("EXAT", absoluteSeconds());
    }
    return switch (random.nextInt(4)) {
      case 0 -> request("EX", Integer.toString(random.nextInt(1, 60)));
      case 1 -> request("PX", Integer.toString(random.nextInt(1, 20_000)));
      case 2 -> request("EXAT", absoluteSeconds());
      default -> request("PXAT", absoluteMillis());
    };
  }

  private String bit() {
    return Integer.toString(random.nextInt(random.nextInt(20) == 0 ? 4_000 : 300));
  }

  private String[] strings() {
    String key = words.key('s');
    return anyOf(
        () -> request("SET", key, words.value()),
        () -> request("SET", key, words.value()),
        () -> with(request("SET", key, words.value()), expiryOption()),
        () -> with(request("SET", key, words.value(), words.anyOf("NX", "XX")), expiryOption()),
        () -> request("SET", key, words.value(), words.anyOf("NX", "XX", "KEEPTTL", "GET")),
        () -> with(request("SET", key, words.value(), "GET", "XX"), expiryOption()),
        () -> request("SETNX", key, words.value()),
        () ->
            hasClockOfTest()
                ? request("SETEX", key, Integer.toString(random.nextInt(1, 60)), words.value())
                : request("GETSET", key, words.value()),
        () -> request("GETSET", key, words.value()),
        () -> request("GETDEL", key),
        () -> with(request("GETEX", key), expiryOption()),
        () -> request("GETEX", key, "PERSIST"),
        () -> request("GETEX", key),
        () -> request("GET", key),
        () -> request("GET", words.anyKey()),
        () -> request("APPEND", key, words.value()),
        () -> request("STRLEN", key),
        () -> request("SETRANGE", key, Integer.toString(random.nextInt(30)), words.value()),
        () -> request("GETRANGE", key, words.index(), words.index()),
        () -> request("SETBIT", key, bit(), words.anyOf("0", "1")),
        () -> request("SETBIT", key, bit(), words.anyOf("0", "1")),
        () -> request("GETBIT", key, bit()),
        () -> request("BITCOUNT", key),
        () -> request("BITPOS", key, words.anyOf("0", "1")),
        () -> request("BITOP", words.anyOf("AND", "OR", "XOR"), key, words.key('s'), key),
        () -> request("BITOP", "NOT", key, words.key('s')),
        () -> request(words.anyOf("INCR", "DECR"), words.key('n')),
        () -> request(words.anyOf("INCRBY", "DECRBY"), words.key('n'), words.index()),
        () -> request("MGET", key, words.anyKey(), words.key('s')),
        () ->
            withSome(
                request("MSET"), parts -> parts.addAll(List.of(words.key('s'), words.value()))),
        () -> request("MSETNX", key, words.value(), words.key('s'), words.value()));
  }
}
