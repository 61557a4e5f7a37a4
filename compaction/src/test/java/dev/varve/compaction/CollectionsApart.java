package dev.varve.compaction;

import dev.varve.lsm.entry.KeyComparator;
import java.util.Arrays;

/** Byte order, in which keys of different collections are not in one table. */
final class CollectionsApart implements KeyComparator {
  private static final int COLLECTION_BYTES = Keys.collection(0).length;

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
    return !Arrays.equals(a, 0, COLLECTION_BYTES, b, bOffset, bOffset + COLLECTION_BYTES);
  }
}
