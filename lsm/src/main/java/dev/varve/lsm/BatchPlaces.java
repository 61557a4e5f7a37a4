package dev.varve.lsm;

import dev.varve.lsm.memtable.EntryPlace;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Where the entries of a batch came to stand, and what is known of those that they replace, both as
 * {@link EntryPlace} says. Of the entries beyond {@link #ENTRIES_MAX} no more than whether their
 * keys had a value: a batch of a million would have places of its own length. For one thread;
 * reusable.
 */
final class BatchPlaces {
  static final int ENTRIES_MAX = 1 << 16;

  private static final int START_ENTRIES = 8;

  private long[] newest = new long[START_ENTRIES];
  private long[] newestMarks = new long[START_ENTRIES];
  private int expected;
  private BitSet absentBeyond = new BitSet();
  private long[] places = new long[START_ENTRIES];
  private long[] marks = new long[START_ENTRIES];

  /** Nothing is known of what the next batch replaces. */
  void clear() {
    Arrays.fill(newest, 0, expected, EntryPlace.NONE);
    expected = 0;
    if (!absentBeyond.isEmpty()) {
      // It may have been very large.
      absentBeyond = new BitSet();
    }
  }

  /** So many entries are going to come. */
  void prepare(int entries) {
    int kept = Math.min(entries, ENTRIES_MAX);
    if (kept > newest.length) {
      grow(kept);
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
    if (entry >= ENTRIES_MAX) {
      absentBeyond.set(entry - ENTRIES_MAX, place == EntryPlace.ABSENT);
      return;
    }
    if (entry >= newest.length) {
      grow(Math.min(ENTRIES_MAX, Math.max(entry + 1, 2 * newest.length)));
    }
    newest[entry] = place;
    newestMarks[entry] = mark;
    expected = entry + 1;
  }

  /**
   * The place of the newest entry of the {@code entry}-th key in the memtable that has all sequence
   * numbers from {@code firstSequence} on, {@link EntryPlace#ABSENT}, or {@link EntryPlace#NONE}.
   */
  long newest(int entry, long firstSequence) {
    if (entry >= ENTRIES_MAX) {
      return absentBeyond.get(entry - ENTRIES_MAX) ? EntryPlace.ABSENT : EntryPlace.NONE;
    }
    if (entry >= expected) {
      return EntryPlace.NONE;
    }
    return EntryPlace.sequence(newestMarks[entry]) >= firstSequence
            || newest[entry] == EntryPlace.ABSENT
        ? newest[entry]
        : EntryPlace.NONE;
  }

  /** The mark of the newest entry of the {@code entry}-th key, if its place is known. */
  long newestMark(int entry) {
    return entry < expected ? newestMarks[entry] : 0;
  }

  /** A batch of so many entries is inserted. */
  void begin(int entries) {
    int kept = Math.min(entries, ENTRIES_MAX);
    if (kept > places.length) {
      int length = Math.min(ENTRIES_MAX, Math.max(kept, 2 * places.length));
      marks = new long[length];
      // As above.
      places = new long[length];
    }
  }

  /** The {@code entry}-th stands there. */
  void added(int entry, long place, long mark) {
    if (entry < ENTRIES_MAX) {
      places[entry] = place;
      marks[entry] = mark;
    }
  }

  /** Where the {@code entry}-th entry of the last batch stands. */
  long place(int entry) {
    return entry < ENTRIES_MAX ? places[entry] : EntryPlace.NONE;
  }

  /** The mark of it. */
  long mark(int entry) {
    return entry < ENTRIES_MAX ? marks[entry] : 0;
  }
}
