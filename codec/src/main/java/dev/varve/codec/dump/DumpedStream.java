package dev.varve.codec.dump;

import java.util.List;

/**
 * What a payload holds of a stream.
 *
 * <p>Immutable, for any thread; arrays in it are not to be changed.
 *
 * @param entries in the order of their ids
 * @param last the last id that was given
 * @param maxDeleted the highest id that was deleted
 * @param added how many entries there ever were
 * @param lastNodeEntries how many entries the last node has had, those that were deleted included
 */
record DumpedStream(
    List<Entry> entries,
    Id last,
    Id maxDeleted,
    long added,
    long lastNodeEntries,
    List<Group> groups) {

  /** How many entries a group has read, in a payload from before Redis counted that. */
  public static final long READ_NOT_TOLD = -2;

  /** The id of an entry: two numbers without a sign. */
  public record Id(long millis, long sequence) {
    boolean isAfter(Id other) {
      int compared = Long.compareUnsigned(millis, other.millis);
      return compared > 0 || (compared == 0 && Long.compareUnsigned(sequence, other.sequence) > 0);
    }
  }

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
  public record Group(
      byte[] name, Id last, long read, List<Pending> pending, List<Consumer> consumers) {}

  /** An entry that was delivered and not acknowledged. */
  public record Pending(Id id, long deliveredMillis, long deliveries) {}

  /** A consumer, and which of the group's pending entries are its. */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  public record Consumer(byte[] name, long seenMillis, List<Id> pending) {}
}
