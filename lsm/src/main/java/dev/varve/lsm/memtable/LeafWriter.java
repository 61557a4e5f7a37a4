package dev.varve.lsm.memtable;

import java.nio.ByteBuffer;

/** Puts entries into leaves, and lets those go that nobody sees any more. For the writer. */
final class LeafWriter {
  private final EntryArena arena;
  private final LeafIndex index;

  private final VersionSweep sweep;
  private final GapFinder gaps;
  private final LeafSplitter splitter;
  private final SpentPairs spent;
  private final Displaced displaced;
  private final Finger finger;
  private int lastSlot;
  private int behind;
  private boolean isGone;

  LeafWriter(EntryArena arena, LeafIndex index) {
    this.arena = arena;
    this.index = index;
    this.sweep = new VersionSweep(arena);
    this.gaps = new GapFinder(arena);
    this.spent = new SpentPairs(arena);
    this.displaced = new Displaced(arena);
    this.finger = new Finger(arena, index);
    this.splitter = new LeafSplitter(arena, index, gaps, finger);
  }

  /**
   * Inserts an entry of the arena, whose key and sequence number are given, and drops entries of
   * its key that nobody can see any more. Returns the leaf, or one that precedes it.
   *
   * @param newest where the newest entry of the key stands, {@link EntryPlace#NONE}, or {@link
   *     EntryPlace#ABSENT}
   * @param newestMark its mark
   */
  int insert(
      byte[] key,
      int offset,
      int length,
      long sequence,
      int entry,
      ReadPoints readPoints,
      long newest,
      long newestMark) {
    sweep.clear();
    isGone = false;
    if (newest != EntryPlace.NONE
        && newest != EntryPlace.ABSENT
        && replace(newest, newestMark, key, offset, length, sequence, entry, readPoints)) {
      return EntryPlace.leaf(newest);
    }
    int next = finger.find(key, offset, length);
    if (next != Finger.ELSEWHERE) {
      ByteBuffer memory = arena.chunk(finger.leaf());
      int leaf = arena.offset(finger.leaf());
      int count = LeafFormat.count(memory, leaf);
      if (count < LeafFormat.SLOTS) {
        if (newest == EntryPlace.ABSENT) {
          arena.markInserted(entry);
        }
        insert(memory, leaf, count, next, key, offset, length, entry);
        finger.followed(next);
        addedTo(next, EntryPlace.NONE_OLDER);
        return finger.leaf();
      }
    }
    int reference = index.findForWriter(key, offset, length, sequence);
    ByteBuffer memory = arena.chunk(reference);
    int leaf = arena.offset(reference);
    int count = LeafFormat.count(memory, leaf);
    int found = LeafSearch.find(arena, memory, leaf, count, key, offset, length, sequence);
    int slot = found < 0 ? ~found : found;
    finger.searched(reference, slot);
    if (found >= 0 && found < count) {
      long word = LeafFormat.word(memory, leaf, slot);
      sweep.run(memory, leaf, count, slot, word, key, offset, length, sequence, readPoints);
      if (sweep.droppedCount > 0) {
        replaceDropped(reference, memory, leaf, count, slot, word, entry);
        return reference;
      }
    }
    // An older version may also be the first of the following leaf.
    if (newest == EntryPlace.ABSENT && slot < count && sweep.metNone()) {
      arena.markInserted(entry);
    }
    if (count < LeafFormat.SLOTS) {
      insert(memory, leaf, count, slot, key, offset, length, entry);
      addedTo(slot, sweep.left());
      if (sweep.keepsInserted && arena.isTombstone(entry)) {
        spent.add(reference, slot, entry, sequence, sweep.kept[0], sweep.keptSequence);
      }
    } else {
      splitter.split(reference, memory, leaf, slot, entry);
      addedTo(0, EntryPlace.UNKNOWN);
    }
    return reference;
  }

  /**
   * Puts an entry in the place of the newest one of its key, without a search; false, and nothing
   * done, if that has moved to another leaf, is of another key, or is still to be seen.
   */
  private boolean replace(
      long newest,
      long newestMark,
      byte[] key,
      int offset,
      int length,
      long sequence,
      int entry,
      ReadPoints readPoints) {
    int reference = EntryPlace.leaf(newest);
    ByteBuffer memory = arena.chunk(reference);
    int leaf = arena.offset(reference);
    int count = LeafFormat.count(memory, leaf);
    int found =
        LeafFormat.slotOf(
            memory, leaf, count, EntryPlace.entry(newest), EntryPlace.slot(newestMark));
    if (found < 0) {
      return false;
    }
    // A tombstone may leave with the value, which must be looked at for that.
    if (!arena.isTombstone(entry)
        && replaceUnseen(
            reference, memory, leaf, count, found, newestMark, sequence, entry, readPoints)) {
      addedTo(found, EntryPlace.behind(newestMark));
      return true;
    }
    long word = LeafFormat.word(memory, leaf, found);
    sweep.run(memory, leaf, count, found, word, key, offset, length, sequence, readPoints);
    if (sweep.droppedCount == 0) {
      return false;
    }
    replaceDropped(reference, memory, leaf, count, found, word, entry);
    return true;
  }

