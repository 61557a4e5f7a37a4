package dev.varve.server.model;

import static dev.varve.server.model.RandomRequests.request;

/**
 * Random requests about keys that are asked for nothing else: HyperLogLogs, whose bytes the model
 * does not have, and places, whose scores have to be some.
 */
final class RandomLoneRequests {
  private static final int KEYS = 3;
  private static final int PLACES = 8;
  private static final String PREFIX = "lone-";
  private static final String SKETCH = "sketch";

  private final RandomRequests requests;
  private final RandomWords words;

  RandomLoneRequests(RandomRequests requests) {
    this.requests = requests;
    this.words = requests.words();
  }

  /** Whether a key holds a HyperLogLog, if anything. */
  static boolean isSketch(String key) {
    return key.startsWith(PREFIX + SKETCH);
  }

  String[] next() {
    return words.random().nextBoolean() ? sketches() : places();
  }

  private String key(String kind) {
    return PREFIX + kind + words.random().nextInt(KEYS);
  }

  private String[] sketches() {
    String key = key(SKETCH);
    return requests.anyOf(
        () -> requests.withSome(request("PFADD", key), parts -> parts.add(words.member())),
        () -> requests.withSome(request("PFADD", key), parts -> parts.add(words.fillValue())),
        () -> request("PFADD", key),
        () -> request("PFCOUNT", key),
        () -> request("PFCOUNT", key, key(SKETCH), key(SKETCH)),
        () -> request("PFMERGE", key, key(SKETCH)),
        () -> request("PFMERGE", key, key(SKETCH), key(SKETCH)),
        () -> any(key, key(SKETCH)));
  }

  private String[] places() {
    String key = key("place");
    String radius = Integer.toString(words.random().nextInt(3_000));
    return requests.anyOf(
        () -> add(key),
        () -> add(key),
        () -> request("GEOPOS", key, place(), place()),
        () -> request("GEODIST", key, place(), place(), "m"),
        () -> request("GEOSEARCH", key, "FROMMEMBER", place(), "BYRADIUS", radius, "km", "ASC"),
        () -> storeAround(key, radius),
        () -> request("ZREM", key, place(), place()),
        () -> request("ZCARD", key),
        () -> request("ZRANK", key, place()),
        () -> any(key, key("place")));
  }

  private String[] add(String key) {
    return requests.withSome(
        request("GEOADD", key),
        parts -> {
          parts.add(degrees(180));
          parts.add(degrees(85));
          parts.add(place());
        });
  }

  private String[] storeAround(String key, String radius) {
    return request(
        "GEOSEARCHSTORE", key("place"), key, "FROMMEMBER", place(), "BYRADIUS", radius, "km");
  }

  /** One of few names, so that most are there. */
  private String place() {
    return "place" + words.random().nextInt(PLACES);
  }

  private String degrees(int most) {
    return Double.toString(words.random().nextInt(-100 * most, 100 * most) / 100.0);
  }

  private String[] any(String key, String other) {
    return requests.anyOf(
        () -> requests.withRenamed(key, other),
        () -> request("PEXPIRE", key, Integer.toString(words.random().nextInt(20_000))),
        () -> request("PERSIST", key));
  }
}
