package dev.varve.lsm;

import dev.varve.lsm.entry.KeyComparator;

/** Byte order, in which keys that begin with different bytes are not in one table. */
final class FirstBytesApart implements KeyComparator {
  @Override
  public String name() {
    return BYTEWISE.name();
  }

  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return BYTEWISE.compare(a, aOffset, aLength, b, bOffset, bLength);
  }

  @Override
  public boolean isApart(byte[] a, byte[] b, int bOffset, int bLength) {
    return a.length > 0 && bLength > 0 && a[0] != b[bOffset];
  }
}
