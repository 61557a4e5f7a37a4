package dev.varve.lsm.entry;

import org.jspecify.annotations.Nullable;

/**
 * The entries of a pass's merged input that the pass keeps, in order: the one place where flush and
 * compaction decide what is dropped. For one thread.
 *
 * <p>The walk owns neither the input nor the dead ranges: who opened them closes them.
 */
public final class PassWalk {
  /*
   * Two judges meet here. EntryRetention looks at the versions of one key: those that are shadowed go,
   * and tombstones that are spent. The tree's user declares entries dead, one by one or by ranges.
   * The ranges are walked beside the input, so they cost one compare per entry and no read; when a
   * range has swallowed a few entries in a row, the input is sent to the range's end by a seek, so
   * that whole blocks inside it are never loaded. That is only safe when the input has nothing newer
   * than the horizon: such an entry would be kept wherever it stands.
   */

  /** So many dead entries in a row are cheaper to step over than to seek past. */
  static final int DEAD_ENTRIES_BEFORE_SEEK = 16;

  private final KeyComparator order;
  private final EntryCursor input;
  private final long horizon;
  private final boolean maySeek;
  private final DeadRanges dead;
  private final EntryRetention retention;

  private boolean started;
  private byte @Nullable [] rangeStart;
  private byte @Nullable [] rangeEnd;
  private int deadInARow;

  private long shadowedEntries;
  private long shadowedRawBytes;
  private long spentTombstones;
  private long spentRawBytes;
  private long deadEntriesMet;
  private long deadRawBytesMet;

  /**
   * @param input all entries of the pass, merged; not positioned yet
   * @param largestSequence the greatest sequence number in the input, or more
   * @param horizon the published sequence number when the pass started
   * @param dead what the tree's user declared dead at the horizon
   * @param below what the pass leaves beneath its output
   */
  public PassWalk(
      KeyComparator order,
      EntryCursor input,
      long largestSequence,
      long horizon,
      DeadRanges dead,
      KeysBelow below) {
    this.order = order;
    this.input = input;
    this.horizon = horizon;
    this.maySeek = largestSequence <= horizon;
    this.dead = dead;
    this.retention = new EntryRetention(horizon, below);
  }

  /**
   * Moves to the next entry to keep: the input cursor stands at it then. Returns false at the end.
   *
   * @throws ReadFailure when the input cannot be read; the walk is over then
   */
  public boolean next() {
    boolean atEntry = started ? input.next() : start();
    while (atEntry) {
      if (isInDeadRange()) {
        atEntry = passDeadEntry();
        continue;
      }
      deadInARow = 0;
      byte[] key = input.keyBuffer();
      int keyLength = input.keyLength();
      long sequence = input.sequence();
      switch (retention.judge(key, keyLength, sequence, input.isTombstone())) {
        case KEEP -> {
          if (sequence > horizon || !dead.isDead(key, keyLength)) {
            return true;
          }
          meetDead();
        }
        case SHADOWED -> {
          shadowedEntries++;
          shadowedRawBytes += keyLength + input.valueLength();
        }
        case SPENT_TOMBSTONE -> {
          spentTombstones++;
          spentRawBytes += keyLength;
        }
      }
      atEntry = input.next();
    }
    return false;
  }

  /** Whether the entry the walk is at has another key than the entry it was at before. */
  public boolean keyIsNew() {
    return retention.keyIsNew();
  }

  /** Entries dropped because a newer one of their key hides them. */
  public long shadowedEntries() {
    return shadowedEntries;
  }

  /** Bytes of keys and values of {@link #shadowedEntries}. */
  public long shadowedRawBytes() {
    return shadowedRawBytes;
  }

  /** Bytes of the keys of {@link #spentTombstones}. */
  public long spentRawBytes() {
    return spentRawBytes;
  }

  /** Tombstones dropped because nothing below may hold their key. */
  public long spentTombstones() {
    return spentTombstones;
  }

  /** Entries met and dropped as dead; those that a seek went past are not among them. */
  public long deadEntriesMet() {
    return deadEntriesMet;
  }

  /** Bytes of keys and values of {@link #deadEntriesMet}. */
  public long deadRawBytesMet() {
    return deadRawBytesMet;
  }

  private boolean start() {
    started = true;
    if (!input.seekToFirst()) {
      return false;
    }
    advanceRange();
    return true;
  }

  private boolean isInDeadRange() {
    if (rangeStart == null || rangeEnd == null || isBefore(rangeStart)) {
      return false;
    }
    if (!isBefore(rangeEnd)) {
      advanceRange();
      if (rangeStart == null || isBefore(rangeStart)) {
        return false;
      }
    }
    return input.sequence() <= horizon;
  }

  private boolean isBefore(byte[] bound) {
    return order.compare(input.keyBuffer(), 0, input.keyLength(), bound, 0, bound.length) < 0;
  }

  private void advanceRange() {
    boolean found = dead.advanceTo(input.keyBuffer(), input.keyLength());
    rangeStart = found ? dead.start() : null;
    rangeEnd = found ? dead.endExclusive() : null;
    deadInARow = 0;
  }

  private void meetDead() {
    deadEntriesMet++;
    deadRawBytesMet += input.keyLength() + input.valueLength();
  }

  private boolean passDeadEntry() {
    meetDead();
    deadInARow++;
    byte[] end = rangeEnd;
    if (!maySeek || end == null || deadInARow < DEAD_ENTRIES_BEFORE_SEEK) {
      return input.next();
    }
    deadInARow = 0;
    return input.seek(end, 0, end.length, EntryCursor.SEQUENCE_MAX);
  }
}
