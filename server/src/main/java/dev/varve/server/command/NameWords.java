package dev.varve.server.command;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Names of commands compared in any case by eight letters at a time: most are no longer. Stateless.
 */
final class NameWords {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private static final long EACH = 0x0101_0101_0101_0101L;
  private static final long LOW_BITS = 0x7F7F_7F7F_7F7F_7F7FL;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  /** From the highest bit of a byte to the one that makes a capital letter a small one. */
  private static final int HIGH_TO_CASE = 2;

  /** An odd number whose bits are as good as random. */
  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

  private NameWords() {}

  /** The first eight bytes in small letters, zero-padded. */
  static long first(byte[] name) {
    return inSmall(word(name, 0));
  }

  /**
   * Eight bytes from {@code from} on, which is 0 or a multiple of eight in the name, zero-padded.
   */
  private static long word(byte[] name, int from) {
    int left = name.length - from;
    if (left >= Long.BYTES) {
      return (long) LONGS.get(name, from);
    }
    if (from > 0) {
      return (long) LONGS.get(name, name.length - Long.BYTES) << (Long.BYTES - left) * Byte.SIZE;
    }
    if (left >= Integer.BYTES) {
      long front = (int) INTS.get(name, 0) & 0xFFFF_FFFFL;
      long last = (int) INTS.get(name, left - Integer.BYTES) & 0xFFFF_FFFFL;
      // Those of the last four that are not among the first four.
      int missing = (Long.BYTES - left) * Byte.SIZE;
      return front << Integer.SIZE | (last << missing & 0xFFFF_FFFFL);
    }
    long word = 0;
    for (int i = 0; i < left; i++) {
      word |= (name[i] & 0xFFL) << Long.SIZE - (i + 1) * Byte.SIZE;
    }
    return word;
  }

  /** Capital letters of ASCII made small, all eight bytes at a time; all others as they are. */
  private static long inSmall(long word) {
    long low = word & LOW_BITS;
    long notBelowA = low + (0x80 - 'A') * EACH;
    long aboveZ = low + (0x7F - 'Z') * EACH;
    long capitals = notBelowA & ~aboveZ & ~word & HIGH_BITS;
    return word | capitals >>> HIGH_TO_CASE;
  }

  /** Of a name with this first word. */
  static int hash(long first, int length) {
    long mixed = (first + length) * MIX;
    return (int) (mixed >>> Integer.SIZE);
  }

  /**
   * Whether two names whose first words are equal are equal in any case.
   *
   * @param small in small letters
   */
  static boolean areRestsEqual(byte[] name, byte[] small) {
    if (name.length != small.length) {
      return false;
    }
    for (int at = Long.BYTES; at < name.length; at += Long.BYTES) {
      if (inSmall(word(name, at)) != word(small, at)) {
        return false;
      }
    }
    return true;
  }
}
