package dev.varve.server.model;

import java.util.List;
import java.util.SplittableRandom;

/** Of two lists. */
final class LargeListRequests extends LargeRequests {
  /** Few enough that each is there several times. */
  private static final int ELEMENTS = 500;

  LargeListRequests(SplittableRandom random) {
    super(random, "l");
  }

  @Override
  String[] fill(String key) {
    return repeated(List.of(this::element), push(), key);
  }

  private String push() {
    return random.nextBoolean() ? "LPUSH" : "RPUSH";
  }

  @Override
  String[] all(String key) {
    return request("LRANGE", key, "0", "-1");
  }

  @Override
  String[] next() {
    String key = key();
    return switch (random.nextInt(26)) {
      case 0, 1, 2 -> fill(key);
      case 3 -> request("LPOP", key);
      case 4 -> request("RPOP", key);
      case 5 -> request("LPOP", key, few());
      case 6 -> request("RPOP", key, few());
      case 7, 8 -> request("LINDEX", key, index());
      case 9, 10 -> request("LSET", key, index(), element());
      case 11, 12 -> range(key);
      case 13, 14, 15 -> request("LINSERT", key, where(), element(), element());
      case 16 -> request("LREM", key, "" + (random.nextInt(7) - 3), element());
      case 17 -> request("LREM", key, "1", element());
      case 18 -> request("LPOS", key, element(), "RANK", rank(), "COUNT", few());
      case 19 -> request("LPOS", key, element(), "MAXLEN", number(MEMBERS));
      case 20 -> request("LLEN", key);
      case 21, 22 -> request("LMOVE", key, key(), end(), end());
      case 23 -> request("LMPOP", "2", "l0", "l1", end(), "COUNT", "" + (1 + random.nextInt(9)));
      case 24 -> random.nextInt(4) == 0 ? rarely(key) : request("LLEN", key);
      default -> request(push(), key, element());
    };
  }

  private String[] rarely(String key) {
    return switch (random.nextInt(8)) {
      case 0, 1 -> ofAnyType();
      case 2 -> request("LTRIM", key, index(), index());
      case 3, 4 -> request("LTRIM", key, number(10), "" + (-1 - random.nextInt(10)));
      default -> request("LTRIM", key, number(FILL), "-1");
    };
  }

  private String[] range(String key) {
    int from = random.nextInt(MEMBERS) - MEMBERS / 2;
    return request("LRANGE", key, "" + from, "" + (from + random.nextInt(20)));
  }

  private String rank() {
    int rank = 1 + random.nextInt(3);
    return "" + (random.nextBoolean() ? rank : -rank);
  }

  private String where() {
    return random.nextBoolean() ? "BEFORE" : "AFTER";
  }

  private String end() {
    return random.nextBoolean() ? "LEFT" : "RIGHT";
  }

  private String element() {
    return "e" + random.nextInt(ELEMENTS);
  }
}
