package dev.varve.lsm.memtable;

import static java.util.Objects.requireNonNull;

import dev.varve.lsm.entry.KeyWords;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One node of the tree above the leaves. Readers walk it without locks: all of it is immutable but
 * the child nodes, which the writer replaces one by one.
 */
final class IndexNode {

  /*
   * Child i + 1 starts at separator i, which is the entry that was its leaf's first when the leaf
   * was split off. Like a leaf, a node strips what its separators' keys share and searches the
   * words that follow. Where many small collections stand side by side, all separators of one have
   * the same word, and only bytes further behind tell them apart: their second words. Without these
   * a search would fetch an entry for each step. Nodes lie on the heap: there is one for some
   * thousand entries, and the collector takes those that readers may still be walking when they are
   * replaced.
   */
  static final int CHILDREN_MAX = 64;

  private static final VarHandle NODE = MethodHandles.arrayElementVarHandle(IndexNode[].class);

  /** What all separators' keys start with, in words; the last one is zero-padded. */
  private final long[] sharedWords;

  private final int shared;
  private final long[] words;

  /**
   * Of each separator whose word is also its neighbour's, the word at {@link #secondAt}, up to
   * where all that have the same word share their bytes; null if there is none such.
   */
  private final long @Nullable [] seconds;

  private final int secondAt;
  private final int[] separators;

  /** The children if they are leaves: their references. */
  private final int @Nullable [] leaves;

  /** The children if they are nodes. */
  private final IndexNode @Nullable [] nodes;

  private IndexNode(
      long[] sharedWords,
      int shared,
      long[] words,
      long @Nullable [] seconds,
      int secondAt,
      int[] separators,
      int @Nullable [] leaves,
      IndexNode @Nullable [] nodes) {
    this.sharedWords = sharedWords;
    this.shared = shared;
    this.words = words;
    this.seconds = seconds;
    this.secondAt = secondAt;
    this.separators = separators;
    this.leaves = leaves;
    this.nodes = nodes;
  }

  static IndexNode ofLeaves(EntryArena arena, int[] separators, int[] leaves) {
    return of(arena, separators, leaves, null);
  }

  static IndexNode ofNodes(EntryArena arena, int[] separators, IndexNode[] nodes) {
    return of(arena, separators, null, nodes);
  }

  private static IndexNode of(
      EntryArena arena, int[] separators, int @Nullable [] leaves, IndexNode @Nullable [] nodes) {
    int shared = arena.sharedBytes(separators[0], separators[separators.length - 1]);
    long[] sharedWords = new long[(shared + Long.BYTES - 1) / Long.BYTES];
    for (int i = 0; i < sharedWords.length; i++) {
      int at = i * Long.BYTES;
      sharedWords[i] = KeyWords.head(arena.keyWord(separators[0], at), shared - at);
    }
    long[] words = new long[separators.length];
    for (int i = 0; i < words.length; i++) {
      words[i] = arena.keyWord(separators[i], shared);
    }
    int secondAt = secondAt(arena, separators, words);
    long[] seconds = null;
    if (secondAt != 0) {
      seconds = new long[words.length];
      for (int i = 0; i < words.length; i++) {
        if (isRepeated(words, i)) {
          seconds[i] = arena.keyWord(separators[i], secondAt);
        }
      }
    }
    return new IndexNode(sharedWords, shared, words, seconds, secondAt, separators, leaves, nodes);
  }

  private static boolean isRepeated(long[] words, int at) {
    return at > 0 && words[at - 1] == words[at]
        || at + 1 < words.length && words[at + 1] == words[at];
  }

  /** How much all separators share at least that have the same word; 0 if no two have. */
  private static int secondAt(EntryArena arena, int[] separators, long[] words) {
    int least = Integer.MAX_VALUE;
    for (int from = 0, to; from < words.length; from = to) {
      to = from + 1;
      while (to < words.length && words[to] == words[from]) {
        to++;
      }
      if (to > from + 1) {
        least = Math.min(least, arena.sharedBytes(separators[from], separators[to - 1]));
      }
    }
    return least == Integer.MAX_VALUE ? 0 : least;
  }

  int children() {
    return separators.length + 1;
  }

  boolean isAboveLeaves() {
    return leaves != null;
  }

  /** The reference of a child that is a leaf. */
  int leaf(int child) {
    return requireNonNull(leaves)[child];
  }

  /** A child that is a node. */
  IndexNode node(int child) {
    return (IndexNode) NODE.getAcquire(requireNonNull(nodes), child);
  }

  /** The entry at which the child after this one starts. */
  int separator(int child) {
    return separators[child];
  }

  /** Publishes another node in a child's place. Writer. */
  void replaceNode(int child, IndexNode node) {
    NODE.setRelease(requireNonNull(nodes), child, node);
  }

  /** This node with one more leaf, which starts at {@code separator}, after {@code child}. */
  IndexNode plusLeaf(EntryArena arena, int child, int separator, int leaf) {
    int[] before = requireNonNull(leaves);
    int[] after = new int[before.length + 1];
    System.arraycopy(before, 0, after, 0, child + 1);
    after[child + 1] = leaf;
    System.arraycopy(before, child + 1, after, child + 2, before.length - child - 1);
    return plusSeparator(arena, child, separator, after, null);
  }

