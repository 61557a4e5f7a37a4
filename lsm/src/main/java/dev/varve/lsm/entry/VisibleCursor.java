package dev.varve.lsm.entry;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A walk, in both directions, over what a reader at one snapshot sees: each key once, with its
 * newest value, without tombstones. For one thread.
 *
 * <p>It starts positioned nowhere. Each positioning method returns whether the cursor is at a key
 * now. After a {@link ColdBlockSignal} or a {@link ReadFailure} its position is undefined until the
 * next seek. The accessors may only be called while it is at a key; the buffers they return change
 * with the next move.
 */
public final class VisibleCursor implements AutoCloseable {

  /*
   * Entries of a key come newest first. Going forward, the first entry of a key that is not newer
   * than the snapshot decides, and the cursor stays there (AT). Going backward the deciding entry
   * comes last, and that it was the last shows only one entry further: so key and value are copied
   * and the walk stands before them (BEFORE). A large value is not copied; the walk steps forward
   * again instead, which costs a merge more than a small copy does.
   *
   * A key with many entries that do not decide is left by a seek after LINEAR_STEPS_MAX of them.
   */
  private enum State {
    /** At no key. */
    NOWHERE,
    /** The entries' cursor is at the visible entry. */
    AT,
    /** The visible entry is a copy; the entries' cursor is at an earlier entry, or at none. */
    BEFORE
  }

  private static final int LINEAR_STEPS_MAX = 8;
  private static final int COPIED_VALUE_BYTES_MAX = 32 * 1024;

  private final EntryCursor entries;
  private final KeyComparator order;
  private final long snapshot;
  private final @Nullable HiddenRun hiddenRun;
  private byte @Nullable [] lower;
  private byte @Nullable [] upper;

  private State state = State.NOWHERE;

  /** AT: the source of the visible entry. */
  private EntryCursor shown;

  private long skippedEntries;

  /** AT, going forward: the key that is being left. BEFORE: the current key. */
  private byte[] savedKey = new byte[64];

  private int savedKeyLength;
  private byte[] savedValue = new byte[256];
  private ByteBuffer savedValueBuffer = ByteBuffer.wrap(savedValue);
  private int savedValueLength;
  private long savedSequence;

  /**
   * Walks {@code entries}, which belong to this cursor from now on and are closed with it.
   *
   * @param snapshot entries with a larger sequence number are not seen
   * @param lower the first key that may be seen, or null for no bound; not copied
   * @param upper the first key after those that may be seen, or null for no bound; not copied
   */
  public VisibleCursor(
      EntryCursor entries,
      KeyComparator order,
      long snapshot,
      byte @Nullable [] lower,
      byte @Nullable [] upper) {
    this(entries, order, snapshot, lower, upper, null);
  }

  /**
   * Walks {@code entries}, and gets over what is deleted in a way of its own.
   *
   * @param hiddenRun how to get over what is deleted, or null: step by step
   */
  VisibleCursor(
      EntryCursor entries,
      KeyComparator order,
      long snapshot,
      byte @Nullable [] lower,
      byte @Nullable [] upper,
      @Nullable HiddenRun hiddenRun) {
    this.entries = entries;
    this.shown = entries;
    this.order = order;
    this.snapshot = snapshot;
    this.lower = lower;
    this.upper = upper;
    this.hiddenRun = hiddenRun;
  }

  /**
   * The same, which jumps over ranges that are known to be empty.
   *
   * @param learns whether it is the writer's walk: then it also tells of ranges that it finds empty
   */
  public static VisibleCursor over(
      EntryCursor entries,
      KeyComparator order,
      long snapshot,
      byte @Nullable [] lower,
      byte @Nullable [] upper,
      EmptyRanges ranges,
      boolean learns) {
    HiddenRun run = new HiddenRun(ranges, snapshot, learns);
    return new VisibleCursor(entries, order, snapshot, lower, upper, run);
  }

  /**
   * Sets other bounds; the cursor is at no key then.
   *
   * @param from the first key that may be seen, or null for no bound; not copied
   * @param toExclusive the first key after those that may be seen, or null for no bound; not copied
   */
  public void within(byte @Nullable [] from, byte @Nullable [] toExclusive) {
    state = State.NOWHERE;
    lower = from;
    upper = toExclusive;
  }

  public boolean seekToFirst() {
    state = State.NOWHERE;
    boolean at =
        lower == null ? entries.seekToFirst() : entries.seek(lower, 0, lower.length, snapshot);
    return settleForward(at, false);
  }

  public boolean seekToLast() {
    state = State.NOWHERE;
    boolean at =
        upper == null
            ? entries.seekToLast()
            : entries.seekBefore(upper, 0, upper.length, EntryCursor.SEQUENCE_MAX);
    return settleBackward(at);
  }

  /** Moves to the first key that is not before {@code key}. */
  public boolean seek(byte[] key) {
    return seek(key, 0, key.length);
  }

  /** Moves to the first key that is not before {@code key[offset, offset+length)}. */
  public boolean seek(byte[] key, int offset, int length) {
    if (lower != null && isBefore(key, offset, length, lower)) {
      return seekToFirst();
    }
    state = State.NOWHERE;
    return settleForward(entries.seek(key, offset, length, snapshot), false);
  }