  /**
   * The same where it is known how many older versions there are, and the last one can go: entries
   * lie all over the memory, and none of them is looked at.
   */
  private boolean replaceUnseen(
      int reference,
      ByteBuffer memory,
      int leaf,
      int count,
      int found,
      long newestMark,
      long sequence,
      int entry,
      ReadPoints readPoints) {
    int its = EntryPlace.behind(newestMark);
    long newest = EntryPlace.sequence(newestMark);
    if (its == EntryPlace.NONE_OLDER && !readPoints.isAny(newest, sequence)) {
      displaced.replaced(reference, entry, LeafFormat.reference(memory, leaf, found));
      LeafFormat.replaceReference(memory, leaf, found, entry);
      sweep.dropLastValue(0);
      return true;
    }
    // Nobody looks at the older one but who looks before the newer.
    if (its == EntryPlace.ONE_OLDER
        && found + 1 < count
        && readPoints.isAny(newest, sequence)
        && !readPoints.isAny(0, newest)) {
      int stays = LeafFormat.reference(memory, leaf, found);
      LeafFormat.beginChange(memory, leaf);
      LeafFormat.replaceReference(memory, leaf, found, entry);
      LeafFormat.replaceReference(memory, leaf, found + 1, stays);
      LeafFormat.endChange(memory, leaf);
      sweep.dropLastValue(1);
      return true;
    }
    return false;
  }

  /** Whether the latest entry was a tombstone that has left already, with what it hid. */
  boolean isGone() {
    return isGone;
  }

  /** What has left for the batch that is being inserted. */
  Displaced displaced() {
    return displaced;
  }

  /**
   * Lets all that has left for the batch come back; returns how many entries there are more of.
   * What the batch has brought stays where it does not stand in the way of that.
   */
  int takeBack() {
    // First, for what takes the place of others is not to be evicted.
    for (int i = 0; i < displaced.count(); i++) {
      displaced.putBack(i);
    }
    int more = 0;
    for (int i = 0; i < displaced.count(); i++) {
      if (displaced.isRemoved(i)) {
        more += insertAgain(displaced.entry(i));
      }
    }
    displaced.end();
    return more;
  }

  private int insertAgain(int entry) {
    byte[] key = arena.copyKey(entry);
    long sequence = EntryArena.sequence(arena.chunk(entry), arena.offset(entry));
    int reference = index.findForWriter(key, 0, key.length, sequence);
    ByteBuffer memory = arena.chunk(reference);
    int leaf = arena.offset(reference);
    boolean isFull = LeafFormat.count(memory, leaf) == LeafFormat.SLOTS;
    if (isFull) {
      evict(memory, leaf);
    }
    int count = LeafFormat.count(memory, leaf);
    int found = LeafSearch.find(arena, memory, leaf, count, key, 0, key.length, sequence);
    insert(memory, leaf, count, found < 0 ? ~found : found, key, 0, key.length, entry);
    return isFull ? 0 : 1;
  }

  /** Takes one entry of the batch out of a full leaf: it was not full before the batch came. */
  private void evict(ByteBuffer memory, int leaf) {
    for (int slot = 0; slot < LeafFormat.SLOTS; slot++) {
      int entry = LeafFormat.reference(memory, leaf, slot);
      if (EntryArena.sequence(arena.chunk(entry), arena.offset(entry)) == displaced.sequence()) {
        LeafFormat.remove(memory, leaf, slot, 1, LeafFormat.SLOTS);
        return;
      }
    }
    throw new IllegalStateException("a full leaf without an entry of the batch");
  }

  /** Values that were inserted and deleted within this memtable. */
  SpentPairs spent() {
    return spent;
  }

  private void addedTo(int itsSlot, int itsBehind) {
    lastSlot = itsSlot;
    behind = itsBehind;
  }

  /** Where in its leaf the latest entry came to stand, as far as that is known. */
  int slot() {
    return lastSlot;
  }

  /** What is behind it there, as {@link EntryPlace} says, if it is a value. */
  int behind() {
    return behind;
  }

