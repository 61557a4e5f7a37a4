package dev.varve.server.surface;

import java.util.SplittableRandom;

/**
 * Keys, members and numbers for requests: few enough to meet again, some of them ugly.
 *
 * <p>Single-threaded.
 */
final class Words {
  private static final String KINDS = "snhlSzxpgb";
  private static final int KEYS_PER_KIND = 4;
  private static final long FAR_SECONDS = 4_102_444_800L;
  private static final String[] UGLY = {
    "", "\0", "\0\0", "\u00ff", "\u00ff\u00ff", "a\0b", "\r\n", "-1", "007", "\u0080x"
  };
  private static final String[] BAD = {
    "",
    "abc",
    "nan",
    "inf",
    "-inf",
    "1.5",
    "1e3",
    " 1",
    "01",
    "+1",
    "-1",
    "0",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "(1",
    "[a",
    "+",
    "-",
    "$",
    "NX",
    "XX",
    "GT",
    "LIMIT",
    "WITHSCORES",
    "COUNT",
    "DB",
    "KEEPTTL",
    "STREAMS",
    "BYLEX",
    "\u00ff"
  };

  private final SplittableRandom random;
  private final boolean othersWait;
  private String lastKey = "s";

  /**
   * @param othersWait whether clients wait for what is at {@link #awaited} keys
   */
  Words(SplittableRandom random, boolean othersWait) {
    this.random = random;
    this.othersWait = othersWait;
  }

  SplittableRandom random() {
    return random;
  }

  /** A word that is wrong in most places. */
  String bad() {
    return anyOf(BAD);
  }

  /** A key that clients may wait for, to hold a certain type. */
  String awaited(char kind) {
    return key(kind, random.nextInt(KEYS_PER_KIND - 1));
  }

  /** A word of a kind; one letter is a key that most likely holds a certain type. */
  String next(String kind) {
    if (kind.length() == 1 && KINDS.contains(kind)) {
      lastKey = key(kind.charAt(0));
      return lastKey;
    }
    return switch (kind) {
      case "to-l", "to-z", "to-g" -> stored(kind.charAt(kind.length() - 1));
      case "key" -> {
        lastKey = anyKey();
        yield lastKey;
      }
      case "same" -> lastKey;
      case "like" -> lastKey.isEmpty() ? anyKey() : key(lastKey.charAt(0));
      case "member" -> member();
      case "value" -> value();
      case "index" -> Integer.toString(random.nextInt(-12, 13));
      case "count" ->
          Integer.toString(random.nextInt(5) == 0 ? random.nextInt(1, 60) : random.nextInt(1, 4));
      case "choice" -> Integer.toString(random.nextInt(-6, 7));
      case "number" -> Integer.toString(random.nextInt(-100, 100));
      case "float" -> random.nextInt(-40, 41) / 4.0 + "";
      case "score" -> score();
      case "bound" -> bound();
      case "lex" -> lex();
      case "bit" -> Integer.toString(random.nextInt(random.nextInt(20) == 0 ? 40_000 : 300));
      case "offset" -> Integer.toString(random.nextInt(random.nextInt(20) == 0 ? 9_000 : 30));
      case "slot" -> "#" + random.nextInt(30);
      case "field" -> anyOf("u", "i") + random.nextInt(1, 64);
      case "id" -> random.nextInt(12) + "-" + random.nextInt(60);
      case "group" -> anyOf("g", "", "\0", "other");
      case "consumer" -> anyOf("c", "d", "");
      case "db" -> Integer.toString(random.nextInt(4));
      case "ttl" -> Integer.toString(random.nextInt(10_000, 1_000_000));
      case "ttlms" -> Long.toString(random.nextLong(10_000_000, 1_000_000_000));
      case "at" -> Long.toString(FAR_SECONDS + random.nextInt(100));
      case "atms" -> Long.toString(FAR_SECONDS * 1000 + random.nextInt(100_000));
      case "lon" -> Double.toString(random.nextInt(-180_000, 180_001) / 1000.0);
      case "lat" -> Double.toString(random.nextInt(-85_000, 85_001) / 1000.0);
      case "place" -> "p" + random.nextInt(40);
      case "distance" -> Integer.toString(random.nextInt(1, 9_000));
      case "unit" -> anyOf("m", "km", "ft", "mi");
      case "glob" -> anyOf("*", "m*", "[a-n]*", "?", "*1", "nothing", "h[^a]l", "\\*");
      case "channel" -> "ch" + random.nextInt(4);
      case "bad" -> bad();
      default -> throw new IllegalArgumentException(kind);
    };
  }

  private String key(char kind) {
    if (random.nextInt(20) == 0) {
      return anyKey();
    }
    return key(kind, random.nextInt(KEYS_PER_KIND));
  }

  private static String key(char kind, int number) {
    return switch (number) {
      case 0 -> String.valueOf(kind);
      case 1 -> kind + "\0\u00ff";
      default -> kind + Integer.toString(number);
    };
  }

  /**
   * A key where a result is stored. Redis 7.0 does not serve those who wait for such a result where
   * it comes in the place of another type, Varve does.
   */
  private String stored(char kind) {
    return othersWait ? key(kind, KEYS_PER_KIND - 1) : key(kind);
  }

  private String anyKey() {
    return random.nextInt(30) == 0 ? "" : key(KINDS.charAt(random.nextInt(KINDS.length())));
  }

  private String member() {
    return switch (random.nextInt(20)) {
      case 0 -> anyOf(UGLY);
      case 1 -> "long".repeat(20) + random.nextInt(5);
      case 2, 3, 4 -> Integer.toString(random.nextInt(20));
      case 5, 6 -> "many" + random.nextInt(400);
      default -> "m" + random.nextInt(20);
    };
  }

  private String value() {
    return switch (random.nextInt(12)) {
      case 0 -> anyOf(UGLY);
      case 1 -> "x".repeat(random.nextInt(300));
      case 2, 3, 4, 5 -> Integer.toString(random.nextInt(-100, 100));
      default -> "v" + random.nextInt(1000);
    };
  }

  private String score() {
    return switch (random.nextInt(30)) {
      case 0 -> "inf";
      case 1 -> "-inf";
      case 2 -> Double.toString(random.nextInt(1, 1000) / 7.0);
      case 3 -> random.nextInt(1, 1000) + "e" + random.nextInt(-20, 20);
      default -> {
        double score = random.nextInt(-40, 41) / 4.0;
        yield score == Math.rint(score) ? Long.toString((long) score) : Double.toString(score);
      }
    };
  }

  private String bound() {
    return switch (random.nextInt(6)) {
      case 0 -> "-inf";
      case 1 -> "+inf";
      case 2 -> "(" + score();
      default -> score();
    };
  }

  private String lex() {
    return switch (random.nextInt(6)) {
      case 0 -> "-";
      case 1 -> "+";
      case 2, 3 -> "(" + member();
      default -> "[" + member();
    };
  }

  String anyOf(String... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
