package dev.varve.lsm.entry;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Keys read eight bytes at a time: big-endian, so that unsigned order of words is unsigned order of
 * bytes, and zero-padded behind the key's end. Stateless.
 *
 * <p>Because of the padding, keys whose words are equal may still differ in length: equal words
 * decide nothing, different ones decide.
 */
public final class KeyWords {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private KeyWords() {}

  /** The first word of what {@code key} has from {@code offset} on. */
  public static long first(byte[] key, int offset) {
    return wordAt(key, offset, key.length - offset, 0);
  }

  /** The word at {@code from} of {@code key[offset, offset+length)}. */
  public static long wordAt(byte[] key, int offset, int length, int from) {
    int over = from - (length - Long.BYTES);
    if (over <= 0) {
      return (long) LONG.get(key, offset + from);
    }
    if (over >= Long.BYTES) {
      return 0;
    }
    if (length >= Long.BYTES) {
      return (long) LONG.get(key, offset + length - Long.BYTES) << (over * Byte.SIZE);
    }
    long word = 0;
    for (int i = from; i < length; i++) {
      word = word << Byte.SIZE | (key[offset + i] & 0xff);
    }
    return word << (over * Byte.SIZE);
  }

  /** The word at {@code from} of the key {@code memory[start, start+length)}, a big-endian one. */
  public static long wordAt(ByteBuffer memory, int start, int length, int from) {
    int over = from - (length - Long.BYTES);
    if (over <= 0) {
      return memory.getLong(start + from);
    }
    if (over >= Long.BYTES) {
      return 0;
    }
    if (length >= Long.BYTES) {
      return memory.getLong(start + length - Long.BYTES) << (over * Byte.SIZE);
    }
    long word = 0;
    for (int i = from; i < length; i++) {
      word = word << Byte.SIZE | (memory.get(start + i) & 0xff);
    }
    return word << (over * Byte.SIZE);
  }

  /** Keeps the first {@code bytes} bytes of a word, or all of it if that is eight or more. */
  public static long head(long word, int bytes) {
    return bytes >= Long.BYTES ? word : word & -1L << (Long.SIZE - bytes * Byte.SIZE);
  }

  /**
   * Compares {@code key[offset, offset+length)} with {@code memory[start, start+otherLength)}, of
   * which the first {@code from} bytes are known to be equal as far as both reach.
   */
  public static int compare(
      byte[] key, int offset, int length, ByteBuffer memory, int start, int otherLength, int from) {
    int both = Math.min(length, otherLength);
    int at = from;
    for (; at + Long.BYTES <= both; at += Long.BYTES) {
      long a = (long) LONG.get(key, offset + at);
      long b = memory.getLong(start + at);
      if (a != b) {
        return Long.compareUnsigned(a, b);
      }
    }
    if (at < both) {
      if (both >= Long.BYTES) {
        // The last whole word overlaps what is known to be equal, which changes nothing.
        long a = (long) LONG.get(key, offset + both - Long.BYTES);
        long b = memory.getLong(start + both - Long.BYTES);
        if (a != b) {
          return Long.compareUnsigned(a, b);
        }
      } else {
        for (; at < both; at++) {
          int difference = (key[offset + at] & 0xff) - (memory.get(start + at) & 0xff);
          if (difference != 0) {
            return difference;
          }
        }
      }
    }
    return length - otherLength;
  }
}
