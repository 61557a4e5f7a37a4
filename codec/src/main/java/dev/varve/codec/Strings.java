package dev.varve.codec;

import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Strings, and the numbers written in them.
 *
 * <p>Pure functions of a transaction. Where a key holds another type they throw {@link
 * DataException#WRONG_TYPE}, unless they say otherwise.
 */
public final class Strings {
  /** The longest value that APPEND and SETRANGE make. */
  public static final int BYTES_MAX = 512 * 1024 * 1024;

  private static final byte[] EMPTY = new byte[0];
  private static final DataException TOO_LONG =
      new DataException("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
  private static final DataException OUT_OF_RANGE = new DataException("ERR offset is out of range");
  private static final DataException OVERFLOW =
      new DataException("ERR increment or decrement would overflow");

  private Strings() {}

  /** The value of {@code key}, or null. */
  public static @Nullable Slice get(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.find(database, key, ValueType.STRING);
    return meta == null ? null : meta.string();
  }

  /** The value of {@code key}, or null also where it holds another type: as MGET has it. */
  public static @Nullable Slice getIfString(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.find(database, key);
    return meta == null || meta.type() != ValueType.STRING ? null : meta.string();
  }

  /** Sets {@code key}, whatever it held; an expiry goes. */
  public static void set(Transaction transaction, int database, byte[] key, byte[] value) {
    put(transaction, database, key, transaction.findForWrite(database, key), value);
  }

  /** Sets {@code key}, whatever it held; false if the condition does not allow it. */
  public static boolean set(
      Transaction transaction, int database, byte[] key, byte[] value, SetOptions options) {
    return set(transaction, database, key, value, options, transaction.findForWrite(database, key));
  }

  /** Sets {@code key}, which holds a string or nothing, and tells what it held. */
  public static SetOutcome setAndGet(
      Transaction transaction, int database, byte[] key, byte[] value, SetOptions options) {
    Meta old = transaction.findForWrite(database, key, ValueType.STRING);
    Slice previous = old == null ? null : old.string();
    return new SetOutcome(set(transaction, database, key, value, options, old), previous);
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
    Meta meta = Meta.ofString(value);
    if (options.keepExpiry() && old != null) {
      meta.setExpiryMillis(old.expiryMillis());
    } else {
      meta.setExpiryMillis(options.expiryMillis());
    }
    transaction.replace(database, key, old, meta);
    transaction.event(EventClass.STRING, "set", database, key);
    if (options.expiryMillis() != Meta.NO_EXPIRY) {
      transaction.event(EventClass.GENERIC, "expire", database, key);
    }
    return true;
  }

  private static void put(
      Transaction transaction, int database, byte[] key, @Nullable Meta old, byte[] value) {
    transaction.replace(database, key, old, Meta.ofString(value));
    transaction.event(EventClass.STRING, "set", database, key);
  }

  /** Sets all keys if none of them is there; false, and nothing done, if one is. */
  public static boolean setAllIfAbsent(
      Transaction transaction, int database, List<byte[]> keysAndValues) {
    for (int i = 0; i < keysAndValues.size(); i += 2) {
      if (transaction.find(database, keysAndValues.get(i)) != null) {
        return false;
      }
    }
    for (int i = 0; i < keysAndValues.size(); i += 2) {
      set(transaction, database, keysAndValues.get(i), keysAndValues.get(i + 1));
    }
    return true;
  }

  /** The value of {@code key}, which is deleted; null if there was none. */
  public static @Nullable Slice getAndDelete(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findForWrite(database, key, ValueType.STRING);
    if (meta == null) {
      return null;
    }
    transaction.remove(database, key, meta);
    transaction.event(EventClass.GENERIC, "del", database, key);
    return meta.string();
  }

  /**
   * The value of {@code key}, whose expiry is changed on the way; null if there was none.
   *
   * @param expiryMillis the new expiry, or {@link Meta#NO_EXPIRY} to take it away
   */
  public static @Nullable Slice getAndExpire(
      Transaction transaction, int database, byte[] key, long expiryMillis) {
    Meta meta = transaction.findForWrite(database, key, ValueType.STRING);
    if (meta == null) {
      return null;
    }
    Slice value = meta.string();
    if (expiryMillis == Meta.NO_EXPIRY) {
      Keys.persist(transaction, database, key);
    } else {
      Keys.expireAt(transaction, database, key, expiryMillis, ExpireCondition.ALWAYS);
    }
    return value;
  }

  /** How many bytes the value has; 0 if there is none. */
  public static int length(Transaction transaction, int database, byte[] key) {
    Slice value = get(transaction, database, key);
    return value == null ? 0 : value.length();
  }

  /** Appends to the value, or sets it if there is none; returns the length it has then. */
  public static int append(Transaction transaction, int database, byte[] key, byte[] more) {
    Meta meta = transaction.findForWrite(database, key, ValueType.STRING);
    if (meta == null) {
      meta = Meta.ofString(more);
    } else {
      Slice old = meta.string();
      byte[] grown = resized(old, requireLength((long) old.length() + more.length));
      System.arraycopy(more, 0, grown, old.length(), more.length);
      edit(meta, grown);
    }
    transaction.save(database, key, meta);
    transaction.event(EventClass.STRING, "append", database, key);
    return meta.string().length();
  }

  /**
   * Overwrites the value from {@code offset} on, with zeroes in between if it is shorter; returns
   * the length it has then. An empty {@code part} changes nothing.
   */
  public static int setRange(
      Transaction transaction, int database, byte[] key, long offset, byte[] part) {
    if (offset < 0) {
      throw OUT_OF_RANGE;
    }
    Meta meta = transaction.findForWrite(database, key, ValueType.STRING);
    Slice old = meta == null ? Slice.of(EMPTY) : meta.string();
    if (part.length == 0) {
      return old.length();
    }
    if (offset > BYTES_MAX) {
      throw TOO_LONG;
    }
    int needed = requireLength(offset + part.length);
    byte[] changed = resized(old, Math.max(old.length(), needed));
    System.arraycopy(part, 0, changed, (int) offset, part.length);
    if (meta == null) {
      meta = Meta.ofString(changed);
    }
    edit(meta, changed);
    transaction.save(database, key, meta);
    transaction.event(EventClass.STRING, "setrange", database, key);
    return changed.length;
  }

  /** The part of the value between two indexes, both included, negative ones from the end. */
  public static Slice getRange(
      Transaction transaction, int database, byte[] key, long start, long end) {
    Slice value = get(transaction, database, key);
    if (value == null || (start < 0 && end < 0 && start > end)) {
      return Slice.of(EMPTY);
    }
    long length = value.length();
    long first = Math.max(0, start < 0 ? start + length : start);
    long last = Math.max(0, end < 0 ? end + length : end);
    last = Math.min(last, length - 1);
    if (first > last) {
      return Slice.of(EMPTY);
    }
    return new Slice(value.array(), value.offset() + (int) first, (int) (last - first + 1));
  }

  /**
   * Adds to the integer in the value, which is 0 if there is none; returns the sum.
   *
   * @throws DataException NOT_AN_INTEGER, or that the sum would overflow
   */
  public static long increment(Transaction transaction, int database, byte[] key, long by) {
    Meta meta = transaction.findForWrite(database, key, ValueType.STRING);
    long old = meta == null ? 0 : IntegerText.parse(meta.string());
    long sum = old + by;
    if (((old ^ sum) & (by ^ sum)) < 0) {
      throw OVERFLOW;
    }
    saveNumber(transaction, database, key, meta, IntegerText.format(sum), false);
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
    Slice old = meta == null ? Slice.of(new byte[] {'0'}) : meta.string();
    byte[] sum =
        LongDouble.format(LongDouble.add(LongDouble.parse(old), LongDouble.parse(Slice.of(by))));
    saveNumber(transaction, database, key, meta, sum, true);
    transaction.event(EventClass.STRING, "incrbyfloat", database, key);
    return sum;
  }

  private static void saveNumber(
      Transaction transaction,
      int database,
      byte[] key,
      @Nullable Meta found,
      byte[] number,
      boolean text) {
    Meta meta = found;
    if (meta == null) {
      meta = Meta.ofString(number);
    } else {
      meta.setString(number);
    }
    meta.setEdited(false);
    meta.setText(text);
    transaction.save(database, key, meta);
  }

  private static void edit(Meta meta, byte[] value) {
    meta.setString(value);
    meta.setEdited(true);
    meta.setText(false);
  }

  private static int requireLength(long bytes) {
    if (bytes > BYTES_MAX) {
      throw TOO_LONG;
    }
    return (int) bytes;
  }

  /** A copy that is as long or longer, with zeroes at its end. */
  private static byte[] resized(Slice value, int length) {
    byte[] copy = new byte[length];
    System.arraycopy(value.array(), value.offset(), copy, 0, value.length());
    return copy;
  }
}
