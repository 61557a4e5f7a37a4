package dev.varve.codec.format;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Integers as Redis reads and writes them: decimal, no sign but a leading minus, no leading zero,
 * no space, within 64 bits.
 *
 * <p>Pure functions, any thread.
 */
public final class IntegerText {

  /** The longest text: a minus and 19 digits. */
  public static final int BYTES_MAX = 20;

  /** What {@link #parse} returns for no integer; the text "-9223372036854775808" also gives it. */
  public static final long NOT_AN_INTEGER = Long.MIN_VALUE;

  private static final byte[] LONG_MIN = "-9223372036854775808".getBytes(StandardCharsets.US_ASCII);

  private IntegerText() {}

  /** Whether {@code text[from, to)} is an integer by these rules. */
  public static boolean isInteger(byte[] text, int from, int to) {
    return parse(text, from, to) != NOT_AN_INTEGER || isLongMin(text, from, to);
  }

  /** Whether all of {@code text} is one. */
  public static boolean isInteger(byte[] text) {
    return isInteger(text, 0, text.length);
  }

  /** The same. */
  public static boolean isInteger(Slice text) {
    return isInteger(text.array(), text.offset(), text.offset() + text.length());
  }

  /** As {@link #parse(byte[], int, int)}, of all of {@code text}. */
  public static long parse(byte[] text) {
    return parse(text, 0, text.length);
  }

  /**
   * The integer in {@code text[from, to)}, or {@link #NOT_AN_INTEGER}, which is also the value of
   * one valid text: ask {@link #isInteger} when it matters.
   */
  public static long parse(byte[] text, int from, int to) {
    int length = to - from;
    if (length <= 0 || length > BYTES_MAX) {
      return NOT_AN_INTEGER;
    }
    int at = from;
    boolean negative = text[at] == '-';
    if (negative) {
      at++;
      if (at == to) {
        return NOT_AN_INTEGER;
      }
    }
    int first = text[at++] - '0';
    if (first == 0) {
      return length == 1 ? 0 : NOT_AN_INTEGER;
    }
    if (first < 1 || first > 9) {
      return NOT_AN_INTEGER;
    }
    // Summed as a negative number, whose range is the wider one.
    long sum = -first;
    for (; at < to; at++) {
      int digit = text[at] - '0';
      if (digit < 0 || digit > 9 || sum < Long.MIN_VALUE / 10) {
        return NOT_AN_INTEGER;
      }
      long tens = sum * 10;
      if (tens < Long.MIN_VALUE + digit) {
        return NOT_AN_INTEGER;
      }
      sum = tens - digit;
    }
    if (negative) {
      return sum;
    }
    return sum == Long.MIN_VALUE ? NOT_AN_INTEGER : -sum;
  }

  /** The integer that is all of {@code text}, or {@code error}. */
  public static long parse(byte[] text, RuntimeException error) {
    return parse(text, 0, text.length, error);
  }

  /** The same. */
  public static long parse(Slice text, RuntimeException error) {
    return parse(text.array(), text.offset(), text.offset() + text.length(), error);
  }

  private static long parse(byte[] text, int from, int to, RuntimeException error) {
    long value = parse(text, from, to);
    if (value == NOT_AN_INTEGER && !isLongMin(text, from, to)) {
      throw error;
    }
    return value;
  }

  /** How many bytes {@code value} takes as text. */
  public static int length(long value) {
    if (value < 0) {
      return value == Long.MIN_VALUE ? BYTES_MAX : 1 + length(-value);
    }
    int digits = 1;
    for (long limit = 10; digits < 19 && value >= limit; limit *= 10) {
      digits++;
    }
    return digits;
  }

  /** Writes {@code value} at {@code target[at...]}; returns the index after it. */
  public static int write(long value, byte[] target, int at) {
    int end = at + length(value);
    if (value == Long.MIN_VALUE) {
      System.arraycopy(LONG_MIN, 0, target, at, BYTES_MAX);
      return end;
    }
    long rest = value;
    if (rest < 0) {
      target[at] = '-';
      rest = -rest;
    }
    int position = end;
    while (rest > Integer.MAX_VALUE) {
      target[--position] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    int small = (int) rest;
    do {
      target[--position] = (byte) ('0' + small % 10);
      small /= 10;
    } while (small > 0);
    return end;
  }

  /** The text of {@code value}. */
  public static byte[] of(long value) {
    byte[] text = new byte[length(value)];
    write(value, text, 0);
    return text;
  }

  private static boolean isLongMin(byte[] text, int from, int to) {
    return Arrays.equals(text, from, to, LONG_MIN, 0, LONG_MIN.length);
  }
}
