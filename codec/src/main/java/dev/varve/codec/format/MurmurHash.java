package dev.varve.codec.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * MurmurHash64A by A. Appleby, of the seed that Redis has chosen for HyperLogLogs, on little-endian
 * words.
 *
 * <p>A pure function, for any thread.
 */
public final class MurmurHash {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long SEED = 0xADC83B19L;
  private static final long MULTIPLIER = 0xC6A4A7935BD1E995L;

  private MurmurHash() {}

  /** The hash of all bytes. */
  public static long of(byte[] bytes) {
    int length = bytes.length;
    long hash = SEED ^ length * MULTIPLIER;
    int at = 0;
    for (; at + Long.BYTES <= length; at += Long.BYTES) {
      long word = (long) LONG.get(bytes, at) * MULTIPLIER;
      word ^= word >>> 47;
      hash = (hash ^ word * MULTIPLIER) * MULTIPLIER;
    }
    if (at < length) {
      for (int i = length - 1; i >= at; i--) {
        hash ^= (bytes[i] & 0xFFL) << Byte.SIZE * (i - at);
      }
      hash *= MULTIPLIER;
    }
    hash ^= hash >>> 47;
    hash *= MULTIPLIER;
    return hash ^ hash >>> 47;
  }
}
