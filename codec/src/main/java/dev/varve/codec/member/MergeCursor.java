package dev.varve.codec.member;

/** A walk over what is made of several sorted walks; it closes them. */
abstract class MergeCursor extends MemberCursor {
  private final SortedCursor[] operands;
  private SortedCursor current;

  /** At least one operand, none of them on a member yet. */
  MergeCursor(SortedCursor[] operands) {
    this.operands = operands;
    this.current = operands[0];
  }

  final SortedCursor operand(int index) {
    return operands[index];
  }

  final int operands() {
    return operands.length;
  }

  /** Says which operand is on the member that this is on. */
  final void current(SortedCursor operand) {
    current = operand;
  }

  @Override
  public final long count() {
    return UNKNOWN;
  }

  @Override
  public final byte[] array() {
    return current.array();
  }

  @Override
  public final int offset() {
    return current.offset();
  }

  @Override
  public final int length() {
    return current.length();
  }

  @Override
  public final void close() {
    for (SortedCursor operand : operands) {
      operand.close();
    }
  }
}
