package dev.varve.codec.format;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The name of a stream's entry: a moment and a number, both of 64 bits without a sign.
 *
 * <p>Immutable, for any thread.
 *
 * @param millis a moment in ms since 1970, most often
 * @param sequence tells those of the same moment apart
 */
public record StreamId(long millis, long sequence) implements Comparable<StreamId> {
  public static final StreamId MIN = new StreamId(0, 0);
  public static final StreamId MAX = new StreamId(-1, -1);

  public static final int BYTES = 2 * Long.BYTES;

  private static final int DIGITS_MAX = 127;

  @Override
  public int compareTo(StreamId other) {
    int compared = Long.compareUnsigned(millis, other.millis);
    return compared != 0 ? compared : Long.compareUnsigned(sequence, other.sequence);
  }

  public boolean isZero() {
    return millis == 0 && sequence == 0;
  }

  /** The lower one of two. */
  public static StreamId min(StreamId one, StreamId other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  /** The higher one of two. */
  public static StreamId max(StreamId one, StreamId other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  /** The one after it, or null after {@link #MAX}. */
  public @Nullable StreamId next() {
    if (sequence != -1) {
      return new StreamId(millis, sequence + 1);
    }
    return millis == -1 ? null : new StreamId(millis + 1, 0);
  }

  /** The one before it, or null before {@link #MIN}. */
  public @Nullable StreamId previous() {
    if (sequence != 0) {
      return new StreamId(millis, sequence - 1);
    }
    return millis == 0 ? null : new StreamId(millis - 1, -1);
  }

  /**
   * The id that {@code text[from, end)} gives, or null if it is none.
   *
   * @param missingSequence the number where only a moment is given
   */
  public static @Nullable StreamId parse(byte[] text, int from, long missingSequence) {
    if (text.length - from > DIGITS_MAX) {
      return null;
    }
    int dash = from;
    while (dash < text.length && text[dash] != '-') {
      dash++;
    }
    int first = digits(text, from, dash);
    if (!isNumber(text, first, dash)) {
      return null;
    }
    long millis = number(text, first, dash);
    if (dash == text.length) {
      return new StreamId(millis, missingSequence);
    }
    int second = digits(text, dash + 1, text.length);
    return isNumber(text, second, text.length)
        ? new StreamId(millis, number(text, second, text.length))
        : null;
  }

  /** Where the digits begin: as Redis reads a number, blanks and a plus may come first. */
  private static int digits(byte[] text, int from, int end) {
    int at = from;
    while (at < end && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) {
      at++;
    }
    return at < end && text[at] == '+' ? at + 1 : at;
  }

  /** Whether these are digits of a number of 64 bits. */
  public static boolean isNumber(byte[] text, int from, int end) {
    long value = 0;
    for (int i = from; i < end; i++) {
      int digit = text[i] - '0';
      if (digit < 0 || digit > 9) {
        return false;
      }
      boolean isOver =
          Long.compareUnsigned(value, Long.divideUnsigned(-1, 10)) > 0
              || (value == Long.divideUnsigned(-1, 10) && digit > Long.remainderUnsigned(-1, 10));
      if (isOver) {
        return false;
      }
      value = 10 * value + digit;
    }
    return from < end;
  }

  /** The number in such digits. */
  public static long number(byte[] text, int from, int end) {
    long value = 0;
    for (int i = from; i < end; i++) {
      value = 10 * value + (text[i] - '0');
    }
    return value;
  }

  /** As Redis writes it. */
  public byte[] text() {
    return toString().getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public String toString() {
    return Long.toUnsignedString(millis) + '-' + Long.toUnsignedString(sequence);
  }

  public void write(byte[] target, int offset) {
    OrderedNumbers.putUnsignedLong(target, offset, millis);
    OrderedNumbers.putUnsignedLong(target, offset + Long.BYTES, sequence);
  }

  /** What {@link #write} writes. */
  public byte[] bytes() {
    byte[] bytes = new byte[BYTES];
    write(bytes, 0);
    return bytes;
  }

  public static StreamId read(byte[] source, int offset) {
    return new StreamId(
        OrderedNumbers.unsignedLong(source, offset),
        OrderedNumbers.unsignedLong(source, offset + Long.BYTES));
  }
}
