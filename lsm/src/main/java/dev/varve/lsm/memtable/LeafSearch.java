package dev.varve.lsm.memtable;

import dev.varve.lsm.entry.KeyWords;
import java.nio.ByteBuffer;

/**
 * Where in a leaf a (key, sequence) stands. For readers between {@link LeafFormat#beginRead} and
 * {@link LeafFormat#isUnchanged}, and for the writer at any time.
 */
final class LeafSearch {
  private LeafSearch() {}

  /**
   * The slot of the first of {@code count} entries that is not before (key, sequence), or {@code
   * count}; as its bitwise complement if that entry's key is certain to be another one.
   */
  static int find(
      EntryArena arena,
      ByteBuffer memory,
      int leaf,
      int count,
      byte[] key,
      int offset,
      int length,
      long sequence) {
    int shared = LeafFormat.sharedLength(memory, leaf);
    int byShared = compareShared(arena, memory, leaf, shared, key, offset, length);
    if (byShared != 0) {
      return byShared < 0 ? -1 : ~count;
    }
    int gap = LeafFormat.gap(memory, leaf);
    long word = WordGap.wordAt(key, offset, length, shared, gap);
    if (gap != WordGap.NONE) {
      int byGap = compareGap(arena, memory, leaf, shared, gap, key, offset, length);
      if (byGap != 0) {
        return ~besideGap(memory, leaf, count, word, WordGap.tailMask(gap), byGap);
      }
    }
    int low = lowerBound(memory, leaf, count, word);
    if (low == count || LeafFormat.word(memory, leaf, low) != word) {
      return ~low;
    }
    int end = endOfEqual(memory, leaf, low, count, word);
    int high = end;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int reference = LeafFormat.reference(memory, leaf, middle);
      if (arena.compare(key, offset, length, sequence, reference, shared) > 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < end ? low : ~low;
  }

  /** The first slot whose word is not before {@code word}, or {@code count}. */
  private static int lowerBound(ByteBuffer memory, int leaf, int count, long word) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Long.compareUnsigned(LeafFormat.word(memory, leaf, middle), word) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * The first slot that is not before a key which has other bytes in the gap: it comes before or
   * after all those that have its bytes before the gap.
   */
  private static int besideGap(
      ByteBuffer memory, int leaf, int count, long word, long tail, int byGap) {
    if (byGap < 0) {
      return lowerBound(memory, leaf, count, word & ~tail);
    }
    long lastBefore = word | tail;
    return lastBefore == -1 ? count : lowerBound(memory, leaf, count, lastBefore + 1);
  }

  /** The end of the run of slots that have the same word as {@code from}. */
  private static int endOfEqual(ByteBuffer memory, int leaf, int from, int count, long word) {
    int low = from + 1;
    if (low == count || LeafFormat.word(memory, leaf, low) != word) {
      return low;
    }
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (LeafFormat.word(memory, leaf, middle) == word) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Compares the key's first {@code shared} bytes with the leaf's shared ones. Zero also for a key
   * that ends within them and goes on with zeroes there: words and entries tell it apart.
   */
  static int compareShared(
      EntryArena arena,
      ByteBuffer memory,
      int leaf,
      int shared,
      byte[] key,
      int offset,
      int length) {
    if (shared > LeafFormat.SHARED_INLINE_MAX) {
      return compareLongShared(arena, memory, leaf, shared, key, offset, length);
    }
    return compareInline(memory, leaf + LeafFormat.SHARED, key, offset, length, 0, shared);
  }

  /** Compares the key's bytes in the gap with the leaf's, both zero-padded. */
  static int compareGap(
      EntryArena arena,
      ByteBuffer memory,
      int leaf,
      int shared,
      int gap,
      byte[] key,
      int offset,
      int length) {
    int start = WordGap.start(shared, gap);
    int bytes = WordGap.length(gap);
    if (bytes > LeafFormat.GAP_INLINE_MAX) {
      int reference = memory.getInt(leaf + LeafFormat.SHARED_ENTRY);
      return arena.comparePart(key, offset, length, reference, start, bytes);
    }
    return compareInline(memory, leaf + LeafFormat.GAP_BYTES, key, offset, length, start, bytes);
  }

  /** Compares {@code bytes} bytes of the key from {@code from} on with those that a leaf has. */
  private static int compareInline(
      ByteBuffer memory, int inline, byte[] key, int offset, int length, int from, int bytes) {
    for (int at = 0; at < bytes; at += Long.BYTES) {
      long theirs = memory.getLong(inline + at);
      long ours = KeyWords.head(KeyWords.wordAt(key, offset, length, from + at), bytes - at);
      if (ours != theirs) {
        return Long.compareUnsigned(ours, theirs);
      }
    }
    return 0;
  }

  private static int compareLongShared(
      EntryArena arena,
      ByteBuffer memory,
      int leaf,
      int shared,
      byte[] key,
      int offset,
      int length) {
    int reference = memory.getInt(leaf + LeafFormat.SHARED_ENTRY);
    return arena.compareHead(key, offset, length, reference, shared);
  }
}
