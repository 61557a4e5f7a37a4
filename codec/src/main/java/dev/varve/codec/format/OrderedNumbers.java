package dev.varve.codec.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Numbers as bytes whose unsigned order is the order of the numbers.
 *
 * <p>Pure functions, for any thread.
 */
public final class OrderedNumbers {
  /*
   * All are big-endian. A signed long has its sign bit flipped, so that negatives come first. A
   * double is its IEEE-754 bits, with the sign bit flipped if positive and all bits flipped if
   * negative: larger magnitudes of negative numbers then come earlier. Both zeroes are stored as +0,
   * since Redis holds them equal. NaN has no place in an order and is refused.
   */
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private OrderedNumbers() {}

  /** Writes 4 bytes, in the order of unsigned ints. */
  public static void putUnsignedInt(byte[] target, int offset, int value) {
    INT.set(target, offset, value);
  }

  public static int unsignedInt(byte[] source, int offset) {
    return (int) INT.get(source, offset);
  }

  /** Writes 8 bytes, in the order of unsigned longs. */
  public static void putUnsignedLong(byte[] target, int offset, long value) {
    LONG.set(target, offset, value);
  }

  public static long unsignedLong(byte[] source, int offset) {
    return (long) LONG.get(source, offset);
  }

  /**
   * The unsigned number that {@code length} bytes from {@code offset} on begin with.
   *
   * @throws DamagedValueException when they are fewer than it has
   */
  public static long leading(byte[] source, int offset, int length) {
    if (length < Long.BYTES) {
      throw new DamagedValueException("a number of only " + length + " bytes");
    }
    return unsignedLong(source, offset);
  }

  /** Writes 8 bytes, in the order of signed longs. */
  public static void putLong(byte[] target, int offset, long value) {
    LONG.set(target, offset, value ^ Long.MIN_VALUE);
  }

  public static long getLong(byte[] source, int offset) {
    return (long) LONG.get(source, offset) ^ Long.MIN_VALUE;
  }

  /**
   * Writes 8 bytes, in the order of doubles, infinities included.
   *
   * @throws IllegalArgumentException for NaN
   */
  public static void putDouble(byte[] target, int offset, double value) {
    if (Double.isNaN(value)) {
      throw new IllegalArgumentException("NaN has no place in an order");
    }
    long bits = Double.doubleToRawLongBits(value == 0 ? 0.0 : value);
    LONG.set(target, offset, bits < 0 ? ~bits : bits ^ Long.MIN_VALUE);
  }

  /**
   * Reads what {@link #putDouble} wrote.
   *
   * @throws DamagedValueException when the bytes are those of no ordered double
   */
  public static double getDouble(byte[] source, int offset) {
    long ordered = (long) LONG.get(source, offset);
    double value = Double.longBitsToDouble(ordered < 0 ? ordered ^ Long.MIN_VALUE : ~ordered);
    if (Double.isNaN(value)) {
      throw new DamagedValueException("an ordered double is NaN");
    }
    return value;
  }
}
