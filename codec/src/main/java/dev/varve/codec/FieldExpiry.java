package dev.varve.codec;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreCursor;
import java.util.function.Function;

/**
 * When fields of a spread hash expire: under each field its moment, and under each moment its
 * fields, the earliest first.
 *
 * <p>Functions of a transaction, for its thread. They keep the meta's count of fields that expire,
 * and its note of the earliest, which must be saved.
 */
public final class FieldExpiry {
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
    long fields = meta.fieldExpiries + (old == Meta.NO_EXPIRY ? 1 : 0);
    long next = meta.nextFieldExpiryMillis;
    if (expiryMillis <= next) {
      next = expiryMillis;
    } else if (old == next) {
      next = first(transaction::cursor, keys);
    }
    meta.setFieldExpiries(fields, next);
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
    long next = meta.nextFieldExpiryMillis;
    meta.setFieldExpiries(
        meta.fieldExpiries - 1, old == next ? first(transaction::cursor, keys) : next);
    return true;
  }

  private static long first(Function<byte[], StoreCursor> cursors, CollectionKeys keys) {
    try (StoreCursor cursor = cursors.apply(keys.end(KeyFormat.FIELD_DUE))) {
      boolean found = cursor.seek(keys.prefix(KeyFormat.FIELD_DUE));
      return found && keys.owns(KeyFormat.FIELD_DUE, cursor.key())
          ? keys.positionOf(cursor.key())
          : Meta.NO_EXPIRY;
    }
  }

  /**
   * Deletes the fields that have expired, up to {@code fieldsMax}: those after that count as due a
   * moment later.
   *
   * @param cursors opens one over the entries before a key
   * @param batch where the deletes go
   */
  static void deleteDue(
      StoredReader reader,
      Function<byte[], StoreCursor> cursors,
      StoreBatch batch,
      Meta meta,
      CollectionKeys keys,
      long nowMillis,
      long fieldsMax) {
    long deleted = 0;
    long next = Meta.NO_EXPIRY;
    try (StoreCursor cursor = cursors.apply(keys.end(KeyFormat.FIELD_DUE))) {
      boolean found = cursor.seek(keys.prefix(KeyFormat.FIELD_DUE));
      for (; found && keys.owns(KeyFormat.FIELD_DUE, cursor.key()); found = cursor.next()) {
        byte[] due = cursor.key();
        long moment = keys.positionOf(due);
        if (moment > nowMillis || deleted == fieldsMax) {
          next = Math.max(moment, nowMillis + 1);
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
        deleted++;
      }
    }
    meta.setFieldExpiries(meta.fieldExpiries - deleted, next);
  }
}
