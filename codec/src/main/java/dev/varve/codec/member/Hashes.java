package dev.varve.codec.member;

import dev.varve.codec.DataException;
import dev.varve.codec.EventClass;
import dev.varve.codec.Glob;
import dev.varve.codec.LongDouble;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.IntegerText;
import dev.varve.codec.format.MemberOrder;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hashes: fields with values, under one key.
 *
 * <p>Pure functions of a transaction. Where a key holds another type they throw {@link
 * DataException#WRONG_TYPE}; no key is a hash without fields. Slices and walks that are returned
 * hold until the transaction reads another key or writes to that one.
 */
public final class Hashes {
  private static final DataException NOT_AN_INTEGER =
      new DataException("ERR hash value is not an integer");
  private static final DataException NOT_A_FLOAT =
      new DataException("ERR hash value is not a float");
  private static final DataException INFINITE_INCREMENT =
      new DataException("ERR value is NaN or Infinity");
  private static final DataException OVERFLOW =
      new DataException("ERR increment or decrement would overflow");
  private static final byte[] ZERO = {'0'};

  private Hashes() {}

  /**
   * Sets fields; returns how many of them are new.
   *
   * @param fieldsAndValues each field, then its value; kept as they are
   */
  public static int set(
      Transaction transaction, int database, byte[] key, byte[]... fieldsAndValues) {
    MemberTable table = MemberTable.findOrCreateBriefly(transaction, database, key, ValueType.HASH);
    int added = putAll(table, Arrays.asList(fieldsAndValues));
    table.save();
    transaction.event(EventClass.HASH, "hset", database, key);
    return added;
  }

  /**
   * Sets fields of a hash that is not saved yet; returns how many of them are new.
   *
   * @param fieldsAndValues each field, then its value; kept as they are
   */
  public static int putAll(MemberTable table, List<byte[]> fieldsAndValues) {
    int fields = fieldsAndValues.size() / 2;
    MemberOrder order = table.orderToAdd(fields, number -> fieldsAndValues.get(2 * number));
    int added = 0;
    for (int i = 0; i < fields; i++) {
      int at = 2 * order.at(i);
      if (table.put(fieldsAndValues.get(at), fieldsAndValues.get(at + 1))) {
        added++;
      }
    }
    return added;
  }

  /** Sets a field unless it is there; whether it was set. */
  public static boolean setIfAbsent(
      Transaction transaction, int database, byte[] key, byte[] field, byte[] value) {
    MemberTable table = MemberTable.findOrCreateBriefly(transaction, database, key, ValueType.HASH);
    if (table.contains(field)) {
      return false;
    }
    table.put(field, value);
    table.save();
    transaction.event(EventClass.HASH, "hset", database, key);
    return true;
  }

  /** The value of a field, or null. */
  public static @Nullable Slice get(
      Transaction transaction, int database, byte[] key, byte[] field) {
    MemberTable table = MemberTable.findBriefly(transaction, database, key, ValueType.HASH);
    return table == null ? null : table.value(field);
  }

  /** The fields of one hash as they are while its transaction writes nothing. */
  public interface Lookup {

    /** The value of one, or null. */
    @Nullable Slice value(byte[] field);
  }

  /**
   * Looks up several one after the other, before the transaction reads anything else: there may not
   * be room for all their values together.
   */
  public static Lookup lookup(Transaction transaction, int database, byte[] key) {
    MemberTable table = MemberTable.findBriefly(transaction, database, key, ValueType.HASH);
    return table == null ? field -> null : table::value;
  }

  /** Deletes fields; returns how many there were. */
  public static int delete(Transaction transaction, int database, byte[] key, byte[]... fields) {
    MemberTable table = MemberTable.findBrieflyForWrite(transaction, database, key, ValueType.HASH);
    if (table == null) {
      return 0;
    }
    int deleted = table.removeAll(fields);
    if (deleted > 0) {
      transaction.event(EventClass.HASH, "hdel", database, key);
      table.save();
    }
    return deleted;
  }

  /** How many fields there are. */
  public static long size(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findBriefly(database, key, ValueType.HASH);
    return meta == null ? 0 : meta.count();
  }

  /** How many bytes the value of a field has; 0 if there is none. */
  public static int valueLength(Transaction transaction, int database, byte[] key, byte[] field) {
    Slice value = get(transaction, database, key, field);
    return value == null ? 0 : value.length();
  }

  public static boolean contains(Transaction transaction, int database, byte[] key, byte[] field) {
    MemberTable table = MemberTable.findBriefly(transaction, database, key, ValueType.HASH);
    return table != null && table.contains(field);
  }

  /** A walk over all fields with their values. The caller closes it. */
  public static MemberCursor fields(Transaction transaction, int database, byte[] key) {
    MemberTable table = MemberTable.findBriefly(transaction, database, key, ValueType.HASH);
    return table == null ? MemberCursor.empty() : table.members();
  }

  /**
   * One step of a scan: see {@link MemberPage}.
   *
   * @param position what the step before returned, or {@link MemberPage#END} to start
   * @param countMax how many fields to look at, at least 1
   * @param match what the fields must match, or null
   */
  public static MemberPage scan(
      Transaction transaction,
      int database,
      byte[] key,
      long position,
      long countMax,
      @Nullable Glob match) {
    MemberTable table = MemberTable.find(transaction, database, key, ValueType.HASH);
    return MemberPage.scan(table, position, countMax, match);
  }

  /**
   * Adds to the integer in a field, which is 0 if there is none; returns the sum.
   *
   * @throws DataException when the value is no integer, or the sum would overflow
   */
  public static long increment(
      Transaction transaction, int database, byte[] key, byte[] field, long by) {
    MemberTable table = MemberTable.findOrCreateBriefly(transaction, database, key, ValueType.HASH);
    Slice old = table.value(field);
    long start = old == null ? 0 : IntegerText.parse(old, NOT_AN_INTEGER);
    long sum = start + by;
    if (((start ^ sum) & (by ^ sum)) < 0) {
      throw OVERFLOW;
    }
    table.putKeepingExpiry(field, IntegerText.of(sum));
    table.save();
    transaction.event(EventClass.HASH, "hincrby", database, key);
    return sum;
  }

  /**
   * Adds to the number in a field, which is 0 if there is none; returns the sum as text.
   *
   * @throws DataException when {@code by} or the value is no number, or the sum is not finite
   */
  public static byte[] incrementByFloat(
      Transaction transaction, int database, byte[] key, byte[] field, byte[] by) {
    BigDecimal increment = LongDouble.parse(Slice.of(by));
    if (increment == null) {
      throw INFINITE_INCREMENT;
    }
    MemberTable table = MemberTable.findOrCreateBriefly(transaction, database, key, ValueType.HASH);
    Slice old = table.value(field);
    byte[] sum = LongDouble.format(LongDouble.add(number(old), increment));
    table.putKeepingExpiry(field, sum);
    table.save();
    transaction.event(EventClass.HASH, "hincrbyfloat", database, key);
    return sum;
  }

  private static @Nullable BigDecimal number(@Nullable Slice value) {
    try {
      return LongDouble.parse(value == null ? Slice.of(ZERO) : value);
    } catch (DataException notANumber) {
      throw NOT_A_FLOAT;
    }
  }

  /** A random field, or null if there is none. */
  public static @Nullable Slice randomField(Transaction transaction, int database, byte[] key) {
    MemberTable table = MemberTable.find(transaction, database, key, ValueType.HASH);
    return table == null ? null : MemberSample.one(transaction, table);
  }

  /**
   * Up to {@code count} different random fields.
   *
   * @param withValues whether each field is followed by its value
   */
  public static List<Slice> randomFields(
      Transaction transaction, int database, byte[] key, long count, boolean withValues) {
    MemberTable table = MemberTable.find(transaction, database, key, ValueType.HASH);
    return table == null ? List.of() : MemberSample.distinct(transaction, table, count, withValues);
  }

  /**
   * {@code count} random fields that may repeat themselves; none if there is no hash. The caller
   * closes the walk.
   */
  public static MemberCursor repeatingFields(
      Transaction transaction, int database, byte[] key, long count) {
    MemberTable table = MemberTable.find(transaction, database, key, ValueType.HASH);
    return table == null ? MemberCursor.empty() : new RepeatingSample(transaction, table, count);
  }
}
