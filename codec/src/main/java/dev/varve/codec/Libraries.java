package dev.varve.codec;

import dev.varve.codec.dump.DumpReader;
import dev.varve.codec.dump.LibraryDump;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Libraries of functions as they are stored: code under a name. They belong to no database, so that
 * FLUSHALL leaves them.
 *
 * <p>Pure functions of a view or a transaction.
 */
public final class Libraries {
  /*
   * Stored as 'u' name → layout:1 code, with the layout 1.
   */
  private static final byte LAYOUT = 1;

  private static final DataException NOT_INTACT =
      new DataException("ERR DUMP payload version or checksum are wrong");
  private static final DataException NO_LIBRARIES =
      new DataException("ERR given type is not a function");
  private static final DataException BAD_FORMAT =
      new DataException("ERR Failed loading library payload");

  private Libraries() {}

  /** The code of every library, in the order of their names. */
  public static List<byte[]> load(StoreView view) {
    List<byte[]> codes = new ArrayList<>();
    try (StoreCursor cursor = view.cursor()) {
      boolean found = cursor.seek(new byte[] {KeyFormat.LIBRARY});
      for (; found && cursor.key()[0] == KeyFormat.LIBRARY; found = cursor.next()) {
        byte[] value = cursor.value();
        if (value.length == 0 || value[0] != LAYOUT) {
          throw new DamagedValueException(
              "a library of functions in the layout " + (value.length == 0 ? -1 : value[0]));
        }
        codes.add(Arrays.copyOfRange(value, 1, value.length));
      }
    }
    return codes;
  }

  /** Stores a library, in the place of what has its name. */
  public static void put(Transaction transaction, byte[] name, byte[] code) {
    byte[] value = new byte[1 + code.length];
    value[0] = LAYOUT;
    System.arraycopy(code, 0, value, 1, code.length);
    transaction.put(KeyFormat.library(name), value);
  }

  /** Deletes a library; that there is none is not an error. */
  public static void delete(Transaction transaction, byte[] name) {
    transaction.delete(KeyFormat.library(name));
  }

  /** Libraries in the format of Redis. */
  public static byte[] dump(List<byte[]> codes) {
    return LibraryDump.write(codes);
  }

  /**
   * The codes in what {@link #dump} or Redis gave.
   *
   * @throws DataException when it is nothing of that kind
   */
  public static List<byte[]> dumped(byte[] payload) {
    if (!DumpReader.isIntact(payload)) {
      throw NOT_INTACT;
    }
    List<byte[]> codes;
    try {
      codes = LibraryDump.read(payload);
    } catch (DamagedValueException damaged) {
      throw BAD_FORMAT;
    }
    if (codes == null) {
      throw NO_LIBRARIES;
    }
    return codes;
  }
}
