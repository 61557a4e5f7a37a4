package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.Builtin;
import dev.varve.server.lua.run.LuaArgs;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Results;
import dev.varve.server.lua.value.LuaString;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/** The table {@code math}. */
public final class MathLibrary {
  private static final double DEGREE = Math.PI / 180;
  private static final double TWO_TO_54 = 0x1p54;

  private MathLibrary() {}

  /**
   * @param random the numbers that scripts take for random
   */
  public static void register(LuaState state, ScriptRandom random) {
    Library library = Library.named(state, "math", 28);
    library
        .add("abs", of(Math::abs))
        .add("acos", of(number -> number < -1 || number > 1 ? Double.NaN : Math.acos(number)))
        .add("asin", of(number -> number < -1 || number > 1 ? Double.NaN : Math.asin(number)))
        .add("atan2", of(Math::atan2))
        .add("atan", of(Math::atan))
        .add("ceil", of(Math::ceil))
        .add("cosh", of(Math::cosh))
        .add("cos", of(Math::cos))
        .add("deg", of(number -> number / DEGREE))
        .add("exp", of(Math::exp))
        .add("floor", of(Math::floor))
        .add("fmod", of((a, b) -> a % b))
        .add("frexp", MathLibrary::frexp)
        .add("ldexp", of((a, b) -> Math.scalb(a, (int) LuaArgs.toLong(b))))
        .add("log10", of(number -> number < 0 ? Double.NaN : Math.log10(number)))
        .add("log", of(Math::log))
        .add("max", args -> extreme(args, 1))
        .add("min", args -> extreme(args, -1))
        .add("modf", MathLibrary::modf)
        .add("pow", of(Math::pow))
        .add("rad", of(number -> number * DEGREE))
        .add("random", args -> random(args, random))
        .add(
            "randomseed",
            args -> {
              random.seed(args.int32(1));
              return Results.NONE;
            })
        .add("sinh", of(Math::sinh))
        .add("sin", of(Math::sin))
        .add("sqrt", of(Math::sqrt))
        .add("tanh", of(Math::tanh))
        .add("tan", of(Math::tan))
        .set("pi", Math.PI)
        .set("huge", Double.POSITIVE_INFINITY);
    Object fmod = library.table().get(LuaString.of("fmod"));
    if (fmod != null) {
      library.set("mod", fmod);
    }
  }

  private static Builtin.Body of(DoubleUnaryOperator function) {
    return args -> function.applyAsDouble(args.number(1));
  }

  /* The second argument is the first that is looked at, as C compilers have it. */
  private static Builtin.Body of(DoubleBinaryOperator function) {
    return args -> {
      double second = args.number(2);
      return function.applyAsDouble(args.number(1), second);
    };
  }

  private static Object extreme(LuaArgs args, int direction) {
    double found = args.number(1);
    for (int i = 2; i <= args.count(); i++) {
      double other = args.number(i);
      if (direction > 0 ? other > found : other < found) {
        found = other;
      }
    }
    return found;
  }

  /** The number as a fraction from 0.5 on and below 1, and a power of two. */
  private static Object frexp(LuaArgs args) {
    double number = args.number(1);
    if (number == 0 || !Double.isFinite(number)) {
      return Results.of(number, 0.0);
    }
    int less = 0;
    if (Math.abs(number) < Double.MIN_NORMAL) {
      number *= TWO_TO_54;
      less = 54;
    }
    int exponent = Math.getExponent(number) + 1;
    return Results.of(Math.scalb(number, -exponent), (double) (exponent - less));
  }

  private static Object modf(LuaArgs args) {
    double number = args.number(1);
    double whole = number < 0 ? Math.ceil(number) : Math.floor(number);
    double rest = Double.isInfinite(number) ? Math.copySign(0, number) : number - whole;
    return Results.of(whole, Math.copySign(rest, number));
  }

  private static Object random(LuaArgs args, ScriptRandom random) {
    double fraction = random.nextFraction();
    switch (args.count()) {
      case 0 -> {
        return fraction;
      }
      case 1 -> {
        int last = args.int32(1);
        if (last < 1) {
          throw args.bad(1, "interval is empty");
        }
        return Math.floor(fraction * last) + 1;
      }
      case 2 -> {
        int first = args.int32(1);
        int last = args.int32(2);
        if (first > last) {
          throw args.bad(2, "interval is empty");
        }
        return Math.floor(fraction * (last - first + 1)) + first;
      }
      default -> throw args.state().error("wrong number of arguments");
    }
  }
}
