package dev.varve.codec.stream;

import dev.varve.codec.format.OrderedNumbers;
import java.util.Arrays;

/**
 * What is known of a consumer.
 *
 * <p>Immutable, for any thread.
 *
 * @param name not to be changed
 * @param seenMillis when it was heard of last, in ms since 1970
 * @param pending what it has not acknowledged
 */
public record StreamConsumer(byte[] name, long seenMillis, PendingIds pending) {
  /*
   * Value: 8 bytes when it was seen, signed, 8 how many are pending; if any are, 16 bytes of an id that none
   * of them is before.
   */
  private static final int BYTES = 2 * Long.BYTES;

  /** One that nothing is pending with. */
  public StreamConsumer(byte[] name, long seenMillis) {
    this(name, seenMillis, PendingIds.NONE);
  }

  /** How many entries it has not acknowledged. */
  public long pendingCount() {
    return pending.count();
  }

  StreamConsumer seenAt(long millis) {
    return new StreamConsumer(name, millis, pending);
  }

  StreamConsumer with(PendingIds ids) {
    return new StreamConsumer(name, seenMillis, ids);
  }

  static StreamConsumer read(byte[] name, byte[] value) {
    StreamKeys.require(value, BYTES);
    return new StreamConsumer(
        name, OrderedNumbers.getLong(value, 0), PendingIds.read(value, Long.BYTES, BYTES));
  }

  byte[] value() {
    byte[] value = new byte[BYTES + pending.fromBytes()];
    OrderedNumbers.putLong(value, 0, seenMillis);
    OrderedNumbers.putUnsignedLong(value, Long.BYTES, pending.count());
    pending.writeFrom(value, BYTES);
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StreamConsumer that
        && Arrays.equals(name, that.name)
        && seenMillis == that.seenMillis
        && pending.equals(that.pending);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(name) + Long.hashCode(seenMillis) + pending.hashCode();
  }
}
