package dev.varve.server.surface;

import dev.varve.server.command.Replies;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What two servers said unasked, compared. Pure functions. */
final class Messages {
  private static final int SHOWN_MAX = 8;
  static final String INVALIDATE = ">2\r\n$10\r\ninvalidate\r\n";

  private Messages() {}

  /** In what those of Varve are not as good as those of Redis; null if they are. */
  static @Nullable String difference(List<String> redis, List<String> varve) {
    List<String> expected = inOrder(redis);
    List<String> actual = inOrder(varve);
    // A client that caches may be told of too much, and never of too little.
    TreeSet<String> untold = invalidated(redis);
    untold.removeAll(invalidated(varve));
    expected.addAll(untold);
    if (expected.equals(actual)) {
      return null;
    }
    int at = 0;
    while (at < expected.size() && at < actual.size() && expected.get(at).equals(actual.get(at))) {
      at++;
    }
    return " from " + at + "\nredis " + shown(expected, at) + "\nvarve " + shown(actual, at);
  }

  private static String shown(List<String> messages, int from) {
    return messages
        .subList(from, Math.min(from + SHOWN_MAX, messages.size()))
        .toString()
        .replaceAll("\\$\\d+\r\n", "")
        .replace("\r\n", " ");
  }

  /** Keyspace events in their order, and behind them what was published. */
  private static List<String> inOrder(List<String> messages) {
    List<String> ordered = new ArrayList<>();
    List<String> published = new ArrayList<>();
    for (String message : messages) {
      if (message.contains("$4\r\nmark\r\n") || message.startsWith(INVALIDATE)) {
        continue;
      }
      if (message.contains("__key")) {
        ordered.add(message);
      } else {
        // What a transaction publishes leaves at its end.
        published.add(message);
      }
    }
    ordered.addAll(published);
    return ordered;
  }

  /** The keys that clients who cache are told of; a null for all of them. */
  private static TreeSet<String> invalidated(List<String> messages) {
    TreeSet<String> keys = new TreeSet<>();
    for (String message : messages) {
      if (message.startsWith(INVALIDATE)) {
        String its = message.substring(INVALIDATE.length());
        keys.addAll(its.startsWith("*") ? Replies.elements(its) : List.of(its));
      }
    }
    return keys;
  }
}
