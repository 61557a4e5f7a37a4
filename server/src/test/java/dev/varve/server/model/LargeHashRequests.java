package dev.varve.server.model;

import java.util.List;
import java.util.SplittableRandom;

/** Of two hashes. */
final class LargeHashRequests extends LargeRequests {

  LargeHashRequests(SplittableRandom random) {
    super(random, "h");
  }

  @Override
  String[] fill(String key) {
    return repeated(List.of(this::field, this::value), "HSET", key);
  }

  @Override
  String[] all(String key) {
    return request("HGETALL", key);
  }

  @Override
  int unordered() {
    return 2;
  }

  @Override
  String[] next() {
    String key = key();
    String field = field();
    return switch (random.nextInt(20)) {
      case 0 -> fill(key);
      case 1, 2 -> request("HDEL", key, field);
      case 3 -> repeated(List.of(this::field), "HDEL", key);
      case 4, 5 -> request("HGET", key, field);
      case 6 -> repeated(List.of(this::field), "HMGET", key);
      case 7 -> request("HEXISTS", key, field);
      case 8 -> request("HLEN", key);
      case 9 -> request("HSTRLEN", key, field);
      case 10, 11 -> request("HINCRBY", key, field, number(100));
      case 12 -> request("HINCRBYFLOAT", key, field, "0.5");
      case 13 -> request("HSETNX", key, field, value());
      case 14 -> random.nextInt(8) == 0 ? ofAnyType() : request("HLEN", key);
      default -> request("HSET", key, field, value());
    };
  }

  private String field() {
    return "f" + random.nextInt(MEMBERS);
  }

  /** A half are numbers, a few are long. */
  private String value() {
    return switch (random.nextInt(20)) {
      case 0 -> "long".repeat(random.nextInt(300));
      case 1, 2, 3, 4, 5, 6, 7, 8, 9 -> "v" + random.nextInt(MEMBERS);
      default -> number(MEMBERS);
    };
  }
}
