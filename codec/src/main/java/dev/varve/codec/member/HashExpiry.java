package dev.varve.codec.member;

import dev.varve.codec.EventClass;
import dev.varve.codec.ExpireCondition;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fields of hashes that expire: they are gone from their moment on, for every command and every
 * count.
 *
 * <p>Pure functions of a transaction. Where a key holds another type they throw {@link
 * DataException#WRONG_TYPE}.
 */
public final class HashExpiry {
  /** What is told of a field that is not there. */
  public static final long NO_FIELD = -2;

  /** What is told of a field that does not expire. */
  public static final long NO_EXPIRY = -1;

  private static final long NOT_ALLOWED = 0;
  private static final long CHANGED = 1;
  private static final long DELETED = 2;

  private HashExpiry() {}

  private static @Nullable MemberTable find(Transaction transaction, int database, byte[] key) {
    return MemberTable.findForWrite(transaction, database, key, ValueType.HASH);
  }

  /**
   * Lets fields expire, or deletes them if that moment is not in the future; returns for each
   * {@link #NO_FIELD}, 0 if the condition does not allow it, 1, or 2 if it was deleted.
   */
  public static long[] expireAt(
      Transaction transaction,
      int database,
      byte[] key,
      long expiryMillis,
      ExpireCondition condition,
      List<byte[]> fields) {
    long[] results = new long[fields.size()];
    MemberTable table = find(transaction, database, key);
    boolean isChanged = false;
    boolean isDeleted = false;
    for (int i = 0; i < results.length; i++) {
      byte[] field = fields.get(i);
      if (table == null || !table.contains(field)) {
        results[i] = NO_FIELD;
      } else if (!condition.allows(table.expiryMillis(field), expiryMillis)) {
        results[i] = NOT_ALLOWED;
      } else if (expiryMillis <= transaction.dueMillis()) {
        table.remove(field);
        isDeleted = true;
        results[i] = DELETED;
      } else {
        table.setExpiry(field, expiryMillis);
        isChanged = true;
        results[i] = CHANGED;
      }
    }
    if (isChanged) {
      transaction.event(EventClass.HASH, "hexpire", database, key);
    }
    if (isDeleted) {
      transaction.event(EventClass.HASH, "hdel", database, key);
    }
    if (table != null && (isChanged || isDeleted)) {
      table.save();
    }
    return results;
  }

  /** When fields expire in ms since 1970, or {@link #NO_FIELD} or {@link #NO_EXPIRY}. */
  public static long[] expiryMillis(
      Transaction transaction, int database, byte[] key, List<byte[]> fields) {
    long[] results = new long[fields.size()];
    MemberTable table = MemberTable.find(transaction, database, key, ValueType.HASH);
    for (int i = 0; i < results.length; i++) {
      byte[] field = fields.get(i);
      if (table == null || !table.contains(field)) {
        results[i] = NO_FIELD;
      } else {
        long moment = table.expiryMillis(field);
        results[i] = moment == Meta.NO_EXPIRY ? NO_EXPIRY : moment;
      }
    }
    return results;
  }

  /**
   * Sets fields of a hash that is not saved yet, each of which has a moment at which it expires, or
   * {@link Meta#NO_EXPIRY}; those whose moment is not in the future are left out.
   *
   * @param fieldsAndValues each field, then its value; kept as they are
   */
  public static void putAll(
      MemberTable hash, List<byte[]> fieldsAndValues, long[] moments, long dueMillis) {
    for (int i = 0; i < moments.length; i++) {
      if (moments[i] > dueMillis) {
        byte[] field = fieldsAndValues.get(2 * i);
        hash.put(field, fieldsAndValues.get(2 * i + 1));
        hash.setExpiry(field, moments[i]);
      }
    }
  }

  /** As {@link #putAll}, with a hash that is there, or that this begins. */
  public static void setAll(
      Transaction transaction,
      int database,
      byte[] key,
      List<byte[]> fieldsAndValues,
      long[] moments) {
    MemberTable hash = MemberTable.findOrCreate(transaction, database, key, ValueType.HASH);
    putAll(hash, fieldsAndValues, moments, transaction.dueMillis());
    if (hash.count() > 0) {
      hash.save();
    }
  }

  /** Lets fields expire no more; returns for each {@link #NO_FIELD}, {@link #NO_EXPIRY} or 1. */
  public static long[] persist(
      Transaction transaction, int database, byte[] key, List<byte[]> fields) {
    long[] results = new long[fields.size()];
    MemberTable table = find(transaction, database, key);
    boolean isChanged = false;
    for (int i = 0; i < results.length; i++) {
      byte[] field = fields.get(i);
      if (table == null || !table.contains(field)) {
        results[i] = NO_FIELD;
      } else if (table.expiryMillis(field) == Meta.NO_EXPIRY) {
        results[i] = NO_EXPIRY;
      } else {
        table.setExpiry(field, Meta.NO_EXPIRY);
        isChanged = true;
        results[i] = CHANGED;
      }
    }
    if (table != null && isChanged) {
      table.save();
      transaction.event(EventClass.HASH, "hpersist", database, key);
    }
    return results;
  }

  /** The values of fields, which are deleted; each null where there is none. */
  public static @Nullable Slice[] getAndDelete(
      Transaction transaction, int database, byte[] key, List<byte[]> fields) {
    @Nullable Slice[] values = new @Nullable Slice[fields.size()];
    MemberTable table = find(transaction, database, key);
    if (table == null) {
      return values;
    }
    boolean isChanged = false;
    for (int i = 0; i < values.length; i++) {
      values[i] = copy(table.value(fields.get(i)));
      isChanged |= table.remove(fields.get(i));
    }
    if (isChanged) {
      transaction.event(EventClass.HASH, "hdel", database, key);
      table.save();
    }
    return values;
  }

  /** What stays as it is when the hash changes. */
  private static @Nullable Slice copy(@Nullable Slice value) {
    return value == null ? null : Slice.of(value.toBytes().clone());
  }

  /**
   * The values of fields, each null where there is none, and lets these expire.
   *
   * @param expiryMillis the moment; {@link Meta#NO_EXPIRY} to expire no more
   */
  public static @Nullable Slice[] getAndExpire(
      Transaction transaction, int database, byte[] key, long expiryMillis, List<byte[]> fields) {
    @Nullable Slice[] values = new @Nullable Slice[fields.size()];
    MemberTable table = find(transaction, database, key);
    if (table == null) {
      return values;
    }
    for (int i = 0; i < values.length; i++) {
      values[i] = copy(table.value(fields.get(i)));
    }
    if (expiryMillis == Meta.NO_EXPIRY) {
      persist(transaction, database, key, fields);
    } else {
      expireAt(transaction, database, key, expiryMillis, ExpireCondition.ALWAYS, fields);
    }
    return values;
  }

  /** Which fields must be there already for any to be set. */
  public enum FieldCondition {
    ALWAYS,
    /** None of them. */
    IF_ABSENT,
    /** All of them. */
    IF_PRESENT
  }

  /**
   * Sets fields and lets them expire; false, and nothing done, if the condition does not allow it.
   *
   * @param expiryMillis the moment, or {@link Meta#NO_EXPIRY} for none
   * @param keepsExpiry whether fields that expire still do
   * @param fieldsAndValues each field, then its value; kept as they are
   */
  public static boolean set(
      Transaction transaction,
      int database,
      byte[] key,
      FieldCondition condition,
      long expiryMillis,
      boolean keepsExpiry,
      List<byte[]> fieldsAndValues) {
    MemberTable table = MemberTable.findOrCreate(transaction, database, key, ValueType.HASH);
    for (int i = 0; i < fieldsAndValues.size(); i += 2) {
      boolean isThere = table.contains(fieldsAndValues.get(i));
      if ((condition == FieldCondition.IF_ABSENT && isThere)
          || (condition == FieldCondition.IF_PRESENT && !isThere)) {
        return false;
      }
    }
    boolean isOver = expiryMillis <= transaction.dueMillis();
    for (int i = 0; i < fieldsAndValues.size(); i += 2) {
      byte[] field = fieldsAndValues.get(i);
      byte[] value = fieldsAndValues.get(i + 1);
      if (isOver) {
        table.remove(field);
      } else if (keepsExpiry) {
        table.putKeepingExpiry(field, value);
      } else {
        table.put(field, value);
        table.setExpiry(field, expiryMillis);
      }
    }
    transaction.event(EventClass.HASH, isOver ? "hdel" : "hset", database, key);
    if (!isOver && expiryMillis != Meta.NO_EXPIRY) {
      transaction.event(EventClass.HASH, "hexpire", database, key);
    }
    if (table.count() > 0 || table.meta().stored) {
      table.save();
    }
    return true;
  }
}
