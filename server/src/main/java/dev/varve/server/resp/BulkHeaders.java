package dev.varve.server.resp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The headers of short bulk strings, made once: a range is a hundred of them.
 *
 * <p>Pure functions, for any thread.
 */
final class BulkHeaders {
  /** Shorter bulk strings have their header here: it fits a long. */
  static final int LENGTHS = 1000;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long[] HEADERS = new long[LENGTHS];

  static {
    byte[] header = new byte[Long.BYTES];
    for (int length = 0; length < LENGTHS; length++) {
      header[0] = '$';
      int end = IntegerText.write(length, header, 1);
      header[end] = '\r';
      header[end + 1] = '\n';
      HEADERS[length] = (long) LONG.get(header, 0);
    }
  }

  private BulkHeaders() {}

  /**
   * Writes the header of a bulk string of {@code length} bytes, below {@link #LENGTHS}, and up to
   * four bytes without meaning behind it; returns where it ends.
   */
  static int put(int length, byte[] bytes, int at) {
    LONG.set(bytes, at, HEADERS[length]);
    int digits = length < 10 ? 1 : length < 100 ? 2 : 3;
    return at + 1 + digits + 2;
  }
}
