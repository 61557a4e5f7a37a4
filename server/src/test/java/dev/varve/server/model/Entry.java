package dev.varve.server.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What one key holds in the model.
 *
 * @param value a {@link Text}, {@link Fields}, {@link Elements}, {@link Members}, {@link Scores},
 *     {@link ModelStream} or {@link ModelSketch}
 * @param expiryMillis when it expires, or {@link #NO_EXPIRY}
 */
record Entry(Object value, long expiryMillis) {
  static final long NO_EXPIRY = Long.MAX_VALUE;

  /** A string. */
  record Text(String text) {}

  /** A hash. */
  static final class Fields extends TreeMap<String, String> {
    private static final long serialVersionUID = 1L;
    private final TreeMap<String, Long> expiries = new TreeMap<>();

    /** A field that is set anew does not expire. */
    @Override
    public @Nullable String put(String field, String value) {
      expiries.remove(field);
      return super.put(field, value);
    }

    @Override
    public @Nullable String remove(Object field) {
      expiries.remove(field);
      return super.remove(field);
    }

    /** Sets a field that goes on to expire as it did. */
    void replace(String field, UnaryOperator<String> change) {
      long millis = expiryMillis(field);
      put(field, change.apply(get(field)));
      expire(field, millis);
    }

    /** When a field expires, or {@link #NO_EXPIRY}. */
    long expiryMillis(String field) {
      return expiries.getOrDefault(field, NO_EXPIRY);
    }

    /** Lets a field expire, or never with {@link #NO_EXPIRY}. */
    void expire(String field, long millis) {
      if (millis == NO_EXPIRY) {
        expiries.remove(field);
      } else {
        expiries.put(field, millis);
      }
    }

    /** Removes what has expired; whether there was any. */
    boolean removeDue(long nowMillis) {
      List<String> due = new ArrayList<>();
      expiries.forEach(
          (field, millis) -> {
            if (millis <= nowMillis) {
              due.add(field);
            }
          });
      due.forEach(this::remove);
      return !due.isEmpty();
    }
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
    if (value instanceof Text || value instanceof ModelSketch) {
      return "string";
    }
    if (value instanceof Fields) {
      return "hash";
    }
    if (value instanceof Elements) {
      return "list";
    }
    if (value instanceof ModelStream) {
      return "stream";
    }
    return value instanceof Members ? "set" : "zset";
  }

  /** Another entry with the same content and expiry. */
  Entry copy() {
    Object copy = value;
    if (value instanceof Fields fields) {
      Fields its = new Fields();
      its.putAll(fields);
      its.expiries.putAll(fields.expiries);
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
    if (value instanceof ModelStream stream) {
      copy = stream.copy();
    } else if (value instanceof ModelSketch sketch) {
      copy = sketch.copy();
    }
    return new Entry(copy, expiryMillis);
  }

  boolean isEmpty() {
    return value instanceof Map<?, ?> map
        ? map.isEmpty()
        : value instanceof Iterable<?> all && !all.iterator().hasNext();
  }
}
