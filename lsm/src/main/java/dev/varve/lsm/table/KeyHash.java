package dev.varve.lsm.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The 64-bit hash of a key that bloom filters on disk are built from: it never changes.
 *
 * <p>Stateless, for any thread.
 */
public final class KeyHash {
  /*
   * A folded 128-bit product per 8 bytes mixes as well as anything (the idea of wyhash,
   * https://github.com/wangyi-fudan/wyhash); signed multiplication, as Java 17 has no other intrinsic.
   */

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  // The fractional bits of the square roots of 2, 3, 5 and 7, made odd.
  private static final long SEED = 0x6A09E667F3BCC909L;
  private static final long STEP = 0xBB67AE8584CAA73BL;
  private static final long LAST = 0x3C6EF372FE94F82BL;
  private static final long LENGTH = 0xA54FF53A5F1D36F1L;

  private KeyHash() {}

  /** The hash of {@code key[offset, offset+length)}. */
  public static long hash(byte[] key, int offset, int length) {
    long state = SEED ^ length * LENGTH;
    int at = offset;
    int end = offset + length;
    for (; end - at > 8; at += 8) {
      state = fold(state ^ (long) LONGS.get(key, at), STEP);
    }
    return fold(fold(state ^ last(key, at, end), LAST), state ^ STEP);
  }

  /** The last 0 to 8 bytes; those of different content and equal count differ. */
  private static long last(byte[] key, int at, int end) {
    int left = end - at;
    if (left == 8) {
      return (long) LONGS.get(key, at);
    }
    if (left >= 4) {
      return ((int) INTS.get(key, at) & 0xFFFFFFFFL) | (long) (int) INTS.get(key, end - 4) << 32;
    }
    long bytes = 0;
    for (int i = at; i < end; i++) {
      bytes = bytes << 8 | (key[i] & 0xFF);
    }
    return bytes;
  }

  private static long fold(long a, long b) {
    return Math.multiplyHigh(a, b) ^ a * b;
  }
}
