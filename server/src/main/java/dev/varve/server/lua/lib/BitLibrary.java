package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.Builtin;
import dev.varve.server.lua.run.LuaArgs;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.value.LuaString;
import java.util.Locale;
import java.util.function.IntBinaryOperator;

/** The table {@code bit}: operations on 32 bits. */
public final class BitLibrary {
  /** Added to a double, this leaves its whole part modulo 2^32 in the low bits of the mantissa. */
  private static final double ROUNDING = 6755399441055744.0;

  private static final int SHIFT_MASK = 31;
  private static final int HEX_DIGITS = 8;

  private BitLibrary() {}

  public static void register(LuaState state) {
    Library.named(state, "bit", 12)
        .add("tobit", args -> (double) bits(args, 1))
        .add("bnot", args -> (double) ~bits(args, 1))
        .add("band", folding((a, b) -> a & b))
        .add("bor", folding((a, b) -> a | b))
        .add("bxor", folding((a, b) -> a ^ b))
        .add("lshift", shifting((number, by) -> number << by))
        .add("rshift", shifting((number, by) -> number >>> by))
        .add("arshift", shifting((number, by) -> number >> by))
        .add("rol", shifting(Integer::rotateLeft))
        .add("ror", shifting(Integer::rotateRight))
        .add("bswap", args -> (double) Integer.reverseBytes(bits(args, 1)))
        .add("tohex", BitLibrary::toHex);
  }

  private static int bits(LuaArgs args, int index) {
    return (int) Double.doubleToRawLongBits(args.number(index) + ROUNDING);
  }

  private static Builtin.Body folding(IntBinaryOperator operator) {
    return args -> {
      int folded = bits(args, 1);
      for (int i = args.count(); i > 1; i--) {
        folded = operator.applyAsInt(folded, bits(args, i));
      }
      return (double) folded;
    };
  }

  private static Builtin.Body shifting(IntBinaryOperator operator) {
    return args -> {
      int number = bits(args, 1);
      return (double) operator.applyAsInt(number, bits(args, 2) & SHIFT_MASK);
    };
  }

  private static Object toHex(LuaArgs args) {
    int number = bits(args, 1);
    int digits = args.isNone(2) ? HEX_DIGITS : bits(args, 2);
    boolean upper = digits < 0;
    digits = digits == Integer.MIN_VALUE ? HEX_DIGITS : Math.min(Math.abs(digits), HEX_DIGITS);
    String text = String.format(Locale.ROOT, upper ? "%08X" : "%08x", number);
    args.state().chargeString(digits);
    return LuaString.of(text.substring(HEX_DIGITS - digits));
  }
}
