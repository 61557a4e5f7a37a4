package dev.varve.server.model;

import static dev.varve.server.model.RandomRequests.request;
import static dev.varve.server.model.RandomRequests.with;

import java.util.SplittableRandom;

/**
 * Requests that are made where no oracle has to answer them too: about places, and what the
 * redis-server of the tests does not know, such as fields of hashes that expire.
 *
 * <p>Single-threaded.
 */
final class RandomFurtherRequests {
  private static final long MOMENT_MILLIS = 1_000_000;

  private final RandomRequests requests;
  private final RandomWords words;
  private final SplittableRandom random;

  RandomFurtherRequests(RandomRequests requests) {
    this.requests = requests;
    this.words = requests.words();
    this.random = words.random();
  }

  String[] next() {
    return switch (random.nextInt(8)) {
      case 0 -> later();
      case 1, 2, 3 -> fields();
      default -> places();
    };
  }

  /** What later releases have given to commands, and commands for strings. */
  String[] later() {
    String key = words.key('s');
    String known = words.anyOf("1", "2");
    String condition = words.anyOf("IFEQ", "IFNE");
    String millis = Integer.toString(1 + random.nextInt(20_000));
    return requests.anyOf(
        this::bits,
        () -> request("SET", key, known, condition, words.anyOf("1", "2")),
        () -> request("SET", key, known, condition, words.anyOf("1", "2"), "GET", "KEEPTTL"),
        () -> request("SET", key, known, condition, words.anyOf("1", "2"), "PX", millis),
        () -> request("DELIFEQ", key, known),
        () ->
            request(
                "MSETEX",
                "2",
                key,
                known,
                words.key('s'),
                known,
                words.anyOf("NX", "XX"),
                "PX",
                millis),
        () ->
            request(words.anyOf("ZRANK", "ZREVRANK"), words.key('z'), words.member(), "WITHSCORE"));
  }

  private String[] bits() {
    String operation = words.anyOf("DIFF", "DIFF1", "ANDOR", "ONE");
    return requests.anyOf(
        () -> request("BITOP", operation, words.key('s'), words.key('s'), words.key('s')),
        () ->
            request(
                "BITOP", operation, words.key('s'), words.key('s'), words.key('s'), words.key('s')),
        () -> request("BITOP", "ONE", words.key('s'), words.key('s')));
  }

  private String[] places() {
    String key = words.key('G');
    String radius = Integer.toString(random.nextInt(3_000));
    return requests.anyOf(
        () -> place(key),
        () -> place(key),
        () -> place(key),
        () -> request("GEOADD", key, "XX", "CH", degrees(180), degrees(85), words.member()),
        () -> request("GEOPOS", key, words.member(), words.member()),
        () -> request("GEOHASH", key, words.member(), words.member()),
        () -> request("GEODIST", key, words.member(), words.member(), words.anyOf("m", "km")),
        () -> with(request("GEOSEARCH", key), around(radius)),
        () -> with(request("GEOSEARCH", key, "FROMLONLAT"), inBox(radius)),
        () -> with(request("GEOSEARCHSTORE", words.key('G'), key), around(radius)),
        () -> request("ZREM", key, words.member()),
        () -> request("ZRANGE", key, words.index(), words.index(), "WITHSCORES"),
        () -> requests.withRenamed(key, words.likeKey(key)));
  }

  private String[] around(String radius) {
    return request("FROMMEMBER", words.member(), "BYRADIUS", radius, "km");
  }

  private String[] inBox(String width) {
    String[] box = request(degrees(180), degrees(85), "BYBOX", width, width, "km");
    return with(box, "ASC", "COUNT", words.count(), "WITHDIST", "WITHHASH");
  }

  private String[] place(String key) {
    return requests.withSome(
        request("GEOADD", key),
        parts -> {
          parts.add(degrees(180));
          parts.add(degrees(85));
          parts.add(words.member());
        });
  }

  private String degrees(int most) {
    return Double.toString(random.nextInt(-100 * most, 100 * most) / 100.0);
  }

  /** About fields of hashes that expire. */
  String[] fields() {
    String key = words.key('h');
    String first = words.member();
    // Twice the same, so that a condition meets what the request itself has set.
    String second = random.nextInt(3) == 0 ? first : words.member();
    String millis = Integer.toString(random.nextInt(20_000));
    String condition = words.anyOf("NX", "XX", "GT", "LT");
    // The same for many requests, so that a condition also meets the very moment that is set.
    long moment = (requests.nowMillis() / MOMENT_MILLIS + random.nextInt(1, 3)) * MOMENT_MILLIS;
    String momentMillis = Long.toString(moment);
    String momentSeconds = Long.toString(moment / 1000);
    return requests.anyOf(
        () -> request("HPEXPIRE", key, millis, "FIELDS", "2", first, second),
        () -> request("HPEXPIRE", key, millis, "FIELDS", "2", first, second),
        () -> request("HPEXPIRE", key, millis, condition, "FIELDS", "2", first, second),
        () -> request("HEXPIRE", key, words.count(), "FIELDS", "1", first),
        () -> request("HPEXPIREAT", key, momentMillis, "FIELDS", "2", first, second),
        () -> request("HPEXPIREAT", key, momentMillis, condition, "FIELDS", "2", first, second),
        () -> request("HEXPIREAT", key, momentSeconds, condition, "FIELDS", "2", first, second),
        () -> request("HPERSIST", key, "FIELDS", "2", first, second),
        () -> request(words.anyOf("HTTL", "HPTTL"), key, "FIELDS", "2", first, second),
        () ->
            request(words.anyOf("HEXPIRETIME", "HPEXPIRETIME"), key, "FIELDS", "2", first, second),
        () -> request("HGETEX", key, "PX", millis, "FIELDS", "2", first, second),
        () -> request("HGETEX", key, "PERSIST", "FIELDS", "1", first),
        () -> request("HSETEX", key, "PX", millis, "FIELDS", "1", first, words.value()),
        () -> request("HGETDEL", key, "FIELDS", "2", first, second),
        () -> request("HMGET", key, first, second),
        () -> request("HGETALL", key),
        () -> request("HLEN", key));
  }
}
