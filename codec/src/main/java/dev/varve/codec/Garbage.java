package dev.varve.codec;

import dev.varve.codec.format.DamagedValueException;
import java.util.Arrays;

/**
 * The garbage records, and their retirement once nothing holds what they name.
 *
 * <p>Pure functions of a transaction.
 */
public final class Garbage {

  private Garbage() {}

  /**
   * The record that is stored under {@code storedKey} with {@code value}.
   *
   * @throws DamagedValueException when it is not laid out as one
   */
  public static GarbageRecord record(byte[] storedKey, byte[] value) {
    return GarbageRecord.read(storedKey, value);
  }

  /**
   * Deletes a record: nothing in the store is in its ranges any more, tombstones included. One that
   * is gone already, or tells of further deaths by now, is left, which is not an error.
   */
  public static void retire(Transaction transaction, GarbageRecord record) {
    byte[] value = transaction.get(record.storedKey());
    if (value == null || !Arrays.equals(value, record.value())) {
      return;
    }
    transaction.delete(record.storedKey());
    if (record.living() != null) {
      return;
    }
    transaction.count(CounterIds.GARBAGE_ENTRIES, -record.entries());
    transaction.count(CounterIds.GARBAGE_BYTES, -record.bytes());
  }
}
