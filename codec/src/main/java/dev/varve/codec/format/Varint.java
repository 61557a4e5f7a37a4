package dev.varve.codec.format;

/**
 * Numbers from 0 on in one to nine bytes: seven bits a byte, the lowest first, the top bit set
 * where another one follows, in as few as they need.
 *
 * <p>Pure functions, for any thread.
 */
public final class Varint {
  /** Of a number below 2^63. */
  private static final int BYTES_MAX = 9;

  private Varint() {}

  /** How many bytes {@link #write} writes. */
  public static int bytes(long value) {
    int bytes = 1;
    for (long rest = value >>> 7; rest != 0; rest >>>= 7) {
      bytes++;
    }
    return bytes;
  }

  /** Returns the offset behind it. */
  public static int write(byte[] target, int offset, long value) {
    int at = offset;
    long rest = value;
    while (rest > 0x7F) {
      target[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    target[at++] = (byte) rest;
    return at;
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @param limit where the source ends
   * @throws DamagedValueException when there is no such number
   */
  public static long read(byte[] source, int offset, int limit) {
    long value = 0;
    for (int i = 0; i < BYTES_MAX && offset + i < limit; i++) {
      byte group = source[offset + i];
      value |= (group & 0x7FL) << (7 * i);
      if (group >= 0) {
        // An overlong form would make the length of what was read differ from what is recomputed.
        if (i > 0 && group == 0) {
          break;
        }
        return value;
      }
    }
    throw new DamagedValueException("no number of seven bits a byte at offset " + offset);
  }

  /**
   * Reads a length.
   *
   * @throws DamagedValueException when it is none, or above 2^31 - 1
   */
  static int readLength(byte[] source, int offset, int limit) {
    long value = read(source, offset, limit);
    if (value > Integer.MAX_VALUE) {
      throw new DamagedValueException("a length of " + value + " at offset " + offset);
    }
    return (int) value;
  }
}