  /** Moves to the last key that is before {@code key}. */
  public boolean seekBefore(byte[] key) {
    return seekBefore(key, 0, key.length);
  }

  /** Moves to the last key that is before {@code key[offset, offset+length)}. */
  public boolean seekBefore(byte[] key, int offset, int length) {
    if (upper != null && !isBefore(key, offset, length, upper)) {
      return seekToLast();
    }
    state = State.NOWHERE;
    return settleBackward(entries.seekBefore(key, offset, length, EntryCursor.SEQUENCE_MAX));
  }

  /** Moves to the following key. The cursor must be at a key. */
  public boolean next() {
    State from = leave();
    boolean at;
    if (from == State.AT) {
      saveKey(shown);
      at = entries.next();
    } else {
      at = entries.isValid() ? entries.next() : entries.seekToFirst();
    }
    return settleForward(at, true);
  }

  /** Moves to the preceding key. The cursor must be at a key. */
  public boolean previous() {
    State from = leave();
    boolean at;
    if (from == State.AT) {
      saveKey(shown);
      at = entries.previous();
    } else {
      at = entries.isValid();
    }
    return settleBackward(passSavedKeyBackward(at));
  }

  private State leave() {
    State from = state;
    if (from == State.NOWHERE) {
      throw new IllegalStateException("the cursor is not at a key");
    }
    // While the entries' cursor moves: it may throw, and the position is undefined then.
    state = State.NOWHERE;
    return from;
  }

  /**
   * Goes on forward to the first visible entry.
   *
   * @param atEntry whether the entries' cursor is at an entry
   * @param leaving whether the saved key is being left: nothing up to its last entry is visible
   */
  private boolean settleForward(boolean atEntry, boolean leaving) {
    boolean at = atEntry;
    boolean hidden = leaving;
    int steps = 0;
    HiddenRun run = beginRun();
    while (at) {
      EntryCursor source = entries.source();
      if (hidden) {
        int bySaved = compareToSavedKey(source);
        if (bySaved < 0) {
          // Added since the walk stood before it, so it is newer than the snapshot.
          at = entries.next();
          continue;
        }
        if (bySaved == 0) {
          at = passShadowed(source, ++steps);
          continue;
        }
        hidden = false;
        steps = 0;
      }
      if (upper != null && !isBefore(source.keyBuffer(), 0, source.keyLength(), upper)) {
        break;
      }
      if (source.sequence() > snapshot) {
        if (steps > 0 && compareToSavedKey(source) == 0) {
          steps++;
        } else {
          saveKey(source);
          steps = 1;
        }
        at =
            steps > LINEAR_STEPS_MAX
                ? entries.seek(savedKey, 0, savedKeyLength, snapshot)
                : entries.next();
      } else if (source.isTombstone()) {
        skippedEntries++;
        byte[] target =
            run == null ? null : run.jumpForward(source.keyBuffer(), source.keyLength());
        steps = 0;
        if (target != null) {
          at = entries.seek(target, 0, target.length, snapshot);
        } else {
          saveKey(source);
          hidden = true;
          at = entries.next();
        }
      } else {
        if (run != null) {
          run.endForward(source.keyBuffer(), source.keyLength());
        }
        return atEntry(source);
      }
    }
    if (run != null && upper != null) {
      run.endForward(upper, upper.length);
    }
    return false;
  }

  private @Nullable HiddenRun beginRun() {
    if (hiddenRun != null) {
      hiddenRun.begin();
    }
    return hiddenRun;
  }

  /** Moves forward from an entry of the saved key. */
  private boolean passShadowed(EntryCursor its, int steps) {
    long sequence = its.sequence();
    if (sequence <= snapshot) {
      skippedEntries++;
    }
    // An entry of sequence number 0 may exist, and then a step is needed once more.
    return steps > LINEAR_STEPS_MAX && sequence > 0
        ? entries.seek(savedKey, 0, savedKeyLength, 0)
        : entries.next();
  }

  /** Goes on backward, from the last entry of a key, to the first key that shows a value. */
  private boolean settleBackward(boolean atEntry) {
    boolean at = atEntry;
    HiddenRun run = beginRun();
    while (at) {
      EntryCursor its = entries.source();
      if (lower != null && isBefore(its.keyBuffer(), 0, its.keyLength(), lower)) {
        break;
      }
      saveKey(its);
      if (its.sequence() <= snapshot && decideBackward()) {
        if (run != null) {
          run.endBackward(savedKey, savedKeyLength);
        }
        return true;
      }
      byte[] target = run == null ? null : run.jumpBackward(savedKey, savedKeyLength);
      at =
          target == null
              ? passSavedKeyBackward(entries.isValid())
              : entries.seekBefore(target, 0, target.length, EntryCursor.SEQUENCE_MAX);
    }
    if (run != null && lower != null) {
      run.endAtStart(lower);
    }
    return false;
  }

