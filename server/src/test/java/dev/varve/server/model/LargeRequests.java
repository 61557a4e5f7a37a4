package dev.varve.server.model;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Random requests for two large collections of one type, and what they have in common. None asks
 * for what redis-server and Varve give in different orders.
 *
 * <p>Single-threaded.
 */
abstract class LargeRequests {
  /** How many different members, fields and scores there are. */
  static final int MEMBERS = 3_000;

  /** The most elements that one request brings. */
  static final int FILL = 400;

  final SplittableRandom random;
  private final String prefix;

  /**
   * @param prefix what the two keys begin with, behind which is a digit
   */
  LargeRequests(SplittableRandom random, String prefix) {
    this.random = random;
    this.prefix = prefix;
  }

  /** The keys that there may be. */
  final List<String> keys() {
    return List.of(prefix + 0, prefix + 1);
  }

  final String key() {
    return prefix + random.nextInt(2);
  }

  /** Brings up to {@link #FILL} elements. */
  abstract String[] fill(String key);

  /** Any request. */
  abstract String[] next();

  /** What a collection holds, whole. */
  abstract String[] all(String key);

  /** So many elements of {@link #all} belong together, and come in any order; 0 if in theirs. */
  int unordered() {
    return 0;
  }

  /** What takes a whole collection away, or brings one. */
  final String[] ofAnyType() {
    String from = key();
    String to = key();
    return switch (random.nextInt(4)) {
      case 0 -> request("DEL", from);
      case 1 -> request("UNLINK", from);
      case 2 -> request("COPY", from, to, "REPLACE");
      default -> from.equals(to) ? request("EXISTS", from, to) : rename(from, to);
    };
  }

  /** Of what there is: an error is the same, but says little. */
  private String[] rename(String from, String to) {
    return request(random.nextBoolean() ? "RENAME" : "RENAMENX", from, to);
  }

  final String number(int max) {
    return Integer.toString(random.nextInt(max));
  }

  /** A count that is mostly small. */
  final String few() {
    return number(random.nextInt(8) == 0 ? FILL : 5);
  }

  /** A place counted from one of both ends. */
  final String index() {
    int at = random.nextInt(random.nextBoolean() ? 10 : MEMBERS);
    return Integer.toString(random.nextBoolean() ? at : -1 - at);
  }

  static String[] request(String... words) {
    return words;
  }

  /** Some words and, one to {@link #FILL} times, further ones. */
  final String[] repeated(List<Supplier<String>> each, String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    for (int i = random.nextInt(random.nextBoolean() ? FILL : 4); i >= 0; i--) {
      for (Supplier<String> word : each) {
        all.add(word.get());
      }
    }
    return all.toArray(String[]::new);
  }
}
