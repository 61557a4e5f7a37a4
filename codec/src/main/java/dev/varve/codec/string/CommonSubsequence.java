package dev.varve.codec.string;

import dev.varve.codec.DataException;
import dev.varve.codec.format.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The longest common subsequence of two strings, as LCS replies it.
 *
 * <p>Immutable, for any thread.
 *
 * @param length how long it is
 * @param bytes the subsequence itself; empty if only the length was asked for
 * @param ranges the runs it is made of, from the end of the strings to their start
 */
public record CommonSubsequence(int length, byte[] bytes, List<Range> ranges) {
  /*
   * The table of the longest subsequence of every two prefixes, row by row. Neighbours in a row differ
   * by 0 or 1, so a row is kept as bits that say where it rises, and the next one is made of it 64
   * columns at a time (Crochemore, Iliopoulos, Pinzon, Reid: A fast and practical bit-vector algorithm
   * for the longest common subsequence problem, 2001).
   *
   * The way back needs to know of a cell whose letters differ whether the row above had the longer
   * one. Such a cell has the longer of its two neighbours' lengths. Where the row rises, the one to the
   * left is shorter, so it has that from above; where it does not, the one to the left is as long.
   */

  /**
   * A run that both strings have; places count from 0, ends included.
   *
   * @param firstStart where it starts in the first string
   * @param firstEnd where it ends in the first string
   * @param secondStart where it starts in the second string
   * @param secondEnd where it ends in the second string
   */
  public record Range(int firstStart, int firstEnd, int secondStart, int secondEnd) {
    public int length() {
      return firstEnd - firstStart + 1;
    }
  }

  private static final DataException TOO_LARGE =
      new DataException(
          "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len");

  /** Redis's table has 4 bytes a cell, and may not exceed the longest string. */
  private static final long CELLS_MAX = Strings.BYTES_MAX / 4;

  /** Refuses strings of these lengths if they are too long for the table. */
  static void requireRoom(int firstLength, int secondLength) {
    if ((firstLength + 1L) * (secondLength + 1L) > CELLS_MAX) {
      throw TOO_LARGE;
    }
  }

  /**
   * Finds it.
   *
   * @param lengthOnly whether nothing but the length is wanted
   * @throws DataException when the strings are too long for the table
   */
  public static CommonSubsequence of(Slice first, Slice second, boolean lengthOnly) {
    requireRoom(first.length(), second.length());
    Letters letters = new Letters(first, second);
    BitRows rises = new BitRows(lengthOnly ? 0 : first.length(), second.length());
    // Where a row does not rise. The first one is all zeroes.
    long[] flat = new long[letters.words];
    Arrays.fill(flat, -1);
    for (int i = 1; i <= first.length(); i++) {
      letters.advance(flat, at(first, i));
      if (!lengthOnly) {
        rises.set(i - 1, flat);
      }
    }
    int length = second.length();
    for (int word = 0; word < flat.length; word++) {
      length -= Long.bitCount(flat[word] & mask(second.length(), word));
    }
    return lengthOnly
        ? new CommonSubsequence(length, new byte[0], List.of())
        : walkBack(first, second, length, rises);
  }

  /** The bits of a word that stand for columns. */
  private static long mask(int columns, int word) {
    int its = columns - word * Long.SIZE;
    return its >= Long.SIZE ? -1 : (1L << its) - 1;
  }

  /** Where each letter of the first string is in the second, as bits. */
  private static final class Letters {
    final int words;
    private final int[] numbers = new int[256];
    private final long[] columns;

    Letters(Slice first, Slice second) {
      words = (second.length() + Long.SIZE - 1) / Long.SIZE;
      int count = 0;
      for (int i = 1; i <= first.length(); i++) {
        int letter = at(first, i) & 0xFF;
        if (numbers[letter] == 0) {
          numbers[letter] = ++count;
        }
      }
      columns = new long[count * words];
      for (int j = 0; j < second.length(); j++) {
        int number = numbers[at(second, j + 1) & 0xFF];
        if (number > 0) {
          columns[(number - 1) * words + j / Long.SIZE] |= 1L << j;
        }
      }
    }

    /** Goes on to the next row, that of a letter. */
    void advance(long[] flat, byte letter) {
      int from = (numbers[letter & 0xFF] - 1) * words;
      long carry = 0;
      for (int word = 0; word < words; word++) {
        long before = flat[word];
        long its = columns[from + word];
        long common = before & its;
        long sum = before + common + carry;
        carry = (common | (before & ~sum)) >>> (Long.SIZE - 1);
        flat[word] = sum | (before & ~its);
      }
    }
  }

  /** Rows of bits, one behind the other. */
  private static final class BitRows {
    private final int columns;
    private final long[] bits;

    BitRows(int rows, int columns) {
      this.columns = columns;
      this.bits = new long[(int) ((long) rows * columns / Long.SIZE) + 2];
    }

    /** Sets in a row what is not set in {@code inverse}. */
    void set(int row, long[] inverse) {
      long position = (long) row * columns;
      for (int word = 0; word < inverse.length; word++, position += Long.SIZE) {
        long its = ~inverse[word] & mask(columns, word);
        int at = (int) (position >>> 6);
        bits[at] |= its << position;
        // In two steps: a shift by 64 is none.
        bits[at + 1] |= its >>> 1 >>> ~position;
      }
    }

    boolean get(int row, int column) {
      long position = (long) row * columns + column;
      return (bits[(int) (position >>> 6)] & 1L << position) != 0;
    }
  }

  private static CommonSubsequence walkBack(Slice first, Slice second, int length, BitRows rises) {
    byte[] bytes = new byte[length];
    List<Range> ranges = new ArrayList<>();
    int left = length;
    int run = 0;
    int i = first.length();
    int j = second.length();
    while (i > 0 && j > 0) {
      if (at(first, i) == at(second, j)) {
        bytes[--left] = at(first, i);
        run++;
        i--;
        j--;
        if (i > 0 && j > 0) {
          continue;
        }
      }
      if (run > 0) {
        ranges.add(new Range(i, i + run - 1, j, j + run - 1));
        run = 0;
      }
      if (i > 0 && j > 0 && rises.get(i - 1, j - 1)) {
        i--;
      } else {
        j--;
      }
    }
    return new CommonSubsequence(length, bytes, ranges);
  }

  private static byte at(Slice string, int place) {
    return string.array()[string.offset() + place - 1];
  }
}
