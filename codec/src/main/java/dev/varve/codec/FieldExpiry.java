package dev.varve.codec;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreCursor;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * When fields of a spread hash expire: under each field its moment, and under each moment its
 * fields, the earliest first.
 *
 * <p>Functions of a transaction, for its thread. They keep the meta's count of fields that expire,
 * and its note of a moment before which none does, which must be saved.
 */
public final class FieldExpiry {
  /** Of a sweep that begins with the first field there may be. */
  static final byte[] FROM_START = {};

  /** A place to go on from has no more of a field. */
  private static final int PLACE_BYTES_MAX = 1024;

  private FieldExpiry() {}

  /** When a field expires, or {@link Meta#NO_EXPIRY}. */
  public static long get(Transaction transaction, CollectionKeys keys, byte[] field) {
    byte[] moment = transaction.get(keys.field(field));
    return moment == null ? Meta.NO_EXPIRY : OrderedNumbers.getLong(moment, 0);
  }

  public static void set(
      Transaction transaction, CollectionKeys keys, Meta meta, byte[] field, long expiryMillis) {
    long old = get(transaction, keys, field);
    if (old == expiryMillis) {
      return;
    }
    if (old != Meta.NO_EXPIRY) {
      transaction.delete(keys.fieldDue(old, field));
    }
    byte[] moment = new byte[Long.BYTES];
    OrderedNumbers.putLong(moment, 0, expiryMillis);
    transaction.put(keys.field(field), moment);
    transaction.insert(keys.fieldDue(expiryMillis, field));
    meta.setFieldExpiries(
        meta.fieldExpiries + (old == Meta.NO_EXPIRY ? 1 : 0),
        Math.min(meta.nextFieldExpiryMillis, expiryMillis));
  }

  /** Lets a field expire no more; false if it would not have. */
  public static boolean clear(
      Transaction transaction, CollectionKeys keys, Meta meta, byte[] field) {
    long old = get(transaction, keys, field);
    if (old == Meta.NO_EXPIRY) {
      return false;
    }
    transaction.delete(keys.fieldDue(old, field));
    transaction.delete(keys.field(field));
    long fields = meta.fieldExpiries - 1;
    meta.setFieldExpiries(fields, fields == 0 ? Meta.NO_EXPIRY : meta.nextFieldExpiryMillis);
    return true;
  }

  /** Whether no field is left at {@code nowMillis}, which takes one look however many there are. */
  static boolean areAllDue(
      TransactionEntries entries, Meta meta, CollectionKeys keys, long nowMillis) {
    if (meta.fieldExpiries != meta.count()) {
      return false;
    }
    byte[] end = keys.end(KeyFormat.FIELD_DUE);
    try (StoreCursor cursor = entries.cursor(end)) {
      return cursor.seekBefore(end)
          && keys.owns(KeyFormat.FIELD_DUE, cursor.key())
          && keys.positionOf(cursor.key()) <= nowMillis;
    }
  }

  /**
   * Whether more than {@code fieldsMax} fields are due at {@code nowMillis}.
   *
   * @param from as {@link #deleteDue} has it
   */
  static boolean areMoreDue(
      TransactionEntries entries,
      CollectionKeys keys,
      byte[] from,
      long nowMillis,
      long fieldsMax) {
    try (StoreCursor cursor = entries.cursor(keys.end(KeyFormat.FIELD_DUE))) {
      return cursor.seek(firstDue(keys, from))
          && cursor.skip(fieldsMax, true)
          && keys.owns(KeyFormat.FIELD_DUE, cursor.key())
          && keys.positionOf(cursor.key()) <= nowMillis;
    }
  }

  /**
   * Deletes the fields that have expired, up to {@code fieldsMax}: for those after that the meta
   * says {@code leftMillis}.
   *
   * @param cursors opens one over the entries before a key
   * @param batch where the deletes go
   * @param from what this returned last, of this hash or another that was here; nothing if that is
   *     not known
   * @param leftMillis not after {@code nowMillis}, or they would be seen again by a clock that
   *     stands still
   * @param onDeleted is told which they are
   * @return where to go on, not behind what is left; nothing if all were deleted
   */
  static byte[] deleteDue(
      StoredReader reader,
      Function<byte[], StoreCursor> cursors,
      StoreBatch batch,
      Meta meta,
      CollectionKeys keys,
      byte[] from,
      long nowMillis,
      long fieldsMax,
      long leftMillis,
      Consumer<byte[]> onDeleted) {
    long deleted = 0;
    long next = Meta.NO_EXPIRY;
    byte[] left = FROM_START;
    try (StoreCursor cursor = cursors.apply(keys.end(KeyFormat.FIELD_DUE))) {
      boolean found = cursor.seek(firstDue(keys, from));
      for (; found && keys.owns(KeyFormat.FIELD_DUE, cursor.key()); found = cursor.next()) {
        byte[] due = cursor.key();
        long moment = keys.positionOf(due);
        if (moment > nowMillis || deleted == fieldsMax) {
          next = moment > nowMillis ? moment : leftMillis;
          left = moment > nowMillis ? FROM_START : cut(due, keys);
          break;
        }
        byte[] field = keys.fieldOfDue(due);
        byte[] stored = keys.member(field);
        byte[] value = reader.get(stored);
        batch.delete(due);
        batch.delete(keys.field(field));
        if (value != null) {
          batch.delete(stored);
          meta.add(-1, -((long) field.length + value.length));
        }
        onDeleted.accept(field);
        deleted++;
      }
    }
    meta.setFieldExpiries(meta.fieldExpiries - deleted, next);
    return left;
  }

  /** Behind what was due when {@code from} was returned: nothing gets a moment that has passed. */
  private static byte[] firstDue(CollectionKeys keys, byte[] from) {
    return keys.owns(KeyFormat.FIELD_DUE, from) ? from : keys.prefix(KeyFormat.FIELD_DUE);
  }

  /** A place that is not behind a due field, however long that is. */
  private static byte[] cut(byte[] due, CollectionKeys keys) {
    int max = keys.suffixOffset() + Long.BYTES + PLACE_BYTES_MAX;
    return due.length <= max ? due : Arrays.copyOf(due, max);
  }
}
