package dev.varve.codec;

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

  private Libraries() {}

  /** The code of every library, in the order of their names. */
  public static List<byte[]> load(StoreView view) {
    List<byte[]> codes = new ArrayList<>();
    try (StoreCursor cursor = view.cursor(KeyFormat.endOf(KeyFormat.LIBRARY))) {
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
}
