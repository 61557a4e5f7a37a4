package dev.varve.server.model;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Of two streams with a group each. */
final class LargeStreamRequests extends LargeRequests {
  private static final int CONSUMERS = 3;

  /** Ids are of this many milliseconds and a little more. */
  private long latest = 1;

  LargeStreamRequests(SplittableRandom random) {
    super(random, "x");
  }

  @Override
  String[] fill(String key) {
    return add(key);
  }

  private String[] add(String key) {
    latest += random.nextInt(3);
    return request("XADD", key, latest + "-*", "field", number(MEMBERS));
  }

  @Override
  String[] all(String key) {
    return request("XRANGE", key, "-", "+");
  }

  @Override
  String[] next() {
    String key = key();
    return switch (random.nextInt(40)) {
      case 0 -> request("XDEL", key, id());
      case 1 -> deleteMany(key);
      case 2 -> request("XLEN", key);
      case 3, 4 -> request("XRANGE", key, id(), "+", "COUNT", few());
      case 5 -> request("XREVRANGE", key, "+", "-", "COUNT", few());
      case 6 -> request("XREVRANGE", key, id(), id(), "COUNT", few());
      case 7 -> request("XREAD", "COUNT", few(), "STREAMS", "x0", "x1", id(), id());
      case 8, 9 -> read(key, ">");
      case 10 -> read(key, id());
      case 11 -> acknowledge(key);
      case 12 -> request("XPENDING", key, "group");
      case 13 -> request("XAUTOCLAIM", key, "group", consumer(), "0", id(), "JUSTID");
      case 14 -> request("XCLAIM", key, "group", consumer(), "0", id(), id(), "JUSTID");
      case 15 -> random.nextInt(4) == 0 ? rarely(key) : request("XLEN", key);
      default -> add(key);
    };
  }

  private String[] rarely(String key) {
    return switch (random.nextInt(10)) {
      case 0 -> ofAnyType();
      case 1 -> request("XTRIM", key, "MAXLEN", number(MEMBERS));
      case 2 -> request("XTRIM", key, "MINID", id());
      case 3 -> request("XGROUP", "SETID", key, "group", id());
      case 4 -> request("XGROUP", "DELCONSUMER", key, "group", consumer());
      case 5 -> request("XGROUP", "DESTROY", key, "group");
      default -> request("XGROUP", "CREATE", key, "group", "0");
    };
  }

  private String[] read(String key, String from) {
    String count = "" + (1 + random.nextInt(20));
    return request(
        "XREADGROUP", "GROUP", "group", consumer(), "COUNT", count, "STREAMS", key, from);
  }

  private String[] acknowledge(String key) {
    return many("XACK", key, "group");
  }

  private String[] deleteMany(String key) {
    return many("XDEL", key);
  }

  /** Ids that follow each other. */
  private String[] many(String... words) {
    List<String> request = new ArrayList<>(List.of(words));
    long first = random.nextLong(latest);
    for (int i = 0; i < 10; i++) {
      request.add(first + i + "-0");
    }
    return request.toArray(String[]::new);
  }

  private String consumer() {
    return "c" + random.nextInt(CONSUMERS);
  }

  private String id() {
    return random.nextLong(latest + 1) + "-" + random.nextInt(2);
  }
}
