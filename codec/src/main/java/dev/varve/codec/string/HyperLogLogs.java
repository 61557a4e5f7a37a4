package dev.varve.codec.string;

import dev.varve.codec.DataException;
import dev.varve.codec.EventClass;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.Slice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * HyperLogLogs: strings that estimate how many different elements they were given.
 *
 * <p>Pure functions of a transaction. Where a key holds another type they throw {@link
 * DataException#WRONG_TYPE}, and their own errors for strings that are none, or damaged ones.
 */
public final class HyperLogLogs {
  private static final DataException NO_KEY =
      new DataException("ERR The specified key does not exist");
  private static final DataException NOT_SPARSE =
      new DataException("ERR HLL encoding is not sparse");

  private HyperLogLogs() {}

  private static @Nullable HyperLogLog open(Transaction transaction, int database, byte[] key) {
    return open(StringValue.find(transaction, database, key));
  }

  private static @Nullable HyperLogLog open(@Nullable StringValue value) {
    if (value == null) {
      return null;
    }
    header(value);
    return new HyperLogLog(value.all());
  }

  /** Its header alone: what is no HyperLogLog is not read as a whole to learn that. */
  private static byte[] header(StringValue value) {
    if (value.length() < HyperLogLog.HEADER_BYTES) {
      throw HyperLogLog.NOT_ONE;
    }
    byte[] header = value.range(0, HyperLogLog.HEADER_BYTES).toBytes();
    HyperLogLog.requireOne(header, value.length());
    return header;
  }

  private static void save(Transaction transaction, int database, byte[] key, HyperLogLog changed) {
    Meta old = transaction.findForWrite(database, key);
    Meta meta = Meta.ofString(changed.bytes());
    meta.setEdited();
    if (old != null) {
      meta.setExpiryMillis(old.expiryMillis());
    }
    transaction.replace(database, key, old, meta);
  }

  /** Takes elements in; whether the estimate may be another one now, or there was no key. */
  public static boolean add(
      Transaction transaction, int database, byte[] key, List<byte[]> elements) {
    StringValue stored = StringValue.findForWrite(transaction, database, key);
    Slice old = null;
    if (stored != null) {
      boolean isDense = HyperLogLog.isDense(header(stored));
      old = stored.all();
      if (isDense && !isChangedBy(old, elements)) {
        return false;
      }
    }
    HyperLogLog value = old == null ? new HyperLogLog() : new HyperLogLog(old);
    boolean isChanged = old == null;
    for (byte[] element : elements) {
      isChanged |= value.add(element);
    }
    if (isChanged) {
      value.invalidateCardinality();
      save(transaction, database, key, value);
      event(transaction, database, key);
    }
    return isChanged;
  }

  private static boolean isChangedBy(Slice dense, List<byte[]> elements) {
    for (byte[] element : elements) {
      if (HyperLogLog.isChangedBy(dense, element)) {
        return true;
      }
    }
    return false;
  }

  private static void event(Transaction transaction, int database, byte[] key) {
    transaction.event(EventClass.STRING, "pfadd", database, key);
  }

  /**
   * The estimate for one key.
   *
   * @param isNoted whether it is written into the value, where the next count finds it
   */
  public static long count(Transaction transaction, int database, byte[] key, boolean isNoted) {
    StringValue stored = StringValue.find(transaction, database, key);
    if (stored == null) {
      return 0;
    }
    byte[] header = header(stored);
    if (HyperLogLog.knowsCardinality(header)) {
      return HyperLogLog.knownCardinality(header);
    }
    HyperLogLog value = new HyperLogLog(stored.all());
    byte[] registers = new byte[HyperLogLog.REGISTERS];
    value.mergeInto(registers);
    long cardinality = HyperLogLog.cardinality(registers);
    if (isNoted) {
      value.noteCardinality(cardinality);
      save(transaction, database, key, value);
      transaction.event(EventClass.SILENT, "pfcount", database, key);
    }
    return cardinality;
  }

  /** The estimate for what several keys were given together. */
  public static long count(Transaction transaction, int database, List<byte[]> keys) {
    byte[] registers = new byte[HyperLogLog.REGISTERS];
    for (byte[] key : keys) {
      HyperLogLog value = open(transaction, database, key);
      if (value != null) {
        value.mergeInto(registers);
      }
    }
    return HyperLogLog.cardinality(registers);
  }

  /** Takes into one key all that others were given. */
  public static void merge(
      Transaction transaction, int database, byte[] target, List<byte[]> sources) {
    byte[] registers = new byte[HyperLogLog.REGISTERS];
    boolean isDense = false;
    HyperLogLog found = open(transaction, database, target);
    if (found != null) {
      found.mergeInto(registers);
      isDense = found.isDense();
    }
    for (byte[] source : sources) {
      HyperLogLog value = open(transaction, database, source);
      if (value != null) {
        value.mergeInto(registers);
        isDense |= value.isDense();
      }
    }
    HyperLogLog merged = found == null ? new HyperLogLog() : found;
    if (isDense) {
      merged.makeDense();
    }
    for (int i = 0; i < registers.length; i++) {
      if (registers[i] != 0) {
        merged.raise(i, registers[i]);
      }
    }
    merged.invalidateCardinality();
    save(transaction, database, target, merged);
    event(transaction, database, target);
  }

  private static HyperLogLog require(Transaction transaction, int database, byte[] key) {
    HyperLogLog value = open(StringValue.findForWrite(transaction, database, key));
    if (value == null) {
      throw NO_KEY;
    }
    return value;
  }

  /** Refuses a key that holds none. */
  public static void requireOne(Transaction transaction, int database, byte[] key) {
    require(transaction, database, key);
  }

  /** All registers; the value becomes dense on the way. */
  public static byte[] registers(Transaction transaction, int database, byte[] key) {
    makeDense(transaction, database, key);
    byte[] registers = new byte[HyperLogLog.REGISTERS];
    require(transaction, database, key).mergeInto(registers);
    return registers;
  }

  /** Makes the value dense; false if it is. */
  public static boolean makeDense(Transaction transaction, int database, byte[] key) {
    HyperLogLog value = require(transaction, database, key);
    if (value.isDense()) {
      return false;
    }
    value.makeDense();
    save(transaction, database, key, value);
    return true;
  }

  public static boolean isDense(Transaction transaction, int database, byte[] key) {
    return require(transaction, database, key).isDense();
  }

  /** The runs of a sparse one, for people. */
  public static String runs(Transaction transaction, int database, byte[] key) {
    HyperLogLog value = require(transaction, database, key);
    if (value.isDense()) {
      throw NOT_SPARSE;
    }
    return value.runs();
  }
}
