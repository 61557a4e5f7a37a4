package dev.varve.codec.list;

import dev.varve.codec.ListEnds;
import dev.varve.codec.ListGaps;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import java.util.Arrays;

/**
 * Edits in the middle of a spread list, which move few elements: what is removed leaves a gap, and
 * what is inserted takes the one that is nearest.
 *
 * <p>Pure functions of a transaction.
 */
final class ListShifts {
  /*
   * Where a list has more runs of gaps than its meta value may name, the two that are nearest to each
   * other become one: the elements between them move, a sixty-fourth of the list at most, and much
   * fewer where gaps are anywhere. Where an insertion finds no gap near, it has to move many elements,
   * and on that way opens gaps for some hundred others.
   */

  /** Gaps with so few elements between them, or between them and an end, become one at once. */
  private static final int MOVED_FEW = 32;

  /** Of many more runs than may stay it is not worth while to look for the nearest. */
  private static final int RUNS_JOINED_MAX = 2 * ListGaps.RUNS_MAX;

  /** An insertion that moves more opens gaps on its way, if it is also much of the list. */
  private static final int MOVED_WITHOUT_OPENING = 128;

  /** As many runs as leave the other side as many. */
  private static final int OPENED_RUNS_MAX = ListGaps.RUNS_MAX / 2;

  private static final int OPENED_RUN_LENGTH = 64;

  private ListShifts() {}

  /** Puts an element before the one at {@code index}, or at the tail if that is the size. */
  static void insert(ListTable table, long index, byte[] element) {
    Meta meta = table.meta();
    ListEnds ends = meta.ends();
    ListGaps gaps = ends.gaps();
    long behind = ends.position(index);
    int above = gaps.runsBelow(behind);
    long lower = above > 0 ? gaps.end(above - 1) - 1 : ends.head() - 1;
    long upper = above < gaps.runs() ? gaps.start(above) : ends.tail();
    long down = behind - 1 - lower;
    long up = upper - behind;
    long few = Math.max(MOVED_WITHOUT_OPENING, table.size() / OPENED_RUNS_MAX);
    long place;
    if (Math.min(down, up) > few) {
      place = open(table, index, behind);
    } else if (down < up) {
      place = behind - 1;
      shift(table, lower + 1, down, -1);
      ends.set(Math.min(lower, ends.head()), ends.tail(), gaps.without(lower, lower + 1));
    } else {
      place = behind;
      shift(table, upper - 1, up, 1);
      ends.set(ends.head(), Math.max(upper + 1, ends.tail()), gaps.without(upper, upper + 1));
    }
    table.transaction().put(table.keys().element(place), element);
    meta.add(1, element.length);
    joinNearest(table);
  }

  /**
   * Moves {@code count} neighbours by so many positions: from {@code position} on upwards when they
   * move down, from there on downwards when they move up, so that each has left before another
   * comes.
   */
  private static void shift(ListTable table, long position, long count, long by) {
    Transaction transaction = table.transaction();
    CollectionKeys keys = table.keys();
    boolean isDown = by < 0;
    try (SpreadListCursor moving = table.walk(position, count, isDown)) {
      for (long to = position + by; moving.next(); to += isDown ? 1 : -1) {
        transaction.put(keys.element(to), moving.bytes());
      }
    }
  }

  /**
   * Makes room before the element at {@code index}, whose position is {@code behind}: all elements
   * of the shorter side move outwards, the outermost first, each so far that gaps lie evenly among
   * them, and at least as many between it and the room as were there. Returns the position of the
   * room.
   */
  private static long open(ListTable table, long index, long behind) {
    ListEnds ends = table.meta().ends();
    boolean isDown = index < table.size() - index;
    long count = isDown ? index : table.size() - index;
    long outermost = isDown ? ends.head() : ends.tail() - 1;
    long room = isDown ? behind - 1 : behind;
    int outwards = isDown ? -1 : 1;
    ListGaps others =
        isDown ? ends.gaps().within(behind, ends.tail()) : ends.gaps().within(ends.head(), behind);
    long runs = Math.min(OPENED_RUNS_MAX, count / MOVED_WITHOUT_OPENING);
    OpenedGaps opened = new OpenedGaps(table, others, outwards);
    try (SpreadListCursor moving = table.walk(outermost, count, isDown)) {
      for (long passed = 0; moving.next(); passed++) {
        long left = count - passed;
        long distance = isDown ? behind - moving.position() : moving.position() - behind + 1;
        long runsLeft = runs - passed * (runs + 1) / count;
        long gapsLeft = Math.max(distance - left, OPENED_RUN_LENGTH * runsLeft);
        long to = room + outwards * (left + gapsLeft);
        opened.until(to);
        table.transaction().put(table.keys().element(to), moving.bytes());
      }
    }
    opened.until(room);
    if (isDown) {
      ends.set(opened.outermost, ends.tail(), opened.gaps);
    } else {
      ends.set(ends.head(), opened.outermost + 1, opened.gaps);
    }
    return room;
  }

  /** The gaps that elements which move outwards leave between them, and others. */
  private static final class OpenedGaps {
    private final ListTable table;
    private final ListGaps before;
    private final int outwards;
    private ListGaps gaps;
    private boolean isBegun;
    private long outermost;
    private long last;

    OpenedGaps(ListTable table, ListGaps others, int outwards) {
      this.table = table;
      this.before = table.meta().ends().gaps();
      this.gaps = others;
      this.outwards = outwards;
    }

