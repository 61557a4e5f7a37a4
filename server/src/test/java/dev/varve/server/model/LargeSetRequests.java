package dev.varve.server.model;

import java.util.List;
import java.util.SplittableRandom;

/** Of two sets. */
final class LargeSetRequests extends LargeRequests {

  LargeSetRequests(SplittableRandom random) {
    super(random, "s");
  }

  @Override
  String[] fill(String key) {
    return repeated(List.of(this::member), "SADD", key);
  }

  @Override
  String[] all(String key) {
    return request("SMEMBERS", key);
  }

  @Override
  int unordered() {
    return 1;
  }

  @Override
  String[] next() {
    String key = key();
    String member = member();
    return switch (random.nextInt(20)) {
      case 0, 1 -> fill(key);
      case 2, 3 -> request("SREM", key, member);
      case 4 -> repeated(List.of(this::member), "SREM", key);
      case 5, 6 -> request("SISMEMBER", key, member);
      case 7 -> request("SMISMEMBER", key, member, member(), member());
      case 8 -> request("SCARD", key);
      case 9, 10 -> request("SMOVE", key, key(), member);
      case 11 -> request("SINTERCARD", "2", "s0", "s1", "LIMIT", few());
      case 12 -> random.nextInt(8) == 0 ? rarely(key) : request("SCARD", key);
      default -> request("SADD", key, member);
    };
  }

  private String[] rarely(String key) {
    return switch (random.nextInt(6)) {
      case 0 -> request("SINTERSTORE", key, "s0", "s1");
      case 1, 2 -> request("SUNIONSTORE", key, "s0", "s1");
      case 3 -> request("SDIFFSTORE", key, "s0", "s1");
      default -> ofAnyType();
    };
  }

  /** A third of the members are numbers. */
  private String member() {
    int number = random.nextInt(MEMBERS);
    return number % 3 == 0 ? "" + number : "m" + number;
  }
}
