package dev.varve.codec.format;

import java.util.Arrays;

/**
 * Part of an array, without a copy. Nobody changes the array.
 *
 * @param array the bytes, and others around them
 * @param offset where they start
 * @param length how many they are
 */
public record Slice(byte[] array, int offset, int length) {

  /** All of an array. */
  public static Slice of(byte[] array) {
    return new Slice(array, 0, array.length);
  }

  /** The bytes as an array of their own; the array itself if this is all of it. */
  public byte[] toBytes() {
    return offset == 0 && length == array.length
        ? array
        : Arrays.copyOfRange(array, offset, offset + length);
  }

  /** By content. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Slice that
        && Arrays.equals(
            array, offset, offset + length, that.array, that.offset, that.offset + that.length);
  }

  @Override
  public int hashCode() {
    int hash = 1;
    for (int i = offset; i < offset + length; i++) {
      hash = 31 * hash + array[i];
    }
    return hash;
  }
}
