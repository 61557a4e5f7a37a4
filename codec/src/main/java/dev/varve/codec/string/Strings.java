package dev.varve.codec.string;

import dev.varve.codec.DataException;
import dev.varve.codec.EventClass;
import dev.varve.codec.Keys;
import dev.varve.codec.LongDouble;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.IntegerText;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Strings, and the numbers written in them.
 *
 * <p>Pure functions of a transaction. Where a key holds another type they throw {@link
 * DataException#WRONG_TYPE}, unless they say otherwise.
 */
public final class Strings {
  /** The longest value that APPEND and SETRANGE make, unless configured otherwise. */
  public static final int BYTES_MAX = 512 * 1024 * 1024;

  /** And whatever is configured. */
  public static final int BYTES_MAX_EVER = 1024 * 1024 * 1024;

  private static final byte[] EMPTY = new byte[0];
  private static final DataException TOO_LONG =
      new DataException("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
  private static final DataException OUT_OF_RANGE = new DataException("ERR offset is out of range");
  private static final DataException OVERFLOW =
      new DataException("ERR increment or decrement would overflow");

  private Strings() {}

  /** The value of {@code key}, or null; its bytes are gone with the next read. */
  public static @Nullable StringRange getBriefly(
      Transaction transaction, int database, byte[] key) {
    StringValue value = StringValue.findBriefly(transaction, database, key);
    return value == null ? null : value.inFull();
  }

  /** The value of {@code key}, which holds the string {@code meta}. */
  public static Slice value(Transaction transaction, int database, byte[] key, Meta meta) {
    return StringValue.of(transaction, database, key, meta).all();
  }

  /** The same, but null also where it holds another type: as MGET has it. */
  public static @Nullable StringRange getIfString(
      Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findBriefly(database, key);
    return meta == null || meta.type() != ValueType.STRING
        ? null
        : StringValue.of(transaction, database, key, meta).inFull();
  }

  /** Sets {@code key}, whatever it held; an expiry goes. */
  public static void set(Transaction transaction, int database, byte[] key, byte[] value) {
    Meta old = transaction.findToOverwrite(database, key);
    save(transaction, database, key, old, value, Meta.NO_EXPIRY, false);
    transaction.event(EventClass.STRING, "set", database, key);
  }

  /** Sets {@code key}, whatever it held; false if the condition does not allow it. */
  public static boolean set(
      Transaction transaction, int database, byte[] key, byte[] value, SetOptions options) {
    Meta old = transaction.findToOverwrite(database, key);
    return set(transaction, database, key, value, options, old);
  }

  /** Sets {@code key}, which holds a string or nothing, and tells what it held. */
  public static SetOutcome setAndGet(
      Transaction transaction, int database, byte[] key, byte[] value, SetOptions options) {
    Meta old = transaction.findStringToReplace(database, key);
    Slice previous = old == null ? null : value(transaction, database, key, old);
    return new SetOutcome(set(transaction, database, key, value, options, old), previous);
  }

  /**
   * The same, if what it held is as {@code comparison} wants it.
   *
   * @param tellsPrevious whether what it held is told; else that is null
   */
  public static SetOutcome setComparing(
      Transaction transaction,
      int database,
      byte[] key,
      byte[] value,
      SetOptions options,
      SetOptions.Comparison comparison,
      boolean tellsPrevious) {
    Meta old = transaction.findStringToReplace(database, key);
    StringValue current = old == null ? null : StringValue.of(transaction, database, key, old);
    Slice previous = current == null || !tellsPrevious ? null : current.all();
    boolean isSet =
        comparison.allows(current) && set(transaction, database, key, value, options, old);
    return new SetOutcome(isSet, previous);
  }

  private static boolean set(
      Transaction transaction,
      int database,
      byte[] key,
      byte[] value,
      SetOptions options,
      @Nullable Meta old) {
    boolean allowed =
        switch (options.condition()) {
          case ALWAYS -> true;
          case IF_ABSENT -> old == null;
          case IF_PRESENT -> old != null;
        };
    if (!allowed) {
      return false;
    }
    long expiryMillis =
        options.keepExpiry() && old != null ? old.expiryMillis() : options.expiryMillis();
    save(transaction, database, key, old, value, expiryMillis, false);
    transaction.event(EventClass.STRING, "set", database, key);
    if (options.expiryMillis() != Meta.NO_EXPIRY) {
      transaction.event(EventClass.GENERIC, "expire", database, key);
    }
    return true;
  }

  /** Makes a string what {@code key} holds, in the place of {@code old}. */
  private static void save(
      Transaction transaction,
      int database,
      byte[] key,
      @Nullable Meta old,
      byte[] value,
      long expiryMillis,
      boolean text) {
    boolean isShort = value.length <= transaction.packedLimits().stringBytesMax();
    if (isShort && old != null && old.type() == ValueType.STRING && !old.isSpread()) {
      // Its meta serves again: a new one is much of what a short SET or an INCR costs in memory.
      old.renewString(value);
      old.setExpiryMillis(expiryMillis);
      old.setText(text);
      transaction.save(database, key, old);
      return;
    }
    Meta meta = StringValue.build(transaction, database, key, value);
    meta.setExpiryMillis(expiryMillis);
    meta.setText(text);
    transaction.replace(database, key, old, meta);
  }

  /** Sets all keys if none of them is there; false, and nothing done, if one is. */
  public static boolean setAllIfAbsent(
      Transaction transaction, int database, List<byte[]> keysAndValues) {
    return setAll(transaction, database, keysAndValues, SetOptions.IF_ABSENT);
  }

  /** Sets all keys, or none of them unless each is there, or is not, as the options want it. */
  public static boolean setAll(
      Transaction transaction, int database, List<byte[]> keysAndValues, SetOptions options) {
    SetOptions.Condition condition = options.condition();
    if (condition != SetOptions.Condition.ALWAYS) {
      boolean isThereWanted = condition == SetOptions.Condition.IF_PRESENT;
      for (int i = 0; i < keysAndValues.size(); i += 2) {
        boolean isThere = transaction.peek(database, keysAndValues.get(i)) != null;
        if (isThere != isThereWanted) {
          return false;
        }
      }
    }
    SetOptions each =
        new SetOptions(SetOptions.Condition.ALWAYS, options.expiryMillis(), options.keepExpiry());
    for (int i = 0; i < keysAndValues.size(); i += 2) {
      set(transaction, database, keysAndValues.get(i), keysAndValues.get(i + 1), each);
    }
    return true;
  }

  /** The value of {@code key}, which is deleted; null if there was none. */
  public static @Nullable Slice getAndDelete(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findStringToReplace(database, key);
    if (meta == null) {
      return null;
    }
    Slice value = value(transaction, database, key, meta);
    transaction.remove(database, key, meta);
    transaction.event(EventClass.GENERIC, "del", database, key);
    return value;
  }

  /**
   * Deletes {@code key}, which holds a string or nothing, if that is as {@code comparison} wants
   * it; whether it did.
   */
  public static boolean deleteComparing(
      Transaction transaction, int database, byte[] key, SetOptions.Comparison comparison) {
    Meta meta = transaction.findStringToReplace(database, key);
    if (meta == null || !comparison.allows(StringValue.of(transaction, database, key, meta))) {
      return false;
    }
    transaction.remove(database, key, meta);
    transaction.event(EventClass.GENERIC, "del", database, key);
    return true;
  }

  /**
   * The value of {@code key}, whose expiry is changed on the way; null if there was none.
   *
   * @param expiry gives the new one in ms since 1970, or {@link Meta#NO_EXPIRY} to take it away; is
   *     asked if there is a value, and may refuse
   */
  public static @Nullable Slice getAndExpire(
      Transaction transaction, int database, byte[] key, LongSupplier expiry) {
    Meta meta = transaction.findStringToReplace(database, key);
    if (meta == null) {
      return null;
    }
    Slice value = value(transaction, database, key, meta);
    long expiryMillis = expiry.getAsLong();
    if (expiryMillis == Meta.NO_EXPIRY) {
      Keys.persist(transaction, database, key, meta);
    } else {
      Keys.expireAt(transaction, database, key, meta, expiryMillis);
    }
    return value;
  }

  /** How many bytes the value has; 0 if there is none. */
  public static int length(Transaction transaction, int database, byte[] key) {
    StringValue value = StringValue.findBriefly(transaction, database, key);
    return value == null ? 0 : value.length();
  }

  /**
   * Appends to the value, or sets it if there is none; returns the length it has then.
   *
   * @param bytesMax up to what length
   */
  public static int append(
      Transaction transaction, int database, byte[] key, byte[] more, int bytesMax) {
    StringValue value = StringValue.findForWrite(transaction, database, key);
    if (value == null) {
      Meta meta = StringValue.build(transaction, database, key, more);
      transaction.save(database, key, meta);
      transaction.event(EventClass.STRING, "append", database, key);
      return more.length;
    }
    requireLength((long) value.length() + more.length, bytesMax);
    value.write(value.length(), more);
    value.save();
    transaction.event(EventClass.STRING, "append", database, key);
    return value.length();
  }

  /**
   * Overwrites the value from {@code offset} on, with zeroes in between if it is shorter; returns
   * the length it has then. An empty {@code part} changes nothing.
   *
   * @param bytesMax up to what length
   */
  public static int setRange(
      Transaction transaction, int database, byte[] key, long offset, byte[] part, int bytesMax) {
    if (offset < 0) {
      throw OUT_OF_RANGE;
    }
    StringValue value = StringValue.findOrCreate(transaction, database, key);
    if (part.length == 0) {
      return value.length();
    }
    if (offset > bytesMax) {
      throw TOO_LONG;
    }
    requireLength(offset + part.length, bytesMax);
    value.write((int) offset, part);
    value.save();
    transaction.event(EventClass.STRING, "setrange", database, key);
    return value.length();
  }

  /**
   * The part of the value between two indexes, both included, negative ones from the end; its bytes
   * are gone with the next read.
   */
  public static StringRange getRange(
      Transaction transaction, int database, byte[] key, long start, long end) {
    StringValue value = StringValue.findBriefly(transaction, database, key);
    if (value == null || (start < 0 && end < 0 && start > end)) {
      return StringValue.of(transaction, database, key, Meta.ofString(EMPTY)).inFull();
    }
    long length = value.length();
    long first = Math.max(0, start < 0 ? start + length : start);
    long last = Math.max(0, end < 0 ? end + length : end);
    last = Math.min(last, length - 1);
    return first > last
        ? new StringRange(value, 0, 0)
        : new StringRange(value, (int) first, (int) (last - first + 1));
  }

  /**
   * Adds to the integer in the value, which is 0 if there is none; returns the sum.
   *
   * @throws DataException NOT_AN_INTEGER, or that the sum would overflow
   */
  public static long increment(Transaction transaction, int database, byte[] key, long by) {
    Meta meta = transaction.findForWrite(database, key, ValueType.STRING);
    long old =
        meta == null
            ? 0
            : IntegerText.parse(
                numberText(
                    transaction,
                    database,
                    key,
                    meta,
                    IntegerText.BYTES_MAX,
                    DataException.NOT_AN_INTEGER),
                DataException.NOT_AN_INTEGER);
    long sum = old + by;
    if (((old ^ sum) & (by ^ sum)) < 0) {
      throw OVERFLOW;
    }
    saveNumber(transaction, database, key, meta, IntegerText.of(sum), false);
    transaction.event(EventClass.STRING, "incrby", database, key);
    return sum;
  }

  /**
   * Adds to the number in the value, which is 0 if there is none; returns the sum as text.
   *
   * @throws DataException NOT_A_FLOAT, or that the sum would not be finite
   */
  public static byte[] incrementByFloat(
      Transaction transaction, int database, byte[] key, byte[] by) {
    Meta meta = transaction.findForWrite(database, key, ValueType.STRING);
    Slice old =
        meta == null
            ? Slice.of(new byte[] {'0'})
            : numberText(
                transaction,
                database,
                key,
                meta,
                LongDouble.TEXT_BYTES_MAX,
                DataException.NOT_A_FLOAT);
    byte[] sum =
        LongDouble.format(LongDouble.add(LongDouble.parse(old), LongDouble.parse(Slice.of(by))));
    saveNumber(transaction, database, key, meta, sum, true);
    transaction.event(EventClass.STRING, "incrbyfloat", database, key);
    return sum;
  }

  /**
   * What two strings have in common; those that are too long for that are not read to learn so.
   *
   * @param firstMeta what the first key holds, a string or, if null, nothing
   * @param secondMeta what the second key holds, likewise
   * @param lengthOnly whether nothing but the length is wanted
   * @throws DataException when they are too long
   */
  public static CommonSubsequence commonSubsequence(
      Transaction transaction,
      int database,
      byte[] firstKey,
      @Nullable Meta firstMeta,
      byte[] secondKey,
      @Nullable Meta secondMeta,
      boolean lengthOnly) {
    StringValue first = orEmpty(transaction, database, firstKey, firstMeta);
    StringValue second = orEmpty(transaction, database, secondKey, secondMeta);
    CommonSubsequence.requireRoom(first.length(), second.length());
    return CommonSubsequence.of(first.all(), second.all(), lengthOnly);
  }

  private static StringValue orEmpty(
      Transaction transaction, int database, byte[] key, @Nullable Meta meta) {
    return StringValue.of(transaction, database, key, meta == null ? Meta.ofString(EMPTY) : meta);
  }

  /** The value, if it is short enough for a number: a longer one is not read to learn that. */
  private static Slice numberText(
      Transaction transaction,
      int database,
      byte[] key,
      Meta meta,
      int bytesMax,
      DataException notANumber) {
    StringValue value = StringValue.of(transaction, database, key, meta);
    if (value.length() > bytesMax) {
      throw notANumber;
    }
    return value.all();
  }

  private static void saveNumber(
      Transaction transaction,
      int database,
      byte[] key,
      @Nullable Meta found,
      byte[] number,
      boolean text) {
    long expiryMillis = found == null ? Meta.NO_EXPIRY : found.expiryMillis();
    save(transaction, database, key, found, number, expiryMillis, text);
  }

  private static void requireLength(long bytes, int bytesMax) {
    if (bytes > bytesMax) {
      throw TOO_LONG;
    }
  }
}
