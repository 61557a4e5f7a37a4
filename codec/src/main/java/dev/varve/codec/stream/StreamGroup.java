package dev.varve.codec.stream;

import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.format.StreamState;

/**
 * What a group of consumers remembers.
 *
 * <p>Belongs to the thread of its transaction; changes take effect with {@link
 * GroupTable#save(StreamGroup)}.
 */
public final class StreamGroup {
  /*
   * Value: 16 bytes id of the last entry delivered, 8 how many entries were read (signed, as is; -1:
   * nobody knows), 8 how many are pending, 8 how many consumers there are; if any are pending, 16 bytes of
   * an id that none of them is before.
   */
  static final long UNKNOWN = -1;

  /** A lag may be negative: that of a group that is said to have read more than there ever was. */
  static final long UNKNOWN_LAG = Long.MIN_VALUE;

  private static final int BYTES = StreamId.BYTES + 3 * Long.BYTES;

  public final byte[] name;
  public StreamId last = StreamId.MIN;
  public long read = UNKNOWN;
  PendingIds pending = PendingIds.NONE;
  long consumers;

  public StreamGroup(byte[] name) {
    this.name = name;
  }

  static StreamGroup read(byte[] name, byte[] value) {
    StreamKeys.require(value, BYTES);
    StreamGroup group = new StreamGroup(name);
    group.last = StreamId.read(value, 0);
    group.read = OrderedNumbers.unsignedLong(value, StreamId.BYTES);
    group.pending = PendingIds.read(value, StreamId.BYTES + Long.BYTES, BYTES);
    group.consumers = OrderedNumbers.unsignedLong(value, StreamId.BYTES + 2 * Long.BYTES);
    return group;
  }

  /** How many entries are pending. */
  public long pendingCount() {
    return pending.count();
  }

  byte[] value() {
    byte[] value = new byte[BYTES + pending.fromBytes()];
    last.write(value, 0);
    OrderedNumbers.putUnsignedLong(value, StreamId.BYTES, read);
    OrderedNumbers.putUnsignedLong(value, StreamId.BYTES + Long.BYTES, pending.count());
    OrderedNumbers.putUnsignedLong(value, StreamId.BYTES + 2 * Long.BYTES, consumers);
    pending.writeFrom(value, BYTES);
    return value;
  }

  /** Notes that an entry was delivered, as the next one or further on. */
  void delivered(StreamTable stream, StreamId id) {
    if (id.compareTo(last) <= 0) {
      return;
    }
    if (read != UNKNOWN && !hasGaps(stream, id)) {
      read++;
    } else if (stream.state().added > 0) {
      read = distance(stream, id);
    }
    last = id;
  }

  /** How many entries are still to be delivered, or {@link #UNKNOWN_LAG}. */
  long lag(StreamTable stream) {
    long added = stream.state().added;
    if (added == 0) {
      return 0;
    }
    if (read != UNKNOWN && !hasGaps(stream, last)) {
      return added - read;
    }
    long distance = distance(stream, last);
    return distance == UNKNOWN ? UNKNOWN_LAG : added - distance;
  }

  /** Whether an entry at or after an id may have been deleted, so that counting is no use. */
  private static boolean hasGaps(StreamTable stream, StreamId from) {
    StreamState state = stream.state();
    return stream.length() > 0 && !isWholeFromFirst(state) && from.compareTo(state.maxDeleted) <= 0;
  }

  /** Whether nothing was deleted behind the first entry. */
  private static boolean isWholeFromFirst(StreamState state) {
    return state.maxDeleted.isZero() || state.maxDeleted.compareTo(state.first) < 0;
  }

  /** How many entries were ever added up to an id, or {@link #UNKNOWN}. */
  public static long distance(StreamTable stream, StreamId id) {
    StreamState state = stream.state();
    if (state.added == 0) {
      return 0;
    }
    int last = id.compareTo(state.last);
    if (last == 0 || (last < 0 && stream.length() == 0)) {
      return state.added;
    }
    if (last > 0) {
      return UNKNOWN;
    }
    if (isWholeFromFirst(state)) {
      int first = id.compareTo(state.first);
      if (first <= 0) {
        return state.added - stream.length() + (first == 0 ? 1 : 0);
      }
    }
    return UNKNOWN;
  }
}
