package dev.varve.codec.dump;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The checksum of payloads: CRC-64 with the polynomial of Jones, bits reflected, begun with 0.
 *
 * <p>Pure functions, for any thread.
 */
final class Crc64 {
  /*
   * Eight bytes at a time by eight tables: entry n of table k is the checksum of the byte n with k
   * zero bytes after it ("slicing by eight", Kounavis and Berry, 2005).
   */
  private static final long POLYNOMIAL = 0x95AC9329AC4BC9B5L;
  private static final int STEP = 8;
  private static final long[][] TABLES = new long[STEP][256];
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  static {
    for (int n = 0; n < 256; n++) {
      long crc = n;
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ POLYNOMIAL;
      }
      TABLES[0][n] = crc;
    }
    for (int k = 1; k < STEP; k++) {
      for (int n = 0; n < 256; n++) {
        long before = TABLES[k - 1][n];
        TABLES[k][n] = before >>> 8 ^ TABLES[0][(int) before & 0xFF];
      }
    }
  }

  private Crc64() {}

  static long of(byte[] bytes, int length) {
    return update(0, bytes, 0, length);
  }

  /** The checksum of what {@code before} is that of, and the bytes up to {@code end} behind it. */
  static long update(long before, byte[] bytes, int begin, int end) {
    long crc = before;
    int at = begin;
    for (; at + STEP <= end; at += STEP) {
      long block = crc ^ (long) LONG.get(bytes, at);
      crc = 0;
      for (int k = 0; k < STEP; k++) {
        crc ^= TABLES[STEP - 1 - k][(int) (block >>> Byte.SIZE * k) & 0xFF];
      }
    }
    for (; at < end; at++) {
      crc = crc >>> 8 ^ TABLES[0][(int) (crc ^ bytes[at]) & 0xFF];
    }
    return crc;
  }
}
