package dev.varve.codec.stream;

import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.format.StreamId;
import java.util.Arrays;

/**
 * An entry that a consumer was given and has not acknowledged.
 *
 * <p>Immutable, for any thread.
 *
 * @param consumer whose it is; not to be changed
 * @param deliveredMillis when it was delivered last, in ms since 1970
 * @param deliveries how often
 */
public record PendingEntry(StreamId id, byte[] consumer, long deliveredMillis, long deliveries) {
  /* Value: 8 bytes when it was delivered, signed, 8 how often, then the name of the consumer. */
  private static final int HEADER_BYTES = 2 * Long.BYTES;

  static PendingEntry read(StreamId id, byte[] value) {
    StreamKeys.require(value, HEADER_BYTES);
    return new PendingEntry(
        id,
        Arrays.copyOfRange(value, HEADER_BYTES, value.length),
        OrderedNumbers.getLong(value, 0),
        OrderedNumbers.unsignedLong(value, Long.BYTES));
  }

  byte[] value() {
    byte[] value = new byte[HEADER_BYTES + consumer.length];
    OrderedNumbers.putLong(value, 0, deliveredMillis);
    OrderedNumbers.putUnsignedLong(value, Long.BYTES, deliveries);
    System.arraycopy(consumer, 0, value, HEADER_BYTES, consumer.length);
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PendingEntry that
        && id.equals(that.id)
        && Arrays.equals(consumer, that.consumer)
        && deliveredMillis == that.deliveredMillis
        && deliveries == that.deliveries;
  }

  @Override
  public int hashCode() {
    return 31 * id.hashCode() + Arrays.hashCode(consumer);
  }
}
