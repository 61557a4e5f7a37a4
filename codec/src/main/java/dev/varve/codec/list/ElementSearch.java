package dev.varve.codec.list;

import dev.varve.codec.member.MemberCursor;
import java.util.Arrays;

/**
 * A search for the elements of a list that equal one, which are handed to it in order.
 *
 * <p>Single-threaded.
 */
final class ElementSearch implements MemberCursor.Visitor {
  private static final int FIRST_FOUND = 8;

  /*
   * Elements are handed over some at a time, which takes a fraction of what a step for each does. The
   * first few come alone, for what is searched for often is near.
   */
  private static final long HANDED_FIRST = 16;

  private static final long HANDED_MAX = 512;

  private final byte[] element;
  private final long rank;
  private final long countMax;
  private long[] found = new long[FIRST_FOUND];
  private int count;
  private long matches;
  private long looks;

  /**
   * @param rank which match is the first to be found, from 1 on
   * @param countMax how many to find at most, or 0 for all
   */
  ElementSearch(byte[] element, long rank, long countMax) {
    this.element = element;
    this.rank = rank;
    this.countMax = countMax;
  }

  /** Looks at so many elements at most; returns how many were before each that was found. */
  long[] run(MemberCursor cursor, long looksMax) {
    long some = HANDED_FIRST;
    while (looks < looksMax && !isDone()) {
      cursor.hand(Math.min(some, looksMax - looks), this);
      some = Math.min(2 * some, HANDED_MAX);
    }
    return Arrays.copyOf(found, count);
  }

  private boolean isDone() {
    return countMax > 0 && count == countMax;
  }

  @Override
  public void member(byte[] array, int offset, int length) {
    long look = looks++;
    boolean isMatch =
        length == element.length
            && Arrays.equals(array, offset, offset + length, element, 0, length);
    if (!isMatch || ++matches < rank || isDone()) {
      return;
    }
    if (count == found.length) {
      found = Arrays.copyOf(found, 2 * count);
    }
    found[count++] = look;
  }
}
