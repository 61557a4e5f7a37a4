package dev.varve.codec.member;

import java.util.PriorityQueue;

/** Walks over the members that at least one set has. */
final class UnionCursor extends MergeCursor {
  /** All operands that are on a member, that of the least one first. */
  private final PriorityQueue<SortedCursor> ahead;

  private boolean isStarted;

  UnionCursor(SortedCursor[] operands) {
    super(operands);
    ahead = new PriorityQueue<>(operands.length, SortedCursor::compareTo);
  }

  @Override
  public boolean next() {
    if (!isStarted) {
      isStarted = true;
      for (int i = 0; i < operands(); i++) {
        if (operand(i).next()) {
          ahead.add(operand(i));
        }
      }
    } else {
      step();
    }
    SortedCursor least = ahead.peek();
    if (least == null) {
      return false;
    }
    current(least);
    return true;
  }

  /** Moves all operands that are on the current member past it. */
  private void step() {
    SortedCursor least = ahead.poll();
    if (least == null) {
      return;
    }
    SortedCursor same = ahead.peek();
    while (same != null && same.compareTo(least) == 0) {
      ahead.poll();
      if (same.next()) {
        ahead.add(same);
      }
      same = ahead.peek();
    }
    if (least.next()) {
      ahead.add(least);
    }
  }
}
