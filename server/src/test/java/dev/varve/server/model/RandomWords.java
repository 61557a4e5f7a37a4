package dev.varve.server.model;

import java.util.SplittableRandom;

/**
 * Keys, members and numbers for requests: few enough to meet again, some of them ugly.
 *
 * <p>Single-threaded.
 */
final class RandomWords {
  private static final String KINDS = "snhlSz";
  private static final int KEYS_PER_KIND = 5;
  private static final int FILL_KEYS = 250;
  private static final String[] UGLY = {
    "", "\0", "\0\0", "\u00ff", "\u00ff\u00ff", "a\0b", "\r\n", "-1", "007", "\u0080x"
  };

  private final SplittableRandom random;

  RandomWords(SplittableRandom random) {
    this.random = random;
  }

  SplittableRandom random() {
    return random;
  }

  /**
   * A key that most likely holds the type of that kind: s for strings, n for numbers, h for hashes,
   * l for lists, S for sets, z for sorted sets.
   */
  String key(char kind) {
    if (random.nextInt(15) == 0) {
      return anyKey();
    }
    int number = random.nextInt(KEYS_PER_KIND);
    // A few names that are ugly: one that others begin with, and bytes that formats treat apart.
    return switch (number) {
      case 0 -> String.valueOf(kind);
      case 1 -> kind + "\0";
      case 2 -> kind + "\u00ff\u00ff";
      default -> kind + Integer.toString(number);
    };
  }

  /** One of many keys, which are there so that there are many. */
  String fillKey() {
    return "f" + random.nextInt(FILL_KEYS);
  }

  /** A key of any kind. */
  String anyKey() {
    return random.nextInt(40) == 0 ? "" : likeKey(KINDS.charAt(random.nextInt(KINDS.length())));
  }

  /** Another key of the same kind. */
  String likeKey(String key) {
    return key.isEmpty() ? anyKey() : likeKey(key.charAt(0));
  }

  private String likeKey(char kind) {
    return key(kind);
  }

  /** A member of a collection. */
  String member() {
    return switch (random.nextInt(20)) {
      case 0 -> UGLY[random.nextInt(UGLY.length)];
      case 1 -> "long".repeat(20) + random.nextInt(5);
      case 2, 3, 4 -> Integer.toString(random.nextInt(20));
      case 5, 6 -> "many" + random.nextInt(400);
      default -> "m" + random.nextInt(20);
    };
  }

  /** What a string or a field holds. */
  String value() {
    return switch (random.nextInt(12)) {
      case 0 -> UGLY[random.nextInt(UGLY.length)];
      case 1 -> "x".repeat(random.nextInt(300));
      case 2, 3, 4, 5 -> Integer.toString(random.nextInt(-100, 100));
      default -> "v" + random.nextInt(1000);
    };
  }

  /** Something long that does not compress well. */
  String fillValue() {
    StringBuilder value = new StringBuilder();
    for (int i = random.nextInt(25); i >= 0; i--) {
      value.append(Long.toString(random.nextLong(), Character.MAX_RADIX));
    }
    return value.toString();
  }

  /** A small number, negative ones among them. */
  String index() {
    return Integer.toString(random.nextInt(-12, 13));
  }

  /** How many: from 1 up. */
  String count() {
    return Integer.toString(random.nextInt(5) == 0 ? random.nextInt(1, 60) : random.nextInt(1, 4));
  }

  /** How many random members: negative if the same may come again. */
  String choiceCount() {
    return Integer.toString(random.nextInt(-6, random.nextInt(5) == 0 ? 300 : 7));
  }

  /** A quarter of a whole number, so that every sum is exact. */
  String score() {
    return Wire.score(random.nextInt(-40, 41) / 4.0);
  }

  /** A bound of a range of scores. */
  String bound() {
    return switch (random.nextInt(6)) {
      case 0 -> "-inf";
      case 1 -> "+inf";
      case 2 -> "(" + score();
      default -> score();
    };
  }

  String anyOf(String... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
