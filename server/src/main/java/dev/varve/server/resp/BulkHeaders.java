package dev.varve.server.resp;

import dev.varve.codec.format.IntegerText;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The headers of short bulk strings, made once: a range is a hundred of them.
 *
 * <p>Immutable.
 */
final class BulkHeaders {
  /** Shorter bulk strings have their header here: it fits a long. */
  static final int LENGTHS = 1000;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final long[] headers = new long[LENGTHS];

  BulkHeaders() {
    byte[] header = new byte[Long.BYTES];
    for (int length = 0; length < LENGTHS; length++) {
      header[0] = '$';
      int end = IntegerText.write(length, header, 1);
      header[end] = '\r';
      header[end + 1] = '\n';
      headers[length] = (long) LONG.get(header, 0);
    }
  }

  /**
   * Writes the header of a bulk string of {@code length} bytes, below {@link #LENGTHS}, and up to
   * four bytes without meaning behind it; returns where it ends.
   */
  int put(int length, byte[] bytes, int at) {
    LONG.set(bytes, at, headers[length]);
    int digits = length < 10 ? 1 : length < 100 ? 2 : 3;
    return at + 1 + digits + 2;
  }
}
