package dev.varve.compaction;

import java.util.Arrays;

/** An entry of the tests' in-memory tables. */
record Entry(byte[] key, long sequence, boolean tombstone, byte[] value)
    implements Comparable<Entry> {

  int rawBytes() {
    return key.length + value.length;
  }

  @Override
  public int compareTo(Entry other) {
    int byKey = Arrays.compareUnsigned(key, other.key);
    return byKey != 0 ? byKey : Long.compare(other.sequence, sequence);
  }
}
