package dev.varve.server.model;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A stream in plain collections, with its groups of consumers.
 *
 * <p>Single-threaded.
 */
final class ModelStream {
  static final long UNKNOWN = -1;

  /** The id of an entry. */
  record Id(long millis, long sequence) implements Comparable<Id> {
    static final Id ZERO = new Id(0, 0);

    static Id of(String text) {
      int dash = text.indexOf('-');
      return dash < 0
          ? new Id(Long.parseLong(text), 0)
          : new Id(
              Long.parseLong(text.substring(0, dash)), Long.parseLong(text.substring(dash + 1)));
    }

    @Override
    public int compareTo(Id other) {
      int byMillis = Long.compare(millis, other.millis);
      return byMillis != 0 ? byMillis : Long.compare(sequence, other.sequence);
    }

    boolean isZero() {
      return equals(ZERO);
    }

    @Override
    public String toString() {
      return millis + "-" + sequence;
    }
  }

  /** An entry that a consumer has and has not acknowledged. */
  record Pending(String consumer, long sinceMillis, long deliveries) {}

  /** A group. */
  static final class Group {
    Id last;
    long read;
    final TreeMap<Id, Pending> pending = new TreeMap<>();

    /** How many entries each has pending is counted, not kept. */
    final TreeMap<String, Boolean> consumers = new TreeMap<>();

    Group(Id last, long read) {
      this.last = last;
      this.read = read;
    }

    long pendingOf(String consumer) {
      return pending.values().stream().filter(its -> its.consumer().equals(consumer)).count();
    }

    Group copy() {
      Group copy = new Group(last, read);
      copy.pending.putAll(pending);
      copy.consumers.putAll(consumers);
      return copy;
    }
  }

  final TreeMap<Id, List<String>> entries = new TreeMap<>();
  final TreeMap<String, Group> groups = new TreeMap<>();
  Id last = Id.ZERO;
  Id maxDeleted = Id.ZERO;
  long added;

  ModelStream copy() {
    ModelStream copy = new ModelStream();
    copy.entries.putAll(entries);
    groups.forEach((name, group) -> copy.groups.put(name, group.copy()));
    copy.last = last;
    copy.maxDeleted = maxDeleted;
    copy.added = added;
    return copy;
  }

  /** Removes the first entries, until so many are left. */
  long trim(long lengthMax) {
    long trimmed = 0;
    while (entries.size() > lengthMax) {
      entries.pollFirstEntry();
      trimmed++;
    }
    return trimmed;
  }

  /** Notes that a group was given an entry, as the next one or further on. */
  void delivered(Group group, Id id) {
    if (id.compareTo(group.last) <= 0) {
      return;
    }
    if (group.read != UNKNOWN && !hasGaps(id)) {
      group.read++;
    } else if (added > 0) {
      group.read = distance(id);
    }
    group.last = id;
  }

  /** How many entries a group is still to be given, or null where nobody knows. */
  @Nullable Long lag(Group group) {
    if (added == 0) {
      return 0L;
    }
    if (group.read != UNKNOWN && !hasGaps(group.last)) {
      return added - group.read;
    }
    long distance = distance(group.last);
    return distance == UNKNOWN ? null : added - distance;
  }

  private boolean isWholeFromFirst() {
    return maxDeleted.isZero() || maxDeleted.compareTo(first()) < 0;
  }

  private Id first() {
    return entries.isEmpty() ? Id.ZERO : entries.firstKey();
  }

  private boolean hasGaps(Id from) {
    return !entries.isEmpty() && !isWholeFromFirst() && from.compareTo(maxDeleted) <= 0;
  }

  private long distance(Id id) {
    if (added == 0) {
      return 0;
    }
    int compared = id.compareTo(last);
    if (compared == 0 || (compared < 0 && entries.isEmpty())) {
      return added;
    }
    if (compared < 0 && isWholeFromFirst() && id.compareTo(first()) <= 0) {
      return added - entries.size() + (id.equals(first()) ? 1 : 0);
    }
    return UNKNOWN;
  }

  // What is told of it ---------------------------------------------------------------------------

  static String entry(Id id, List<String> items) {
    return Wire.array(List.of(Wire.bulk(id.toString()), Wire.bulks(items)));
  }

  static String entries(TreeMap<Id, List<String>> some, long countMax) {
    List<String> replies = new ArrayList<>();
    for (var each : some.entrySet()) {
      if (replies.size() < countMax) {
        replies.add(entry(each.getKey(), each.getValue()));
      }
    }
    return Wire.array(replies);
  }

  /** XINFO GROUPS. */
  String groupsReply() {
    List<String> replies = new ArrayList<>();
    groups.forEach(
        (name, group) -> {
          Long lag = lag(group);
          replies.add(
              Wire.array(
                  List.of(
                      Wire.bulk("name"),
                      Wire.bulk(name),
                      Wire.bulk("consumers"),
                      Wire.integer(group.consumers.size()),
                      Wire.bulk("pending"),
                      Wire.integer(group.pending.size()),
                      Wire.bulk("last-delivered-id"),
                      Wire.bulk(group.last.toString()),
                      Wire.bulk("entries-read"),
                      group.read == UNKNOWN ? Wire.NULL : Wire.integer(group.read),
                      Wire.bulk("lag"),
                      lag == null ? Wire.NULL : Wire.integer(lag))));
        });
    return Wire.array(replies);
  }

  /** XPENDING of everything that is pending. */
  static String pendingReply(Group group, long nowMillis) {
    List<String> replies = new ArrayList<>();
    group.pending.forEach(
        (id, its) ->
            replies.add(
                Wire.array(
                    List.of(
                        Wire.bulk(id.toString()),
                        Wire.bulk(its.consumer()),
                        Wire.integer(Math.max(0, nowMillis - its.sinceMillis())),
                        Wire.integer(its.deliveries())))));
    return Wire.array(replies);
  }
}
