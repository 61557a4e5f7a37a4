package dev.varve.server.model;

import java.util.List;
import java.util.SplittableRandom;

/** Of two sorted sets. */
final class LargeSortedSetRequests extends LargeRequests {
  private static final int SCORES = 2_000;

  LargeSortedSetRequests(SplittableRandom random) {
    super(random, "z");
  }

  @Override
  String[] fill(String key) {
    return repeated(List.of(this::score, this::member), "ZADD", key);
  }

  @Override
  String[] all(String key) {
    return request("ZRANGE", key, "0", "-1", "WITHSCORES");
  }

  @Override
  String[] next() {
    String key = key();
    String member = member();
    String score = score();
    return switch (random.nextInt(34)) {
      case 0 -> fill(key);
      case 1, 2 -> request("ZINCRBY", key, "" + (random.nextInt(100) - 50), member);
      case 3, 4 -> request("ZREM", key, member);
      case 5 -> repeated(List.of(this::member), "ZREM", key, member);
      case 6, 7, 8 -> request("ZRANK", key, member);
      case 9 -> request("ZREVRANK", key, member);
      case 10, 11 -> range("ZRANGE", key);
      case 12 -> range("ZREVRANGE", key);
      case 13 -> request("ZCOUNT", key, score, score());
      case 14 -> request("ZPOPMIN", key, few());
      case 15 -> request("ZPOPMAX", key, few());
      case 16 -> request("ZRANGEBYSCORE", key, score, "+inf", "LIMIT", number(FILL), "5");
      case 17 -> request("ZREVRANGEBYSCORE", key, score, "-inf", "LIMIT", number(FILL), "5");
      case 18 -> request("ZCARD", key);
      case 19 -> rarely(key);
      case 20 -> request("ZMSCORE", key, member, member(), member());
      case 21 -> request("ZCOUNT", key, "(" + score, "+inf");
      default -> request("ZADD", key, score, member);
    };
  }

  private String[] range(String command, String key) {
    int from = random.nextInt(MEMBERS);
    return request(command, key, "" + from, "" + (from + 5), "WITHSCORES");
  }

  /** What takes many members away at once. */
  private String[] rarely(String key) {
    int from = random.nextInt(MEMBERS);
    return switch (random.nextInt(12)) {
      case 0 -> ofAnyType();
      case 1, 2 -> request("ZREMRANGEBYRANK", key, "" + from, "" + (from + FILL));
      case 3, 4 -> request("ZREMRANGEBYSCORE", key, score(), score());
      case 5 -> request("ZUNIONSTORE", key, "2", "z0", "z1");
      case 6 -> request("ZINTERSTORE", key, "2", "z0", "z1");
      case 7 -> request("ZRANGESTORE", key, key(), "" + from / 2, "-1");
      default -> request("ZREMRANGEBYRANK", key, "" + from, "" + (from + 5));
    };
  }

  private String member() {
    return "m" + random.nextInt(MEMBERS);
  }

  /** A quarter of the members share a score. */
  private String score() {
    return random.nextInt(4) == 0 ? "7" : "" + random.nextInt(SCORES) / 2.0;
  }
}
