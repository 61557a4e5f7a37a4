package dev.varve.perf.engine;

import java.util.SplittableRandom;

/**
 * The pairs that workloads use: 16-byte keys with a shared prefix, 100-byte values that compress to
 * about half. Immutable; the arrays it fills are the caller's.
 *
 * @param count how many different keys there are
 * @param valueBytes length of a value
 */
public record Dataset(long count, int valueBytes) {
  /** Length of a key: a prefix of four letters and twelve digits. */
  public static final int KEY_BYTES = 16;

  private static final byte[] PREFIX = {'u', 's', 'e', 'r'};
  private static final int DIGITS = KEY_BYTES - 4;

  /** Writes the {@code index}-th key, in key order, to {@code target[0, KEY_BYTES)}. */
  public void key(long index, byte[] target) {
    System.arraycopy(PREFIX, 0, target, 0, PREFIX.length);
    long left = index;
    for (int i = KEY_BYTES - 1; i >= KEY_BYTES - DIGITS; i--) {
      target[i] = (byte) ('0' + left % 10);
      left /= 10;
    }
  }

  /** The same of a key that is never written: it sorts between others. */
  public void missingKey(long index, byte[] target) {
    key(index, target);
    target[KEY_BYTES - 1] += 32;
  }

  /**
   * Fills {@code target}, {@link #valueBytes} long: one half random, the other a repetition of it.
   */
  public void value(SplittableRandom random, byte[] target) {
    int half = target.length / 2;
    for (int i = 0; i < half; i++) {
      target[i] = (byte) random.nextInt();
    }
    System.arraycopy(target, 0, target, half, half);
  }

  /** Bytes of all pairs, before any compression. */
  public long rawBytes() {
    return count * (KEY_BYTES + valueBytes);
  }
}
