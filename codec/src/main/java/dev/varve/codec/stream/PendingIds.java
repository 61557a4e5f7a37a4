package dev.varve.codec.stream;

import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.format.StreamId;

/**
 * The ids that are pending in a group or with a consumer: how many, and from where on.
 *
 * <p>Immutable, for any thread.
 *
 * @param count how many there are
 * @param from none is before it; means nothing where there are none
 */
public record PendingIds(long count, StreamId from) {
  /*
   * Ids are acknowledged in their order, by and large, and each leaves a tombstone. A walk that began with
   * the first id there may be would pass all of them each time. Which one follows what is acknowledged takes a
   * look, so that is done now and then, and the walk begins with what was found.
   */
  static final PendingIds NONE = new PendingIds(0, StreamId.MIN);

  /** With one more. */
  PendingIds with(StreamId id) {
    return new PendingIds(count + 1, count == 0 ? id : StreamId.min(from, id));
  }

  /** Without one of them. */
  PendingIds without() {
    return new PendingIds(count - 1, from);
  }

  /** The same, which begin with that one as has been found. */
  PendingIds beginningWith(StreamId first) {
    return new PendingIds(count, first);
  }

  boolean isAny() {
    return count > 0;
  }

  /* How many there are is written where it has always been, and from where on, if there are any, behind all. */

  /** How many bytes {@link #writeFrom} writes. */
  int fromBytes() {
    return isAny() ? StreamId.BYTES : 0;
  }

  void writeFrom(byte[] value, int offset) {
    if (isAny()) {
      from.write(value, offset);
    }
  }

  /**
   * Reads both.
   *
   * @param countAt where the count is
   * @param fromAt where the rest is, unless the value ends there, as those did that were written
   *     when it was not known
   */
  static PendingIds read(byte[] value, int countAt, int fromAt) {
    boolean isKnown = value.length >= fromAt + StreamId.BYTES;
    return new PendingIds(
        OrderedNumbers.unsignedLong(value, countAt),
        isKnown ? StreamId.read(value, fromAt) : StreamId.MIN);
  }
}
