package dev.varve.lsm.memtable;

import java.nio.ByteBuffer;

/** Makes two leaves of one that is full. For the writer. */
final class LeafSplitter {
  /** When more than one word in so many equals its neighbour, words do not tell entries apart. */
  private static final int EQUAL_WORDS_DIVISOR = 4;

  /** A new leaf of no more takes its words anew in any case: it is where a run goes on. */
  private static final int FEW_ENTRIES = 4;

  private final EntryArena arena;
  private final LeafIndex index;
  private final GapFinder gaps;
  private final Finger finger;

  /** The entries of a leaf that is being split, and the one that comes in. */
  private final int[] references = new int[LeafFormat.SLOTS + 1];

  private final long[] words = new long[LeafFormat.SLOTS + 1];

  LeafSplitter(EntryArena arena, LeafIndex index, GapFinder gaps, Finger finger) {
    this.arena = arena;
    this.index = index;
    this.gaps = gaps;
    this.finger = finger;
  }

  /**
   * Splits a full leaf into itself and a new one behind it, and adds an entry at {@code slot}.
   * Ascending and descending loads leave full leaves behind: an entry that comes last gets the new
   * leaf for itself, one that comes first keeps the old one, and a run in the midst of others is
   * cut off from those that it will never pass, also where many runs take turns: then the latest
   * entry of this leaf stands beside the one that comes in.
   */
  void split(int reference, ByteBuffer memory, int leaf, int slot, int entry) {
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

  /** Says what the keys of a leaf have in common, which an entry's key has, too. */
  void setShared(ByteBuffer memory, int leaf, int shared, int gap, int entry) {
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
}
