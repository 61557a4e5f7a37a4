package dev.varve.lsm;

import dev.varve.lsm.memtable.Place;
import java.util.Arrays;

/**
 * Where the entries of a batch came to stand, and what is known of those that they replace, both as
 * {@link Place} says. For one thread; reusable.
 */
final class BatchPlaces {
  private static final int START_ENTRIES = 8;

  /** Room for more is of no use to the batches that come next. */
  private static final int ENTRIES_KEPT_MAX = 1 << 16;

  private long[] newest = new long[START_ENTRIES];
  private long[] newestMarks = new long[START_ENTRIES];
  private int expected;
  private long[] places = new long[START_ENTRIES];
  private long[] marks = new long[START_ENTRIES];

  /** Nothing is known of what the next batch replaces. A great deal of room is given back. */
  void clear() {
    if (newest.length > ENTRIES_KEPT_MAX) {
      newest = new long[START_ENTRIES];
      newestMarks = new long[START_ENTRIES];
    } else {
      Arrays.fill(newest, 0, expected, Place.NONE);
    }
    expected = 0;
    if (places.length > ENTRIES_KEPT_MAX) {
      places = new long[START_ENTRIES];
      marks = new long[START_ENTRIES];
    }
  }

  /** So many entries are going to come. */
  void prepare(int entries) {
    if (entries > newest.length) {
      grow(entries);
    }
    begin(entries);
  }

  private void grow(int length) {
    newestMarks = Arrays.copyOf(newestMarks, length);
    // Last, since its length is looked at: there may be no memory for both.
    newest = Arrays.copyOf(newest, length);
  }

  /** The newest entry of the {@code entry}-th key stands there. */
  void expect(int entry, long place, long mark) {
    if (entry >= newest.length) {
      grow(Math.max(entry + 1, 2 * newest.length));
    }
    newest[entry] = place;
    newestMarks[entry] = mark;
    expected = entry + 1;
  }

  /**
   * The place of the newest entry of the {@code entry}-th key in the memtable that has all sequence
   * numbers from {@code firstSequence} on, {@link Place#ABSENT}, or {@link Place#NONE}.
   */
  long newest(int entry, long firstSequence) {
    if (entry >= expected) {
      return Place.NONE;
    }
    return Place.sequence(newestMarks[entry]) >= firstSequence || newest[entry] == Place.ABSENT
        ? newest[entry]
        : Place.NONE;
  }

  /** The mark of the newest entry of the {@code entry}-th key, if its place is known. */
  long newestMark(int entry) {
    return entry < expected ? newestMarks[entry] : 0;
  }

  /** A batch of so many entries is inserted. */
  void begin(int entries) {
    if (entries > places.length) {
      int length = Math.max(entries, 2 * places.length);
      marks = new long[length];
      // As above.
      places = new long[length];
    }
  }

  /** The {@code entry}-th stands there. */
  void added(int entry, long place, long mark) {
    places[entry] = place;
    marks[entry] = mark;
  }

  /** Where the {@code entry}-th entry of the last batch stands. */
  long place(int entry) {
    return places[entry];
  }

  /** The mark of it. */
  long mark(int entry) {
    return marks[entry];
  }
}
