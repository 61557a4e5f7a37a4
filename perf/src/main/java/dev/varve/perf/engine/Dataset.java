package dev.varve.perf.engine;

import java.util.SplittableRandom;

/**
 * The pairs that workloads use: 16-byte keys with a shared prefix, 100-byte values that compress to
 * about half. Immutable; the arrays it fills are the caller's.
 *
 * @param count how many different keys there are
 * @param valueBytes length of a value
 */
record Dataset(long count, int valueBytes) {
  /** Length of a key: a prefix of four letters and twelve digits. */
  static final int KEY_BYTES = 16;

  private static final byte[] PREFIX = {'u', 's', 'e', 'r'};
  private static final int DIGITS = KEY_BYTES - 4;
  private static final int POOL_BYTES = 1 << 20;
  private static final long POOL_SEED = 7;
  private static final byte[] POOL = pool();

  /** Writes the {@code index}-th key, in key order, to {@code target[0, KEY_BYTES)}. */
  void key(long index, byte[] target) {
    System.arraycopy(PREFIX, 0, target, 0, PREFIX.length);
    long left = index;
    for (int i = KEY_BYTES - 1; i >= KEY_BYTES - DIGITS; i--) {
      target[i] = (byte) ('0' + left % 10);
      left /= 10;
    }
  }

  /** Writes a key that no {@link #key} is, and that sorts behind the {@code index}-th. */
  void missingKey(long index, byte[] target) {
    key(index, target);
    target[KEY_BYTES - 1] += 32;
  }

  /**
   * Fills {@code target}, {@link #valueBytes} long: one half random, the other a repetition of it.
   */
  void value(SplittableRandom random, byte[] target) {
    int half = target.length / 2;
    int filled = 0;
    while (filled < half) {
      // Out of a pool, as db_bench does: making each byte would cost more than some engines do.
      int length = Math.min(half - filled, POOL.length);
      System.arraycopy(POOL, random.nextInt(POOL.length - length + 1), target, filled, length);
      filled += length;
    }
    System.arraycopy(target, 0, target, half, half);
  }

  private static byte[] pool() {
    byte[] bytes = new byte[POOL_BYTES];
    new SplittableRandom(POOL_SEED).nextBytes(bytes);
    return bytes;
  }

  /** Bytes of a pair. */
  int pairBytes() {
    return KEY_BYTES + valueBytes;
  }

  /** Bytes of all pairs, before any compression. */
  long rawBytes() {
    return count * (KEY_BYTES + valueBytes);
  }
}
