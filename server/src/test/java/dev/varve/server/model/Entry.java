package dev.varve.server.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What one key holds in the model.
 *
 * @param value a {@link Text}, {@link Fields}, {@link Elements}, {@link Members} or {@link Scores}
 * @param expiryMillis when it expires, or {@link #NO_EXPIRY}
 */
record Entry(Object value, long expiryMillis) {
  static final long NO_EXPIRY = Long.MAX_VALUE;

  /** A string. */
  record Text(String text) {}

  /** A hash. */
  static final class Fields extends TreeMap<String, String> {
    private static final long serialVersionUID = 1L;
  }

  /** A list. */
  static final class Elements extends ArrayList<String> {
    private static final long serialVersionUID = 1L;
  }

  /** A set. */
  static final class Members extends TreeSet<String> {
    private static final long serialVersionUID = 1L;
  }

  /** A sorted set. */
  static final class Scores extends TreeMap<String, Double> {
    private static final long serialVersionUID = 1L;

    /** Its members from the lowest score up, those of the same score by their bytes. */
    List<Map.Entry<String, Double>> inOrder() {
      List<Map.Entry<String, Double>> members = new ArrayList<>();
      forEach((member, score) -> members.add(Map.entry(member, score)));
      members.sort(
          Comparator.<Map.Entry<String, Double>, Double>comparing(Map.Entry::getValue)
              .thenComparing(Map.Entry::getKey));
      return members;
    }
  }

  boolean isExpiring() {
    return expiryMillis != NO_EXPIRY;
  }

  /** As Redis calls it. */
  String type() {
    if (value instanceof Text) {
      return "string";
    }
    if (value instanceof Fields) {
      return "hash";
    }
    if (value instanceof Elements) {
      return "list";
    }
    return value instanceof Members ? "set" : "zset";
  }

  /** Another entry with the same content and expiry. */
  Entry copy() {
    Object copy = value;
    if (value instanceof Fields fields) {
      Fields its = new Fields();
      its.putAll(fields);
      copy = its;
    } else if (value instanceof Elements elements) {
      Elements its = new Elements();
      its.addAll(elements);
      copy = its;
    } else if (value instanceof Members members) {
      Members its = new Members();
      its.addAll(members);
      copy = its;
    } else if (value instanceof Scores scores) {
      Scores its = new Scores();
      its.putAll(scores);
      copy = its;
    }
    return new Entry(copy, expiryMillis);
  }

  boolean isEmpty() {
    return value instanceof Map<?, ?> map
        ? map.isEmpty()
        : value instanceof Iterable<?> all && !all.iterator().hasNext();
  }
}
