package dev.varve.lsm.memtable;

import dev.varve.lsm.entry.KeyWords;
import java.nio.ByteBuffer;

/**
 * What the words of a leaf leave out, as a number: a word is then the first one to seven key bytes
 * that follow what the leaf's keys share, and, for the rest of its eight bytes, those that follow
 * the <em>gap</em> behind them, in which all keys of the leaf have the same bytes. {@link #NONE} is
 * no gap. Keys are zero-padded at their ends.
 *
 * <p>Words order the keys of one leaf as without a gap, but only of keys that have the leaf's bytes
 * in it: others are to be compared with these bytes first. Stateless.
 */
final class WordGap {
  static final int NONE = 0;

  private static final int HEAD_BITS = 3;
  private static final int HEAD_MASK = (1 << HEAD_BITS) - 1;

  private WordGap() {}

  /**
   * A gap.
   *
   * @param head bytes before it, 1 to 7
   * @param length of it, positive
   */
  static int of(int head, int length) {
    return length << HEAD_BITS | head;
  }

  /** How many bytes of a word stand before the gap. */
  static int head(int gap) {
    return gap & HEAD_MASK;
  }

  static int length(int gap) {
    return gap >>> HEAD_BITS;
  }

  /** The bits of a word that stand behind the gap. */
  static long tailMask(int gap) {
    return -1L >>> head(gap) * Byte.SIZE;
  }

  /** The word at {@code from} of {@code key[offset, offset+length)}. */
  static long wordAt(byte[] key, int offset, int length, int from, int gap) {
    long word = KeyWords.wordAt(key, offset, length, from);
    return gap == NONE
        ? word
        : joined(word, KeyWords.wordAt(key, offset, length, end(from, gap)), gap);
  }

  /** The word at {@code from} of the key {@code memory[start, start+length)}. */
  static long wordAt(ByteBuffer memory, int start, int length, int from, int gap) {
    long word = KeyWords.wordAt(memory, start, length, from);
    return gap == NONE
        ? word
        : joined(word, KeyWords.wordAt(memory, start, length, end(from, gap)), gap);
  }

  /** Where in a key a gap begins whose words begin at {@code from}. */
  static int start(int from, int gap) {
    return from + head(gap);
  }

  private static int end(int from, int gap) {
    return start(from, gap) + length(gap);
  }

  private static long joined(long before, long behind, int gap) {
    long tail = tailMask(gap);
    return before & ~tail | behind >>> head(gap) * Byte.SIZE;
  }
}
