package dev.varve.server.lua.run;

import org.jspecify.annotations.Nullable;

/** Comparisons, and, or, not. */
final class LogicNodes {
  private LogicNodes() {}

  /** What is true or false. */
  abstract static class Condition extends Expr {
    Condition(int line) {
      super(line);
    }

    @Override
    abstract boolean test(Frame frame);

    @Override
    final Object eval(Frame frame) {
      return test(frame) ? Boolean.TRUE : Boolean.FALSE;
    }
  }

  /** a == b. */
  static final class Equal extends Condition {
    private final Expr left;
    private final Expr right;

    Equal(Expr left, Expr right, int line) {
      super(line);
      this.left = left;
      this.right = right;
    }

    @Override
    boolean test(Frame frame) {
      Object a = left.eval(frame);
      Object b = right.eval(frame);
      if (a instanceof Double x && b instanceof Double y) {
        return x.doubleValue() == y.doubleValue();
      }
      return a == b || Operations.equal(frame.state, this, a, b);
    }
  }

  /** a < b; and, its operands the other way round, a > b. */
  static final class Less extends Condition {
    private final Expr left;
    private final Expr right;
    private final boolean swapped;

    Less(Expr left, Expr right, boolean swapped, int line) {
      super(line);
      this.left = left;
      this.right = right;
      this.swapped = swapped;
    }

    @Override
    boolean test(Frame frame) {
      Object a = left.eval(frame);
      Object b = right.eval(frame);
      if (a instanceof Double x && b instanceof Double y) {
        return swapped ? y < x : x < y;
      }
      return swapped
          ? Operations.less(frame.state, this, b, a)
          : Operations.less(frame.state, this, a, b);
    }
  }

  /** a <= b; and, its operands the other way round, a >= b. */
  static final class LessOrEqual extends Condition {
    private final Expr left;
    private final Expr right;
    private final boolean swapped;

    LessOrEqual(Expr left, Expr right, boolean swapped, int line) {
      super(line);
      this.left = left;
      this.right = right;
      this.swapped = swapped;
    }

    @Override
    boolean test(Frame frame) {
      Object a = left.eval(frame);
      Object b = right.eval(frame);
      if (a instanceof Double x && b instanceof Double y) {
        return swapped ? y <= x : x <= y;
      }
      return swapped
          ? Operations.lessOrEqual(frame.state, this, b, a)
          : Operations.lessOrEqual(frame.state, this, a, b);
    }
  }

  /** not a. */
  static final class Not extends Condition {
    private final Expr operand;

    Not(Expr operand) {
      super(0);
      this.operand = operand;
    }

    @Override
    boolean test(Frame frame) {
      return !operand.test(frame);
    }
  }

  /** Two operands, of which the right one counts if the left one is {@code goesOn}. */
  abstract static class Joined extends Expr {
    final Expr left;
    final Expr right;
    final boolean goesOn;

    Joined(Expr left, Expr right, boolean goesOn) {
      super(0);
      this.left = left;
      this.right = right;
      this.goesOn = goesOn;
    }
  }

  /** a and b. */
  static final class And extends Joined {
    And(Expr left, Expr right) {
      super(left, right, true);
    }

    @Override
    @Nullable Object eval(Frame frame) {
      Object value = left.eval(frame);
      return Operations.truth(value) ? right.eval(frame) : value;
    }

    @Override
    boolean test(Frame frame) {
      return left.test(frame) && right.test(frame);
    }
  }

  /**
   * One and then the other, which has the value: what is left of an "and" or "or" in some cases.
   */
  static final class Then extends Expr {
    private final Expr first;
    private final Expr second;

    Then(Expr first, Expr second) {
      super(0);
      this.first = first;
      this.second = second;
    }

    @Override
    @Nullable Object eval(Frame frame) {
      first.test(frame);
      return second.eval(frame);
    }

    @Override
    @Nullable String kind() {
      return second.kind();
    }

    @Override
    String name() {
      return second.name();
    }
  }

  /** a or b. */
  static final class Or extends Joined {
    Or(Expr left, Expr right) {
      super(left, right, false);
    }

    @Override
    @Nullable Object eval(Frame frame) {
      Object value = left.eval(frame);
      return Operations.truth(value) ? value : right.eval(frame);
    }

    @Override
    boolean test(Frame frame) {
      return left.test(frame) || right.test(frame);
    }
  }

  /** #a. */
  static final class Length extends Expr {
    private final Expr operand;

    Length(Expr operand, int line) {
      super(line);
      this.operand = operand;
    }

    @Override
    @Nullable Object eval(Frame frame) {
      return Operations.length(frame.state, this, operand, operand.eval(frame));
    }
  }
}
