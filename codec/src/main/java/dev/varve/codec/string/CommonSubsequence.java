package dev.varve.codec.string;

import dev.varve.codec.DataException;
import dev.varve.codec.format.Slice;
import java.util.ArrayList;
import java.util.BitSet;
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
   * The usual table of the longest subsequence of every two prefixes, filled row by row. The way back
   * needs only one bit of each cell: whether the row above had the longer one. So two rows of
   * lengths and the bits are kept, an 1/32 of what Redis holds.
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

  /**
   * Finds it.
   *
   * @param lengthOnly whether nothing but the length is wanted
   * @throws DataException when the strings are too long for the table
   */
  public static CommonSubsequence of(Slice first, Slice second, boolean lengthOnly) {
    int columns = second.length() + 1;
    if ((first.length() + 1L) * columns > CELLS_MAX) {
      throw TOO_LARGE;
    }
    BitSet fromAbove = new BitSet();
    int[] above = new int[columns];
    int[] row = new int[columns];
    for (int i = 1; i <= first.length(); i++) {
      byte a = at(first, i);
      for (int j = 1; j < columns; j++) {
        if (a == at(second, j)) {
          row[j] = above[j - 1] + 1;
        } else if (above[j] > row[j - 1]) {
          row[j] = above[j];
          if (!lengthOnly) {
            fromAbove.set(i * columns + j);
          }
        } else {
          row[j] = row[j - 1];
        }
      }
      int[] filled = row;
      row = above;
      above = filled;
    }
    int length = above[columns - 1];
    if (lengthOnly) {
      return new CommonSubsequence(length, new byte[0], List.of());
    }
    return walkBack(first, second, length, fromAbove);
  }

  private static CommonSubsequence walkBack(
      Slice first, Slice second, int length, BitSet fromAbove) {
    int columns = second.length() + 1;
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
      if (i > 0 && fromAbove.get(i * columns + j)) {
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
