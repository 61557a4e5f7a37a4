package dev.varve.lsm.memtable;

import java.nio.ByteBuffer;

/** Puts entries into leaves and splits these when they are full. For the writer. */
final class LeafWriter {
  /** When more than one word in so many equals its neighbour, words do not tell entries apart. */
  private static final int EQUAL_WORDS_DIVISOR = 4;

  /** A new leaf of no more takes its words anew in any case: it is where a run goes on. */
  private static final int FEW_ENTRIES = 4;

  private final EntryArena arena;
  private final LeafIndex index;

  /** The entries of a leaf that is being split, and the one that comes in. */
  private final int[] references = new int[LeafFormat.SLOTS + 1];

  private final long[] words = new long[LeafFormat.SLOTS + 1];

  private final VersionSweep sweep;
  private final GapFinder gaps;
  private final SpentPairs spent;
  private final Finger finger;
  private int lastSlot;
  private int behind;

  LeafWriter(EntryArena arena, LeafIndex index) {
    this.arena = arena;
    this.index = index;
    this.sweep = new VersionSweep(arena);
    this.gaps = new GapFinder(arena);
    this.spent = new SpentPairs(arena);
    this.finger = new Finger(arena, index);
  }

  /**
   * Inserts an entry of the arena, whose key and sequence number are given, and drops entries of
   * its key that nobody can see any more. Returns the leaf, or one that precedes it.
   *
   * @param newest where the newest entry of the key stands, {@link Place#NONE}, or {@link
   *     Place#ABSENT}
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
    if (newest != Place.NONE
        && newest != Place.ABSENT
        && replace(newest, newestMark, key, offset, length, sequence, entry, readPoints)) {
      return Place.leaf(newest);
    }
    int next = finger.find(key, offset, length);
    if (next != Finger.ELSEWHERE) {
      ByteBuffer memory = arena.chunk(finger.leaf());
      int leaf = arena.offset(finger.leaf());
      int count = LeafFormat.count(memory, leaf);
      if (count < LeafFormat.SLOTS) {
        if (newest == Place.ABSENT) {
          arena.markInserted(entry);
        }
        insert(memory, leaf, count, next, key, offset, length, entry);
        finger.followed(next);
        addedTo(next, Place.NONE_OLDER);
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
        replaceDropped(memory, leaf, count, slot, word, entry);
        addedTo(slot, sweep.left());
        return reference;
      }
    }
    // An older version may also be the first of the following leaf.
    if (newest == Place.ABSENT && slot < count && sweep.metNone()) {
      arena.markInserted(entry);
    }
    if (count < LeafFormat.SLOTS) {
      insert(memory, leaf, count, slot, key, offset, length, entry);
      addedTo(slot, sweep.left());
      if (sweep.keepsInserted && arena.isTombstone(entry)) {
        spent.add(reference, slot, entry, sequence, sweep.kept[0], sweep.keptSequence);
      }
    } else {
      split(reference, memory, leaf, slot, entry);
      addedTo(0, Place.UNKNOWN);
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
    int reference = Place.leaf(newest);
    ByteBuffer memory = arena.chunk(reference);
    int leaf = arena.offset(reference);
    int count = LeafFormat.count(memory, leaf);
    int found = LeafFormat.slotOf(memory, leaf, count, Place.entry(newest), Place.slot(newestMark));
    if (found < 0) {
      return false;
    }
    if (replaceUnseen(memory, leaf, count, found, newestMark, sequence, entry, readPoints)) {
      addedTo(found, Place.behind(newestMark));
      return true;
    }
    long word = LeafFormat.word(memory, leaf, found);
    sweep.run(memory, leaf, count, found, word, key, offset, length, sequence, readPoints);
    if (sweep.droppedCount == 0) {
      return false;
    }
    replaceDropped(memory, leaf, count, found, word, entry);
    addedTo(found, sweep.left());
    return true;
  }

  /**
   * The same where it is known how many older versions there are, and the last one can go: entries
   * lie all over the memory, and none of them is looked at.
   */
  private boolean replaceUnseen(
      ByteBuffer memory,
      int leaf,
      int count,
      int found,
      long newestMark,
      long sequence,
      int entry,
      ReadPoints readPoints) {
    int its = Place.behind(newestMark);
    long newest = Place.sequence(newestMark);
    if (its == Place.NONE_OLDER && !readPoints.isAny(newest, sequence)) {
      LeafFormat.replaceReference(memory, leaf, found, entry);
      sweep.dropLastValue(0);
      return true;
    }
    // Nobody looks at the older one but who looks before the newer.
    if (its == Place.ONE_OLDER
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

  /** What is behind it there, as {@link Place} says, if it is a value. */
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

  /** Puts an entry at {@code slot}, after it the versions that stay, and closes the gap. */
  private void replaceDropped(
      ByteBuffer memory, int leaf, int count, int slot, long word, int entry) {
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
    setShared(memory, leaf, shared, gap, LeafFormat.reference(memory, leaf, 0));
    for (int slot = 0; slot < count; slot++) {
      int reference = LeafFormat.reference(memory, leaf, slot);
      LeafFormat.setWord(memory, leaf, slot, arena.keyWord(reference, shared, gap));
    }
    LeafFormat.endChange(memory, leaf);
  }

  private void setShared(ByteBuffer memory, int leaf, int shared, int gap, int entry) {
    memory.putInt(leaf + LeafFormat.SHARED_LENGTH, shared);
    memory.putInt(leaf + LeafFormat.SHARED_ENTRY, entry);
    LeafFormat.setGap(memory, leaf, gap);
    if (shared <= LeafFormat.SHARED_INLINE_MAX) {
      arena.copyKeyPart(entry, 0, shared, memory, leaf + LeafFormat.SHARED);
    }
    int missing = WordGap.length(gap);
    if (missing <= LeafFormat.GAP_INLINE_MAX) {
      int start = WordGap.start(shared, gap);
      arena.copyKeyPart(entry, start, missing, memory, leaf + LeafFormat.GAP_BYTES);
    }
  }

  /**
   * Splits a full leaf into itself and a new one behind it, and adds an entry at {@code slot}.
   * Ascending and descending loads leave full leaves behind: an entry that comes last gets the new
   * leaf for itself, one that comes first keeps the old one, and a run in the midst of others is
   * cut off from those that it will never pass, also where many runs take turns: then the latest
   * entry of this leaf stands beside the one that comes in.
   */
  private void split(int reference, ByteBuffer memory, int leaf, int slot, int entry) {
    int right = arena.allocateLines(LeafFormat.LEAF_BYTES);
    int count = LeafFormat.SLOTS;
    for (int from = 0, to = 0; to <= count; to++) {
      if (to == slot) {
        references[to] = entry;
      } else {
        words[to] = LeafFormat.word(memory, leaf, from);
        references[to] = LeafFormat.reference(memory, leaf, from++);
      }
    }
    int shared =
        Math.min(
            LeafFormat.sharedLength(memory, leaf),
            arena.sharedBytes(references[0], references[count]));
    int gap = LeafFormat.gap(memory, leaf);
    if (shared == LeafFormat.sharedLength(memory, leaf)
        && gaps.narrowed(gap, shared, LeafFormat.reference(memory, leaf, 0), entry) == gap) {
      words[slot] = arena.keyWord(entry, shared, gap);
    } else {
      gap = WordGap.NONE;
      computeWords(0, count + 1, shared, gap);
    }
    int middle = middle(slot, count);

    ByteBuffer rightMemory = arena.chunk(right);
    int rightLeaf = arena.offset(right);
    int next = LeafFormat.next(memory, leaf);
    LeafFormat.clear(rightMemory, rightLeaf);
    fill(rightMemory, rightLeaf, middle, count + 1, shared, gap);
    LeafFormat.setNext(rightMemory, rightLeaf, next);
    LeafFormat.publishPrevious(rightMemory, rightLeaf, reference);

    LeafFormat.beginChange(memory, leaf);
    fill(memory, leaf, 0, middle, shared, gap);
    LeafFormat.setNext(memory, leaf, right);
    LeafFormat.endChange(memory, leaf);

    if (next != 0) {
      LeafFormat.publishPrevious(arena.chunk(next), arena.offset(next), right);
    }
    index.addLeaf(references[middle], right);
    finger.split(middle, references[middle], right);
  }

  /** How many of a leaf's entries, and one more that comes in at a slot, stay when it is split. */
  private int middle(int slot, int count) {
    if (slot == count) {
      return count;
    }
    if (slot == 0) {
      return 1;
    }
    int latest = latestBeside(slot);
    if (finger.isAscending() || latest == slot - 1) {
      return slot + 1;
    }
    return finger.isDescending() || latest == slot + 1 ? slot : (count + 1) / 2;
  }

  /** Which of the entries that are being split came last, but for the one at a slot. */
  private int latestBeside(int slot) {
    int latest = slot - 1;
    for (int i = 0; i <= LeafFormat.SLOTS; i++) {
      // What comes later lies behind in the arena.
      if (i != slot && Integer.compareUnsigned(references[i], references[latest]) > 0) {
        latest = i;
      }
    }
    return latest;
  }

  /** Fills a leaf with the entries [from, to) of those that are being split. */
  private void fill(ByteBuffer memory, int leaf, int from, int to, int sharedByAll, int gapOfAll) {
    int shared = sharedByAll;
    int gap = gapOfAll;
    // Every key must be fetched for words that leave out all they can, so that is done only where
    // they do not tell entries apart. A few cost little, and those that come to them have it on.
    if (to - from <= FEW_ENTRIES || areMostlyEqual(from, to)) {
      shared = arena.sharedBytes(references[from], references[to - 1]);
      gap = WordGap.NONE;
      computeWords(from, to, shared, gap);
      if (areMostlyEqual(from, to)) {
        gap = gaps.widest(references, from, to, shared);
        computeWords(from, to, shared, gap);
      }
    }
    setShared(memory, leaf, shared, gap, references[from]);
    for (int i = from; i < to; i++) {
      LeafFormat.put(memory, leaf, i - from, words[i], references[i]);
    }
    LeafFormat.publishCount(memory, leaf, to - from);
  }

  private boolean areMostlyEqual(int from, int to) {
    int equal = 0;
    for (int i = from + 1; i < to; i++) {
      if (words[i] == words[i - 1]) {
        equal++;
      }
    }
    return equal > (to - from) / EQUAL_WORDS_DIVISOR;
  }

  private void computeWords(int from, int to, int shared, int gap) {
    for (int i = from; i < to; i++) {
      words[i] = arena.keyWord(references[i], shared, gap);
    }
  }
}
