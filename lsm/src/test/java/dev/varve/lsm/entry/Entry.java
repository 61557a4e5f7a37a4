package dev.varve.lsm.entry;

import java.util.Arrays;
import java.util.Comparator;

/** One entry, as test oracles keep it. */
public record Entry(byte[] key, long sequence, boolean tombstone, byte[] value) {

  /** Entry order, spelled out apart from the code under test. */
  public static final Comparator<Entry> ORDER =
      Comparator.comparing(Entry::key, Arrays::compareUnsigned)
          .thenComparing(Comparator.comparingLong(Entry::sequence).reversed());

  /** What a seek for (key, sequence) compares with. */
  public static Entry position(byte[] key, long sequence) {
    return new Entry(key, sequence, false, new byte[0]);
  }

  /** A fresh picture of the entry a cursor is at. */
  public static Entry at(EntryCursor cursor) {
    return new Entry(cursor.copyKey(), cursor.sequence(), cursor.isTombstone(), cursor.copyValue());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Entry that
        && Arrays.equals(key, that.key)
        && sequence == that.sequence
        && tombstone == that.tombstone
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(key) * 31 + Long.hashCode(sequence);
  }

  @Override
  public String toString() {
    return Arrays.toString(key) + "@" + sequence + (tombstone ? " deleted" : " " + value.length);
  }
}
