package dev.varve.codec.dump;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a payload holds of a stream, or a piece of that: entries, then what it remembers, then
 * groups with what is pending in them. A piece goes on where the one before it has ended.
 *
 * <p>Not to be changed once it is handed out, nor are arrays in it; for any thread then.
 *
 * @param entries in the order of their ids
 * @param lastNodeEntries how many entries the last node has had, those that were deleted included;
 *     means nothing while entries follow
 * @param state what it remembers; null while entries follow
 * @param groups the first of them may be one of the piece before, of which more is pending
 */
record DumpedStream(
    List<Entry> entries, long lastNodeEntries, @Nullable State state, List<Group> groups) {

  /** How many entries a group has read, in a payload from before Redis counted that. */
  public static final long READ_NOT_TOLD = -2;

  /** What objects take besides the bytes of fields, values and names, about. */
  private static final int ITEM_BYTES = 24;

  private static final int PENDING_BYTES = 80;

  /** The id of an entry: two numbers without a sign. */
  public record Id(long millis, long sequence) {
    boolean isAfter(Id other) {
      int compared = Long.compareUnsigned(millis, other.millis);
      return compared > 0 || (compared == 0 && Long.compareUnsigned(sequence, other.sequence) > 0);
    }
  }

  /**
   * What a stream remembers.
   *
   * @param last the last id that was given
   * @param maxDeleted the highest id that was deleted
   * @param added how many entries there ever were
   */
  public record State(Id last, Id maxDeleted, long added) {}

  /**
   * An entry.
   *
   * @param items fields and values in turns
   * @param startsNode whether it is the first one that is left of its node
   * @param reach the last id that its node has had, if it is the last one that is left of it; or
   *     its own
   */
  public record Entry(Id id, List<byte[]> items, boolean startsNode, Id reach) {}

  /**
   * A group.
   *
   * @param read how many entries it has read, -1 where nobody knows, or {@link #READ_NOT_TOLD}
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  public record Group(byte[] name, Id last, long read, List<Consumer> consumers) {
    /** The same one in the next piece. */
    Group further() {
      return new Group(name, last, read, new ArrayList<>());
    }
  }

  /** An entry that was delivered and not acknowledged. */
  public record Pending(Id id, long deliveredMillis, long deliveries) {}

  /** A consumer, and which of the group's pending entries are its. */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  public record Consumer(byte[] name, long seenMillis, List<Pending> pending) {
    /** The same one in the next piece. */
    Consumer further() {
      return new Consumer(name, seenMillis, new ArrayList<>());
    }
  }

  /** About how many bytes it has in memory. */
  long bytes() {
    long sum = 0;
    for (Entry entry : entries) {
      for (byte[] item : entry.items()) {
        sum += ITEM_BYTES + item.length;
      }
    }
    for (Group group : groups) {
      sum += group.name().length;
      for (Consumer consumer : group.consumers()) {
        sum += consumer.name().length + (long) PENDING_BYTES * consumer.pending().size();
      }
    }
    return sum;
  }
}
