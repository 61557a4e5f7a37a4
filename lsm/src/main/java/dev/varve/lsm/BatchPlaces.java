package dev.varve.lsm;

import dev.varve.lsm.memtable.Memtable;
import java.util.Arrays;

/**
 * Where the entries of a batch came to stand, and what is known of those that they replace. For one
 * thread; reusable.
 */
final class BatchPlaces {
  private static final int START_ENTRIES = 8;

  private long[] newest = new long[START_ENTRIES];
  private long[] newestMemtables = new long[START_ENTRIES];
  private int expected;
  private long[] places = new long[START_ENTRIES];
  private long memtable;

  /** Nothing is known of what the next batch replaces. */
  void clear() {
    Arrays.fill(newest, 0, expected, Memtable.NO_PLACE);
    expected = 0;
  }

  /** The newest entry of the {@code entry}-th key stands at {@code place} of {@code memtable}. */
  void expect(int entry, long inMemtable, long place) {
    if (entry >= newest.length) {
      int length = Math.max(entry + 1, 2 * newest.length);
      newest = Arrays.copyOf(newest, length);
      newestMemtables = Arrays.copyOf(newestMemtables, length);
    }
    newest[entry] = place;
    newestMemtables[entry] = inMemtable;
    expected = entry + 1;
  }

  /** What is known of the newest entry of the {@code entry}-th key in {@code memtable}. */
  long newest(int entry, long inMemtable) {
    return entry < expected && newestMemtables[entry] == inMemtable
        ? newest[entry]
        : Memtable.NO_PLACE;
  }

  /** A batch of so many entries goes into {@code memtable}. */
  void begin(long itsMemtable, int entries) {
    memtable = itsMemtable;
    if (entries > places.length) {
      places = new long[Math.max(entries, 2 * places.length)];
    }
  }

  /** The {@code entry}-th stands at {@code place}. */
  void added(int entry, long place) {
    places[entry] = place;
  }

  /** The memtable that the last batch went into. */
  long memtable() {
    return memtable;
  }

  /** Where in it the {@code entry}-th entry stands. */
  long place(int entry) {
    return places[entry];
  }
}
