package dev.varve.lsm;

import dev.varve.lsm.entry.EmptyRanges;
import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.memtable.Memtable;
import dev.varve.lsm.memtable.ReadPoints;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A memtable and what its flush will need to know. The writer fills it; after rotation it does not
 * change.
 */
final class MemtableSlot {
  private final Memtable table;
  private final long firstLogSegment;
  private final Map<Long, Long> counterDeltas = new HashMap<>();
  private volatile long firstSequence;
  private volatile long lastSequence;

  /**
   * @param firstLogSegment the first log segment that holds batches of this memtable
   * @param lastSequence the sequence number before its first batch
   */
  MemtableSlot(Memtable table, long firstLogSegment, long lastSequence) {
    this.table = table;
    this.firstLogSegment = firstLogSegment;
    this.firstSequence = lastSequence + 1;
    this.lastSequence = lastSequence;
  }

  Memtable table() {
    return table;
  }

  long firstLogSegment() {
    return firstLogSegment;
  }

  /** Batches in here took this sequence number or larger ones; of an empty one, those to come. */
  long firstSequence() {
    return firstSequence;
  }

  /** The last sequence number that the batches in here took. */
  long lastSequence() {
    return lastSequence;
  }

  Map<Long, Long> counterDeltas() {
    return counterDeltas;
  }

  boolean isEmpty() {
    return table.entries() == 0 && counterDeltas.isEmpty();
  }

  /** Whether there is an entry with a key in the range, visible to anybody or not. */
  boolean holds(KeyComparator order, byte[] from, byte[] toExclusive) {
    try (EntryCursor cursor = table.cursor()) {
      return cursor.seek(from, 0, from.length, EntryCursor.SEQUENCE_MAX)
          && order.compare(
                  cursor.keyBuffer(), 0, cursor.keyLength(), toExclusive, 0, toExclusive.length)
              < 0;
    }
  }

  /**
   * Inserts the batch that {@code batch} stands at the beginning of.
   *
   * @param places in: what is known of the newest entries of the same keys, with room for the
   *     batch's; out: where those stand
   * @param emptyRanges is told what is put, or null when nothing is known to be empty yet
   * @param readPoints where somebody may look for older entries of the same keys
   */
  void insert(
      BatchReader batch,
      BatchPlaces places,
      Counters totals,
      @Nullable EmptyRanges emptyRanges,
      ReadPoints readPoints) {
    long sequence = batch.sequence();
    int entries = batch.entries();
    if (isEmpty()) {
      // What was taken before by a batch without anything in it needs no flush.
      firstSequence = sequence;
    }
    long first = firstSequence;
    for (int i = 0; i < entries; i++) {
      batch.nextEntry();
      long place =
          table.add(
              batch.bytes(),
              batch.keyAt(),
              batch.keyLength(),
              sequence,
              batch.isTombstone(),
              batch.bytes(),
              batch.valueAt(),
              batch.valueLength(),
              readPoints,
              places.newest(i, first),
              places.newestMark(i));
      places.added(i, place, table.mark());
      // What had a value is in no empty range.
      if (emptyRanges != null && !batch.isTombstone() && !table.hidesValue()) {
        emptyRanges.put(batch.bytes(), batch.keyAt(), batch.keyLength());
      }
    }

    for (int i = 0; i < batch.counterDeltas(); i++) {
      long delta = batch.counterDelta(i);
      counterDeltas.merge(batch.counter(i), delta, Long::sum);
      totals.add(sequence, batch.counter(i), delta);
    }
    lastSequence = sequence + batch.reservedSequences() - 1;
  }
}
