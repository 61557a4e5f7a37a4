package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaString;
import org.jspecify.annotations.Nullable;

/** Operators on numbers. */
final class ArithmeticNodes {
  private static final LuaString ADD = LuaString.of("__add");
  private static final LuaString SUB = LuaString.of("__sub");
  private static final LuaString MUL = LuaString.of("__mul");
  private static final LuaString DIV = LuaString.of("__div");
  private static final LuaString MOD = LuaString.of("__mod");
  private static final LuaString POW = LuaString.of("__pow");
  private static final LuaString UNM = LuaString.of("__unm");

  private ArithmeticNodes() {}

  /** As Lua 5.1 has it: the sign is the divisor's. */
  static double modulo(double left, double right) {
    return left - Math.floor(left / right) * right;
  }

  /** As C's pow, which Java's differs from where one is to the power of what is no number. */
  static double power(double left, double right) {
    if (right == 2) {
      return left * left;
    }
    if (left == 1 || (left == -1 && Double.isInfinite(right))) {
      return 1;
    }
    return Math.pow(left, right);
  }

  /** Two operands, either of which may turn out to be no number. */
  abstract static class Binary extends Expr {
    final Expr left;
    final Expr right;

    Binary(Expr left, Expr right, int line) {
      super(line);
      this.left = left;
      this.right = right;
    }

    abstract double apply(double left, double right);

    abstract LuaString event();

    final @Nullable Object slow(Frame frame, @Nullable Object a, @Nullable Object b) {
      Double x = Operations.numberOrNull(a);
      Double y = Operations.numberOrNull(b);
      if (x != null && y != null) {
        return apply(x, y);
      }
      Object result = Operations.arithmeticHandler(frame.state, this, event(), a, b);
      if (result == this) {
        boolean second = x != null;
        throw Operations.typeError(
            frame.state, this, second ? right : left, second ? b : a, "perform arithmetic on");
      }
      return result;
    }
  }

  /** a + b. */
  static final class Add extends Binary {
    Add(Expr left, Expr right, int line) {
      super(left, right, line);
    }

    @Override
    @Nullable Object eval(Frame frame) {
      Object a = left.eval(frame);
      Object b = right.eval(frame);
      return a instanceof Double x && b instanceof Double y ? (Object) (x + y) : slow(frame, a, b);
    }

    @Override
    double apply(double left, double right) {
      return left + right;
    }

    @Override
    LuaString event() {
      return ADD;
    }
  }

  /** a - b. */
  static final class Subtract extends Binary {
    Subtract(Expr left, Expr right, int line) {
      super(left, right, line);
    }

    @Override
    @Nullable Object eval(Frame frame) {
      Object a = left.eval(frame);
      Object b = right.eval(frame);
      return a instanceof Double x && b instanceof Double y ? (Object) (x - y) : slow(frame, a, b);
    }

    @Override
    double apply(double left, double right) {
      return left - right;
    }

    @Override
    LuaString event() {
      return SUB;
    }
  }

  /** a * b. */
  static final class Multiply extends Binary {
    Multiply(Expr left, Expr right, int line) {
      super(left, right, line);
    }

    @Override
    @Nullable Object eval(Frame frame) {
      Object a = left.eval(frame);
      Object b = right.eval(frame);
      return a instanceof Double x && b instanceof Double y ? (Object) (x * y) : slow(frame, a, b);
    }

    @Override
    double apply(double left, double right) {
      return left * right;
    }

    @Override
    LuaString event() {
      return MUL;
    }
  }

  /** a / b. */
  static final class Divide extends Binary {
    Divide(Expr left, Expr right, int line) {
      super(left, right, line);
    }

    @Override
    @Nullable Object eval(Frame frame) {
      Object a = left.eval(frame);
      Object b = right.eval(frame);
      return a instanceof Double x && b instanceof Double y
          ? (Object) apply(x, y)
          : slow(frame, a, b);
    }

    /* What is no number comes out of an x86 processor with its sign set, and prints as "-nan". */
    @Override
    double apply(double left, double right) {
      double quotient = left / right;
      return Double.isNaN(quotient) ? notANumber(left, right) : quotient;
    }

    @Override
    LuaString event() {
      return DIV;
    }
  }

  /** a % b. */
  static final class Modulo extends Binary {
    Modulo(Expr left, Expr right, int line) {
      super(left, right, line);
    }

    @Override
    @Nullable Object eval(Frame frame) {
      Object a = left.eval(frame);
      Object b = right.eval(frame);
      return a instanceof Double x && b instanceof Double y
          ? (Object) apply(x, y)
          : slow(frame, a, b);
    }

    @Override
    double apply(double left, double right) {
      return modulo(left, right);
    }

    @Override
    LuaString event() {
      return MOD;
    }
  }

  /** a ^ b. */
  static final class Power extends Binary {
    Power(Expr left, Expr right, int line) {
      super(left, right, line);
    }

    @Override
    @Nullable Object eval(Frame frame) {
      Object a = left.eval(frame);
      Object b = right.eval(frame);
      return a instanceof Double x && b instanceof Double y
          ? (Object) power(x, y)
          : slow(frame, a, b);
    }

    @Override
    double apply(double left, double right) {
      return power(left, right);
    }

    @Override
    LuaString event() {
      return POW;
    }
  }

  /** -a. */
  static final class Minus extends Expr {
    private final Expr operand;

    Minus(Expr operand, int line) {
      super(line);
      this.operand = operand;
    }

    @Override
    @Nullable Object eval(Frame frame) {
      Object value = operand.eval(frame);
      if (value instanceof Double number) {
        return -number;
      }
      Double read = Operations.numberOrNull(value);
      if (read != null) {
        return -read;
      }
      Object result = Operations.arithmeticHandler(frame.state, this, UNM, value, value);
      if (result == this) {
        throw Operations.typeError(frame.state, this, operand, value, "perform arithmetic on");
      }
      return result;
    }
  }

  private static final double NEGATIVE_NAN = Double.longBitsToDouble(0xFFF8000000000000L);

  /** A NaN that was there before goes on as it is; a new one is negative. */
  private static double notANumber(double left, double right) {
    if (Double.isNaN(left)) {
      return left;
    }
    return Double.isNaN(right) ? right : NEGATIVE_NAN;
  }
}