  /** How many entries the latest insert has dropped. */
  int dropped() {
    return sweep.droppedCount;
  }

  /** Whether the latest insert is known to have hidden a value of its key. */
  boolean hidesValue() {
    return sweep.newestIsValue;
  }

  /** How many of them were tombstones. */
  int droppedTombstones() {
    return sweep.droppedTombstones;
  }

  /**
   * Puts an entry in the place of the versions that are dropped. A tombstone for a value that was
   * inserted here hides nothing: it goes with it, unless the leaf would be empty.
   */
  private void replaceDropped(
      int reference, ByteBuffer memory, int leaf, int count, int slot, long word, int entry) {
    if (sweep.dropsInserted && arena.isTombstone(entry) && count > 1) {
      displaced.removed(reference, LeafFormat.reference(memory, leaf, slot));
      LeafFormat.remove(memory, leaf, slot, 1, count);
      arena.unwrite(entry);
      isGone = true;
      sweep.dropSpent();
      addedTo(0, EntryPlace.UNKNOWN);
      return;
    }
    if (sweep.dropsNewest()) {
      displaced.replaced(reference, entry, LeafFormat.reference(memory, leaf, slot));
    }
    putInPlace(memory, leaf, count, slot, word, entry);
    addedTo(slot, sweep.left());
  }

  /** Puts an entry at {@code slot}, after it the versions that stay, and closes the gap. */
  private void putInPlace(ByteBuffer memory, int leaf, int count, int slot, long word, int entry) {
    int kept = sweep.keptCount;
    if (kept == 0 && sweep.droppedCount == 1) {
      // Both are hidden from every reader: it does not matter which of them one meets.
      LeafFormat.replaceReference(memory, leaf, slot, entry);
      return;
    }
    LeafFormat.beginChange(memory, leaf);
    LeafFormat.put(memory, leaf, slot, word, entry);
    for (int i = 0; i < kept; i++) {
      LeafFormat.put(memory, leaf, slot + 1 + i, word, sweep.kept[i]);
    }
    LeafFormat.closeSlots(memory, leaf, slot + kept + sweep.droppedCount, slot + 1 + kept, count);
    LeafFormat.publishCount(memory, leaf, count + 1 - sweep.droppedCount);
    LeafFormat.endChange(memory, leaf);
  }

  private void insert(
      ByteBuffer memory,
      int leaf,
      int count,
      int slot,
      byte[] key,
      int offset,
      int length,
      int entry) {
    int shared = LeafFormat.sharedLength(memory, leaf);
    int gap = LeafFormat.gap(memory, leaf);
    if (shared > 0 && !sharesStart(memory, leaf, shared, key, offset, length)) {
      shared = arena.sharedBytes(LeafFormat.reference(memory, leaf, 0), entry);
      gap = WordGap.NONE;
      stripAnew(memory, leaf, count, shared, gap);
    } else if (gap != WordGap.NONE
        && LeafSearch.compareGap(arena, memory, leaf, shared, gap, key, offset, length) != 0) {
      gap = gaps.narrowed(gap, shared, LeafFormat.reference(memory, leaf, 0), entry);
      stripAnew(memory, leaf, count, shared, gap);
    }
    long word = WordGap.wordAt(key, offset, length, shared, gap);
    if (slot == count) {
      LeafFormat.put(memory, leaf, slot, word, entry);
    } else {
      LeafFormat.beginChange(memory, leaf);
      LeafFormat.openSlot(memory, leaf, slot, count);
      LeafFormat.put(memory, leaf, slot, word, entry);
    }
    LeafFormat.publishCount(memory, leaf, count + 1);
    if (slot < count) {
      LeafFormat.endChange(memory, leaf);
    }
  }

  private boolean sharesStart(
      ByteBuffer memory, int leaf, int shared, byte[] key, int offset, int length) {
    return length >= shared
        && LeafSearch.compareShared(arena, memory, leaf, shared, key, offset, length) == 0;
  }

  /** Sets what the keys of a leaf's entries share and the words that follow it. */
  private void stripAnew(ByteBuffer memory, int leaf, int count, int shared, int gap) {
    LeafFormat.beginChange(memory, leaf);
    splitter.setShared(memory, leaf, shared, gap, LeafFormat.reference(memory, leaf, 0));
    for (int slot = 0; slot < count; slot++) {
      int reference = LeafFormat.reference(memory, leaf, slot);
      LeafFormat.setWord(memory, leaf, slot, arena.keyWord(reference, shared, gap));
    }
    LeafFormat.endChange(memory, leaf);
  }
}
