package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.lua.value.NumberText;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a builtin, counted from 1, with the checks and messages that Lua's library has
 * for them.
 */
public final class LuaArgs {
  private final LuaState state;
  private final @Nullable Object[] values;

  LuaArgs(LuaState state, @Nullable Object[] values) {
    this.state = state;
    this.values = values;
  }

  public LuaState state() {
    return state;
  }

  public int count() {
    return values.length;
  }

  /** All of them, not to be written to. */
  public @Nullable Object[] all() {
    return values;
  }

  /** Nil where there is none. */
  public @Nullable Object get(int index) {
    return index <= values.length ? values[index - 1] : null;
  }

  public boolean isNone(int index) {
    return index > values.length;
  }

  /** Any value, nil included, but there must be one. */
  public @Nullable Object any(int index) {
    if (isNone(index)) {
      throw bad(index, "value expected");
    }
    return values[index - 1];
  }

  public LuaTable table(int index) {
    if (get(index) instanceof LuaTable table) {
      return table;
    }
    throw wrongType(index, "table");
  }

  public LuaFunction function(int index) {
    if (get(index) instanceof LuaFunction function) {
      return function;
    }
    throw wrongType(index, "function");
  }

  /** A string, or a number as text. */
  public LuaString string(int index) {
    Object value = get(index);
    if (value instanceof LuaString text) {
      return text;
    }
    if (value instanceof Double number) {
      return NumberText.write(number);
    }
    throw wrongType(index, "string");
  }

  public LuaString string(int index, LuaString otherwise) {
    return get(index) == null ? otherwise : string(index);
  }

  /** A number, or a string that says one. */
  public double number(int index) {
    Object value = get(index);
    if (value instanceof Double number) {
      return number;
    }
    if (value instanceof LuaString text) {
      Double read = NumberText.read(text);
      if (read != null) {
        return read;
      }
    }
    throw wrongType(index, "number");
  }

  /** A number without its fraction, as a C cast to 64 bits gives it on x86. */
  public long integer(int index) {
    return toLong(number(index));
  }

  public long integer(int index, long otherwise) {
    return get(index) == null ? otherwise : integer(index);
  }

  /** The low 32 bits of it, as C's int. */
  public int int32(int index) {
    return (int) integer(index);
  }

  public int int32(int index, int otherwise) {
    return get(index) == null ? otherwise : int32(index);
  }

  public static long toLong(double number) {
    // Out of range, the processor gives the least number; Java would give the nearest.
    return number >= -0x1p63 && number < 0x1p63 ? (long) number : Long.MIN_VALUE;
  }

  public LuaError wrongType(int index, String expected) {
    String got = isNone(index) ? "no value" : Operations.typeName(get(index));
    return bad(index, expected + " expected, got " + got);
  }

  /** "bad argument #index to 'function' (what)". */
  public LuaError bad(int index, String what) {
    return state.badArgument(index, what);
  }
}
