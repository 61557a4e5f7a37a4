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
 * @param pending how many entries it has not acknowledged
 */
public record StreamConsumer(byte[] name, long seenMillis, long pending) {
  /* Value: 8 bytes when it was seen, signed, 8 how many are pending. */
  private static final int BYTES = 2 * Long.BYTES;

  static StreamConsumer read(byte[] name, byte[] value) {
    StreamKeys.require(value, BYTES);
    return new StreamConsumer(
        name, OrderedNumbers.getLong(value, 0), OrderedNumbers.unsignedLong(value, Long.BYTES));
  }

  byte[] value() {
    byte[] value = new byte[BYTES];
    OrderedNumbers.putLong(value, 0, seenMillis);
    OrderedNumbers.putUnsignedLong(value, Long.BYTES, pending);
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StreamConsumer that
        && Arrays.equals(name, that.name)
        && seenMillis == that.seenMillis
        && pending == that.pending;
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(name) + Long.hashCode(seenMillis + pending);
  }
}
