package dev.varve.codec;

import dev.varve.codec.format.Slice;

/**
 * Integers as Redis writes and reads them: 64 bits, decimal, in the shortest form and nothing
 * around it.
 *
 * <p>Pure functions, for any thread.
 */
public final class IntegerText {
  /** The longest form: a sign and 19 digits. */
  public static final int BYTES_MAX = 20;

  private static final long BEFORE_OVERFLOW = Long.MIN_VALUE / 10;

  private IntegerText() {}

  /**
   * Reads an integer.
   *
   * @throws DataException NOT_AN_INTEGER when these bytes are not the form {@link #format} gives
   */
  public static long parse(byte[] text) {
    return parse(text, 0, text.length);
  }

  /** As the other one, of a part of an array. */
  public static long parse(Slice text) {
    return parse(text.array(), text.offset(), text.length());
  }

  private static long parse(byte[] array, int offset, int length) {
    if (!isInteger(array, offset, length)) {
      throw DataException.NOT_AN_INTEGER;
    }
    boolean negative = array[offset] == '-';
    long value = 0;
    for (int i = negative ? offset + 1 : offset; i < offset + length; i++) {
      value = 10 * value - (array[i] - '0');
    }
    return negative ? value : -value;
  }

  /** Whether {@link #parse} reads it. */
  public static boolean isInteger(Slice text) {
    return isInteger(text.array(), text.offset(), text.length());
  }

  /** Whether {@link #parse} reads it. */
  public static boolean isInteger(byte[] text) {
    return isInteger(text, 0, text.length);
  }

  private static boolean isInteger(byte[] array, int offset, int length) {
    if (length == 0 || length > BYTES_MAX) {
      return false;
    }
    int end = offset + length;
    boolean negative = array[offset] == '-';
    int first = negative ? offset + 1 : offset;
    if (first == end || (array[first] == '0' && (negative || first + 1 < end))) {
      return false;
    }
    // Counted downwards: the smallest long has no positive counterpart.
    long value = 0;
    for (int i = first; i < end; i++) {
      int digit = array[i] - '0';
      if (digit < 0 || digit > 9 || value < BEFORE_OVERFLOW) {
        return false;
      }
      value *= 10;
      if (value < Long.MIN_VALUE + digit) {
        return false;
      }
      value -= digit;
    }
    return negative || value != Long.MIN_VALUE;
  }

  /** Writes an integer in its shortest form. */
  public static byte[] format(long value) {
    int length = value < 0 ? 2 : 1;
    for (long rest = value / 10; rest != 0; rest /= 10) {
      length++;
    }
    byte[] text = new byte[length];
    long rest = value;
    int at = length;
    do {
      text[--at] = (byte) ('0' + Math.abs(rest % 10));
      rest /= 10;
    } while (rest != 0);
    if (value < 0) {
      text[0] = '-';
    }
    return text;
  }
}
