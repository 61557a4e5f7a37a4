package dev.varve.server.model;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Requests that something is wrong with: too many parts or too few, numbers that are none, options
 * in the wrong place.
 *
 * <p>Single-threaded.
 */
final class RandomBadRequests {
  private static final String LEAST_INTEGER = "-9223372036854775808";
  private static final String[] BAD_PARTS = {
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
    LEAST_INTEGER,
    "(1",
    "[a",
    "NX",
    "XX",
    "GT",
    "LIMIT",
    "WITHSCORES",
    "COUNT",
    "DB",
    "KEEPTTL"
  };

  private final SplittableRandom random;
  private final RandomRequests requests;

  RandomBadRequests(SplittableRandom random, RandomRequests requests) {
    this.random = random;
    this.requests = requests;
  }

  String[] next() {
    List<String> parts = new ArrayList<>(List.of(requests.next()));
    switch (random.nextInt(6)) {
      case 0 -> parts.remove(parts.size() - 1);
      case 1 -> parts.add(anyOf(BAD_PARTS));
      case 2 -> parts.add(random.nextInt(parts.size()), parts.get(0));
      default -> {
        if (parts.size() > 1) {
          parts.set(random.nextInt(1, parts.size()), anyOf(BAD_PARTS));
        }
      }
    }
    if (parts.isEmpty() || isBeyondRedis(parts) || random.nextInt(100) == 0) {
      return new String[] {"nonsense", "a", "b"};
    }
    return parts.toArray(String[]::new);
  }

  private static boolean isBeyondRedis(List<String> parts) {
    return switch (parts.get(0)) {
      // Redis 7.0 negates this rank and is left with what it was; later ones refuse it, as we do.
      case "LPOS" -> parts.contains(LEAST_INTEGER);
      // From 7.2 on they may have a fourth part, and it is only the syntax that is wrong.
      case "ZRANK", "ZREVRANK" -> parts.size() == 4;
      default -> false;
    };
  }

  private String anyOf(String[] choices) {
    return choices[random.nextInt(choices.length)];
  }
}
