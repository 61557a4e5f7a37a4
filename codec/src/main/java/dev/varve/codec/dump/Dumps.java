package dev.varve.codec.dump;

import dev.varve.codec.DataException;
import dev.varve.codec.EventClass;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.store.StepMeter;
import dev.varve.codec.store.WriteTooLargeException;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Whole values and libraries in the format of Redis, out and in.
 *
 * <p>Pure functions of a transaction.
 */
public final class Dumps {
  private static final DataException NOT_INTACT =
      new DataException("ERR DUMP payload version or checksum are wrong");
  private static final DataException BAD_FORMAT = new DataException("ERR Bad data format");
  private static final DataException NO_LIBRARIES =
      new DataException("ERR given type is not a function");
  private static final DataException BAD_LIBRARIES =
      new DataException("ERR Failed loading library payload");
  private static final DataException BUSY =
      new DataException("BUSYKEY Target key name already exists.");

  /** A payload that grows is there as it was, twice as long, and as a reply. */
  private static final int COPIES = 4;

  /** With more for one, memory would run out for whoever else works. */
  private static final long PAYLOAD_BYTES_MAX = Runtime.getRuntime().maxMemory() / 2 / COPIES;

  private static final DataException TOO_LONG =
      new DataException(
          "ERR a dumped value takes more than "
              + PAYLOAD_BYTES_MAX
              + " bytes: an eighth of the heap");

  private Dumps() {}

  /** What {@code key} holds, as a payload; null if there is nothing. */
  public static byte @Nullable [] dump(Transaction transaction, int database, byte[] key) {
    return dump(transaction, database, key, bytes -> {});
  }

  /**
   * The same.
   *
   * @param growth is told how long the payload will be at least, now and then, and may end it
   * @throws DataException when it would be too long for the heap
   */
  public static byte @Nullable [] dump(
      Transaction transaction, int database, byte[] key, LongConsumer growth) {
    Meta meta = transaction.find(database, key);
    if (meta == null) {
      return null;
    }
    DumpOutput output =
        new DumpOutput(
            bytes -> {
              growth.accept(bytes);
              if (bytes > PAYLOAD_BYTES_MAX) {
                throw TOO_LONG;
              }
              transaction.need(COPIES * bytes);
            });
    ValueWriter.write(output, transaction, database, key, meta);
    return output.finish();
  }

  /**
   * Refuses a name that is taken.
   *
   * @throws DataException BUSYKEY
   */
  public static void requireFree(Transaction transaction, int database, byte[] key) {
    if (transaction.peek(database, key) != null) {
      throw BUSY;
    }
  }

  /**
   * Makes the value in a payload what {@code key} holds, whatever it held.
   *
   * @param expiryMillis when it expires, or {@link Meta#NO_EXPIRY}; at a moment that is not in the
   *     future nothing is stored, nor of a hash whose fields have all expired
   * @throws DataException when the payload is damaged, of a newer version, or holds no value
   * @throws WriteTooLargeException when that is more than can be written at once
   */
  public static void restore(
      Transaction transaction, int database, byte[] key, long expiryMillis, byte[] payload) {
    // All of it is read before the first step that a batch would be told of.
    StepMeter meter = transaction::step;
    if (!DumpReader.isIntact(payload, meter)) {
      throw NOT_INTACT;
    }
    DumpedValue value;
    try {
      value = DumpReader.read(payload, meter);
    } catch (DamagedValueException damaged) {
      throw BAD_FORMAT;
    }
    Meta old = transaction.findForWrite(database, key);
    if (old != null) {
      transaction.remove(database, key, old);
    }
    if (DumpedValues.create(transaction, database, key, expiryMillis, value)) {
      transaction.event(EventClass.GENERIC, "restore", database, key);
    } else if (old != null) {
      transaction.event(EventClass.GENERIC, "del", database, key);
    }
  }

  /** Libraries of functions as a payload, each by all of its code. */
  public static byte[] dumpLibraries(List<byte[]> codes) {
    return LibraryDump.write(codes);
  }

  /**
   * The codes in what {@link #dumpLibraries} or Redis gave.
   *
   * @throws DataException when it is nothing of that kind
   */
  public static List<byte[]> libraries(byte[] payload) {
    if (!DumpReader.isIntact(payload, StepMeter.NONE)) {
      throw NOT_INTACT;
    }
    List<byte[]> codes;
    try {
      codes = LibraryDump.read(payload);
    } catch (DamagedValueException damaged) {
      throw BAD_LIBRARIES;
    }
    if (codes == null) {
      throw NO_LIBRARIES;
    }
    return codes;
  }
}
