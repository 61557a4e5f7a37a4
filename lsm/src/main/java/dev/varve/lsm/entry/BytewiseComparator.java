package dev.varve.lsm.entry;

import java.util.Arrays;

/** Unsigned byte order; a key that is a prefix of another comes first. */
final class BytewiseComparator implements KeyComparator {

  @Override
  public String name() {
    return "varve.bytewise.1";
  }

  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return Arrays.compareUnsigned(a, aOffset, aOffset + aLength, b, bOffset, bOffset + bLength);
  }
}
