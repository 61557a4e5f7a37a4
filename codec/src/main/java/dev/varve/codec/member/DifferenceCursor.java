package dev.varve.codec.member;

/** Walks over the members that the first set has and no other one. */
final class DifferenceCursor extends MergeCursor {
  private final boolean[] isPresent;
  private boolean isStarted;

  DifferenceCursor(SortedCursor[] operands) {
    super(operands);
    isPresent = new boolean[operands.length];
  }

  @Override
  public boolean next() {
    if (!isStarted) {
      isStarted = true;
      for (int i = 1; i < operands(); i++) {
        isPresent[i] = operand(i).next();
      }
    }
    SortedCursor first = operand(0);
    while (first.next()) {
      if (!isInAnother(first)) {
        return true;
      }
    }
    return false;
  }

  private boolean isInAnother(SortedCursor first) {
    for (int i = 1; i < operands(); i++) {
      if (isPresent[i]) {
        isPresent[i] = operand(i).advanceTo(first);
        if (isPresent[i] && operand(i).compareTo(first) == 0) {
          return true;
        }
      }
    }
    return false;
  }
}
