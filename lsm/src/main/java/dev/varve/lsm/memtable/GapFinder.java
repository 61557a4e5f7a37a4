package dev.varve.lsm.memtable;

/** Finds the bytes that the words of a leaf can leave out. For the writer. */
final class GapFinder {
  /** One byte more in each word is not worth the comparing of the gap. */
  private static final int GAP_MIN = 2;

  /** Keys that agree in more behind their words are taken for versions of one. */
  private static final int GAP_MAX = 256;

  private final EntryArena arena;

  GapFinder(EntryArena arena) {
    this.arena = arena;
  }

  /**
   * The gap behind the first bytes in which the keys of {@code references[from, to)} differ, or
   * {@link WordGap#NONE} if their words would tell no more with it.
   *
   * @param shared how many first bytes they share
   */
  int widest(int[] references, int from, int to, int shared) {
    long first = differences(references, from, to, shared);
    int head = 1;
    while (head < Long.BYTES && !agrees(first, head)) {
      head++;
    }
    if (head == Long.BYTES) {
      return WordGap.NONE;
    }
    int length = zeroBytes(first << head * Byte.SIZE);
    if (length >= Long.BYTES - head) {
      length = Long.BYTES - head;
      int more = Long.BYTES;
      while (more == Long.BYTES && length < GAP_MAX) {
        more = zeroBytes(differences(references, from, to, shared + head + length));
        length += more;
      }
    }
    return length < GAP_MIN || length >= GAP_MAX ? WordGap.NONE : WordGap.of(head, length);
  }

  /** What is left of the gap of words at {@code shared} when an entry joins one that has it. */
  int narrowed(int gap, int shared, int one, int entry) {
    if (gap == WordGap.NONE) {
      return gap;
    }
    int start = WordGap.start(shared, gap);
    int length = arena.sharedBytes(one, entry, start, WordGap.length(gap));
    return length < GAP_MIN ? WordGap.NONE : WordGap.of(WordGap.head(gap), length);
  }

  /** The bits in which the keys' words at {@code at} are not all the same. */
  private long differences(int[] references, int from, int to, int at) {
    long word = arena.keyWord(references[from], at);
    long differences = 0;
    for (int i = from + 1; i < to; i++) {
      differences |= word ^ arena.keyWord(references[i], at);
    }
    return differences;
  }

  private static boolean agrees(long differences, int at) {
    return (differences << at * Byte.SIZE) >>> (Long.SIZE - Byte.SIZE) == 0;
  }

  private static int zeroBytes(long word) {
    return Long.numberOfLeadingZeros(word) / Byte.SIZE;
  }
}