  /**
   * This node with {@code left} in the place of {@code child} and {@code right}, which starts at
   * {@code separator}, after it.
   */
  IndexNode plusNode(EntryArena arena, int child, IndexNode left, int separator, IndexNode right) {
    IndexNode[] before = requireNonNull(nodes);
    IndexNode[] after = new IndexNode[before.length + 1];
    System.arraycopy(before, 0, after, 0, child);
    after[child] = left;
    after[child + 1] = right;
    System.arraycopy(before, child + 1, after, child + 2, before.length - child - 1);
    return plusSeparator(arena, child, separator, null, after);
  }

  private IndexNode plusSeparator(
      EntryArena arena,
      int at,
      int separator,
      int @Nullable [] newLeaves,
      IndexNode @Nullable [] newNodes) {
    int count = separators.length;
    int[] newSeparators = new int[count + 1];
    System.arraycopy(separators, 0, newSeparators, 0, at);
    newSeparators[at] = separator;
    System.arraycopy(separators, at, newSeparators, at + 1, count - at);
    long word = arena.keyWord(separator, shared);
    int equal =
        at > 0 && words[at - 1] == word ? at - 1 : at < count && words[at] == word ? at : -1;
    if (arena.sharedBytes(separators[0], separator) < shared
        || equal >= 0 && !hasSecond(arena, separators[equal], separator)) {
      return of(arena, newSeparators, newLeaves, newNodes);
    }
    long[] newWords = inserted(words, at, word);
    long[] newSeconds = null;
    if (seconds != null) {
      newSeconds = inserted(seconds, at, 0);
      if (equal >= 0) {
        newSeconds[at] = arena.keyWord(separator, secondAt);
        // It may have been the only one with this word.
        newSeconds[equal < at ? equal : at + 1] = arena.keyWord(separators[equal], secondAt);
      }
    }
    return new IndexNode(
        sharedWords, shared, newWords, newSeconds, secondAt, newSeparators, newLeaves, newNodes);
  }

  /** Whether another separator with the same word as this one is told apart as the others are. */
  private boolean hasSecond(EntryArena arena, int separator, int other) {
    return seconds != null && arena.sharedBytes(separator, other) >= secondAt;
  }

  private static long[] inserted(long[] before, int at, long word) {
    long[] after = new long[before.length + 1];
    System.arraycopy(before, 0, after, 0, at);
    after[at] = word;
    System.arraycopy(before, at, after, at + 1, before.length - at);
    return after;
  }

  /** The separator at which this node is split in halves. It moves up: neither half has it. */
  int middleSeparator() {
    return separators[separators.length / 2];
  }

  /** The children before {@link #middleSeparator()}. */
  IndexNode lowerHalf(EntryArena arena) {
    return part(arena, 0, separators.length / 2);
  }

  /** The children from {@link #middleSeparator()} on. */
  IndexNode upperHalf(EntryArena arena) {
    return part(arena, separators.length / 2 + 1, separators.length);
  }

  private IndexNode part(EntryArena arena, int from, int to) {
    return of(
        arena,
        Arrays.copyOfRange(separators, from, to),
        leaves == null ? null : Arrays.copyOfRange(leaves, from, to + 1),
        nodes == null ? null : Arrays.copyOfRange(nodes, from, to + 1));
  }

  /** The child in whose range (key, sequence) lies. */
  int find(EntryArena arena, byte[] key, int offset, int length, long sequence) {
    for (int i = 0, at = 0; at < shared; i++, at += Long.BYTES) {
      long ours = KeyWords.head(KeyWords.wordAt(key, offset, length, at), shared - at);
      if (ours != sharedWords[i]) {
        return Long.compareUnsigned(ours, sharedWords[i]) < 0 ? 0 : separators.length;
      }
    }
    long word = KeyWords.wordAt(key, offset, length, shared);
    int low = lowerBound(words, 0, words.length, word);
    if (low == words.length || words[low] != word) {
      return low;
    }
    int high = upperBound(words, low, words.length, word);
    if (seconds != null && high - low > 1) {
      int from = shared + Long.BYTES;
      int bySame = arena.comparePart(key, offset, length, separators[low], from, secondAt - from);
      if (bySame != 0) {
        return bySame < 0 ? low : high;
      }
      long second = KeyWords.wordAt(key, offset, length, secondAt);
      low = lowerBound(seconds, low, high, second);
      high = upperBound(seconds, low, high, second);
    }
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (arena.compare(key, offset, length, sequence, separators[middle], shared) >= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The first of {@code [from, to)} that is not before {@code word}, or {@code to}. */
  private static int lowerBound(long[] words, int from, int to, long word) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Long.compareUnsigned(words[middle], word) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The first of {@code [from, to)}, none of which is before {@code word}, that is behind it. */
  private static int upperBound(long[] words, int from, int to, long word) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (words[middle] == word) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