    /** The next element goes to this position. */
    void until(long position) {
      if (isBegun) {
        long low = Math.min(last, position) + 1;
        long high = Math.max(last, position);
        gaps = gaps.with(low, high);
        delete(table, before, low, high);
      } else {
        isBegun = true;
        outermost = position;
      }
      last = position;
    }
  }

  /** Deletes what may be stored from a position up to another, which was not so {@code before}. */
  private static void delete(ListTable table, ListGaps before, long from, long to) {
    for (long position = from; position < to; position++) {
      if (!before.has(position)) {
        table.transaction().delete(table.keys().element(position));
      }
    }
  }

  /**
   * Removes the elements at these indexes.
   *
   * @param indexes in ascending order, not those of all elements
   * @param bytes how many bytes they have together
   */
  static void remove(ListTable table, long[] indexes, long bytes) {
    Meta meta = table.meta();
    ListEnds ends = meta.ends();
    long[] removed = Arrays.stream(indexes).map(ends::position).toArray();
    ListGaps missing = ends.gaps().withAll(removed);
    // With more gaps than elements it takes as long as many removals did to close them all.
    if (missing.runs() > RUNS_JOINED_MAX || missing.total() > table.size()) {
      close(table, missing);
    } else {
      ends.set(ends.head(), ends.tail(), missing);
      for (long position : removed) {
        if (ends.head() < position && position < ends.tail()) {
          table.transaction().delete(table.keys().element(position));
        }
      }
      joinNearest(table);
    }
    meta.add(-indexes.length, -bytes);
  }

  /** Joins runs of gaps until they are few, and none is near another or an end. */
  private static void joinNearest(ListTable table) {
    ListEnds ends = table.meta().ends();
    while (ends.gaps().runs() > 0) {
      ListGaps gaps = ends.gaps();
      int nearest = 0;
      for (int run = 1; run <= gaps.runs(); run++) {
        if (elementsBefore(ends, gaps, run) < elementsBefore(ends, gaps, nearest)) {
          nearest = run;
        }
      }
      long between = elementsBefore(ends, gaps, nearest);
      if (between > MOVED_FEW && gaps.runs() <= ListGaps.RUNS_MAX) {
        return;
      }
      join(table, nearest, between);
    }
  }

  /** How many elements are behind the run before this one, and before this one. */
  private static long elementsBefore(ListEnds ends, ListGaps gaps, int run) {
    long start = run == 0 ? ends.head() : gaps.end(run - 1);
    long end = run == gaps.runs() ? ends.tail() : gaps.start(run);
    return end - start;
  }

  /** Moves what is between a run of gaps and the one before, or an end. */
  private static void join(ListTable table, int run, long between) {
    ListEnds ends = table.meta().ends();
    ListGaps gaps = ends.gaps();
    if (run == 0) {
      long length = gaps.end(0) - gaps.start(0);
      long head = ends.head();
      shift(table, gaps.start(0) - 1, between, length);
      ends.set(head + length, ends.tail(), gaps.without(gaps.start(0), gaps.end(0)));
      deleteBeyondReach(table, head, head + Math.min(length, between));
      return;
    }
    long start = gaps.start(run - 1);
    long end = gaps.end(run - 1);
    shift(table, end, between, start - end);
    if (run == gaps.runs()) {
      long tail = ends.tail();
      ends.set(ends.head(), start + between, gaps.without(start, end));
      deleteBeyondReach(table, tail - Math.min(end - start, between), tail);
      return;
    }
    delete(table, gaps, start + between, end + between);
    ListGaps left = gaps.without(start, end).with(start + between, end + between);
    ends.set(ends.head(), ends.tail(), left);
  }

  /**
   * Deletes what an edit has written on its way, further out than the list has ever been, and what
   * nobody would look for there.
   */
  private static void deleteBeyondReach(ListTable table, long from, long to) {
    for (long position = from; position < to; position++) {
      if (!table.meta().ends().isWithinReach(position)) {
        table.transaction().delete(table.keys().element(position));
      }
    }
  }

  /**
   * Closes all gaps. The longest run of elements between two of them stays where it is; those
   * before it move up, those after it move down.
   *
   * @param missing the gaps, and the positions of elements that are to go
   */
  private static void close(ListTable table, ListGaps missing) {
    ListEnds ends = table.meta().ends();
    int longest = 0;
    for (int run = 1; run <= missing.runs(); run++) {
      if (elementsBefore(ends, missing, run) > elementsBefore(ends, missing, longest)) {
        longest = run;
      }
    }
    boolean isFirst = longest == 0;
    boolean isLast = longest == missing.runs();
    long head = isFirst ? ends.head() : close(table, missing, missing.end(longest - 1) - 1, -1) + 1;
    long tail = isLast ? ends.tail() : close(table, missing, missing.start(longest), 1);
    ends.set(head, tail, ListGaps.NONE);
  }

  /**
   * Moves all elements that are in one direction from a missing position up to there, one beside
   * the other; returns the position that the next one would go to.
   *
   * @param outwards in which direction they are: -1 towards the head, 1 towards the tail
   */
  private static long close(ListTable table, ListGaps missing, long from, int outwards) {
    ListEnds ends = table.meta().ends();
    boolean isForward = outwards > 0;
    long before = ends.index(from);
    long first = ends.position(isForward ? before : before - 1);
    long count = isForward ? table.size() - before : before;
    long to = from;
    try (SpreadListCursor moving = table.walk(first, count, isForward)) {
      while (moving.next()) {
        if (!missing.has(moving.position())) {
          table.transaction().put(table.keys().element(to), moving.bytes());
          to += outwards;
        }
      }
    }
    return to;
  }
}