  /**
   * Walks the saved key's entries, from its last one on, up to its newest one of the snapshot.
   * Returns whether that is a value; if not, the entries' cursor is anywhere before it.
   */
  private boolean decideBackward() {
    boolean tombstone;
    boolean copied;
    int steps = 0;
    while (true) {
      if (++steps > LINEAR_STEPS_MAX) {
        return decideBySeek();
      }
      EntryCursor its = entries.source();
      tombstone = its.isTombstone();
      copied = !tombstone && its.valueLength() <= COPIED_VALUE_BYTES_MAX;
      if (copied) {
        saveValue(its);
      }
      boolean sameKey = entries.previous() && isOlderOfSavedKey(entries.source());
      if (sameKey || tombstone) {
        skippedEntries++;
      }
      if (!sameKey) {
        break;
      }
    }
    if (tombstone) {
      return false;
    }
    if (!copied) {
      return decideBySeek();
    }
    state = State.BEFORE;
    return true;
  }

  private boolean isOlderOfSavedKey(EntryCursor its) {
    return its.sequence() <= snapshot && compareToSavedKey(its) == 0;
  }

  /** Moves to the saved key's newest entry of the snapshot; returns whether it is a value. */
  private boolean decideBySeek() {
    if (!entries.seek(savedKey, 0, savedKeyLength, snapshot)) {
      throw new IllegalStateException("an entry that was walked over is not found again");
    }
    EntryCursor its = entries.source();
    if (its.isTombstone()) {
      skippedEntries++;
      return false;
    }
    return atEntry(its);
  }

  private boolean atEntry(EntryCursor its) {
    shown = its;
    state = State.AT;
    return true;
  }

  /** Moves backward until the entries' cursor is not at the saved key. */
  private boolean passSavedKeyBackward(boolean atEntry) {
    boolean at = atEntry;
    int steps = 0;
    while (at && compareToSavedKey(entries.source()) == 0) {
      at =
          ++steps > LINEAR_STEPS_MAX
              ? entries.seekBefore(savedKey, 0, savedKeyLength, EntryCursor.SEQUENCE_MAX)
              : entries.previous();
    }
    return at;
  }

  private int compareToSavedKey(EntryCursor its) {
    return order.compare(its.keyBuffer(), 0, its.keyLength(), savedKey, 0, savedKeyLength);
  }

  private boolean isBefore(byte[] key, int offset, int length, byte[] bound) {
    return order.compare(key, offset, length, bound, 0, bound.length) < 0;
  }

  private void saveKey(EntryCursor its) {
    int length = its.keyLength();
    if (savedKey.length < length) {
      savedKey = new byte[grown(length)];
    }
    System.arraycopy(its.keyBuffer(), 0, savedKey, 0, length);
    savedKeyLength = length;
  }

  private void saveValue(EntryCursor its) {
    savedSequence = its.sequence();
    int length = its.valueLength();
    if (savedValue.length < length) {
      savedValue = new byte[grown(length)];
      savedValueBuffer = ByteBuffer.wrap(savedValue);
    }
    its.valueBuffer().get(its.valueOffset(), savedValue, 0, length);
    savedValueLength = length;
  }

  /** Room for more than what is needed now, so that growing keys do not allocate each time. */
  private static int grown(int length) {
    return (int) Math.min(length + (long) (length >>> 1), Integer.MAX_VALUE - 8);
  }

  public boolean isValid() {
    return state != State.NOWHERE;
  }

  /** The key's bytes are {@code keyBuffer()[0, keyLength())}. */
  public byte[] keyBuffer() {
    return state == State.BEFORE ? savedKey : shown.keyBuffer();
  }

  public int keyLength() {
    return state == State.BEFORE ? savedKeyLength : shown.keyLength();
  }

  /** The sequence number of the batch that wrote the entry shown. */
  public long sequence() {
    return state == State.BEFORE ? savedSequence : shown.sequence();
  }

  /** The value's bytes are {@code valueBuffer()[valueOffset(), valueOffset()+valueLength())}. */
  public ByteBuffer valueBuffer() {
    return state == State.BEFORE ? savedValueBuffer : shown.valueBuffer();
  }

  public int valueOffset() {
    return state == State.BEFORE ? 0 : shown.valueOffset();
  }

  public int valueLength() {
    return state == State.BEFORE ? savedValueLength : shown.valueLength();
  }

  /** A fresh copy of the current key. */
  public byte[] copyKey() {
    return Arrays.copyOf(keyBuffer(), keyLength());
  }

  /** A fresh copy of the current value. */
  public byte[] copyValue() {
    return copyValueStart(valueLength());
  }

  /** A fresh copy of its first bytes, of which it has so many. */
  public byte[] copyValueStart(int bytes) {
    byte[] copy = new byte[bytes];
    valueBuffer().get(valueOffset(), copy);
    return copy;
  }

  /**
   * Tombstones and shadowed entries that were walked over since the cursor was made: a large number
   * for few keys shown says that the range wants a compaction. Entries that were jumped over by a
   * seek are not counted.
   */
  public long skippedEntries() {
    return skippedEntries;
  }

  /** Closes the entries' cursor. Closing twice is allowed. */
  @Override
  public void close() {
    state = State.NOWHERE;
    entries.close();
  }
}
