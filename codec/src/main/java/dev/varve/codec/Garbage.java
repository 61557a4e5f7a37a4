package dev.varve.codec;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The garbage records: which there are, and their retirement once nothing holds what they name.
 *
 * <p>Pure functions of a view or transaction.
 */
public final class Garbage {

  private Garbage() {}

  /**
   * Some garbage records in key order: at most {@code max}, those after {@code after}, or from the
   * first one if it is null.
   */
  public static List<GarbageRecord> records(StoreView view, byte @Nullable [] after, int max) {
    List<GarbageRecord> records = new ArrayList<>();
    try (StoreCursor cursor = view.cursor(KeyFormat.endOf(KeyFormat.GARBAGE))) {
      boolean found = cursor.seek(after == null ? new byte[] {KeyFormat.GARBAGE} : after);
      if (found && after != null && Arrays.equals(cursor.key(), after)) {
        found = cursor.next();
      }
      while (found && records.size() < max && cursor.key()[0] == KeyFormat.GARBAGE) {
        records.add(GarbageRecord.read(cursor.key(), cursor.value()));
        found = cursor.next();
      }
    }
    return records;
  }

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
    transaction.count(Counters.GARBAGE_ENTRIES, -record.entries());
    transaction.count(Counters.GARBAGE_BYTES, -record.bytes());
  }
}
