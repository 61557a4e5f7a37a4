package dev.varve.codec.member;

/**
 * Walks over the members that all sets have. Where one set has a gap, all others skip it (leapfrog
 * join: Veldhuizen, 2014).
 */
final class IntersectionCursor extends MergeCursor {
  private boolean isStarted;

  IntersectionCursor(SortedCursor[] operands) {
    super(operands);
  }

  @Override
  public boolean next() {
    if (!isStarted) {
      isStarted = true;
      for (int i = 1; i < operands(); i++) {
        if (!operand(i).next()) {
          return false;
        }
      }
    }
    SortedCursor furthest = operand(0);
    if (!furthest.next()) {
      return false;
    }
    int agreeing = 1;
    for (int i = 1 % operands(); agreeing < operands(); i = (i + 1) % operands()) {
      SortedCursor operand = operand(i);
      if (!operand.advanceTo(furthest)) {
        return false;
      }
      if (operand.compareTo(furthest) == 0) {
        agreeing++;
      } else {
        furthest = operand;
        agreeing = 1;
      }
    }
    return true;
  }
}
