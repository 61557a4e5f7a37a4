package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.lua.value.NumberText;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What operators do with values of any type, metatables included.
 *
 * <p>The parameter {@code at} is the node that asks, or null for a builtin, whose errors have no
 * place. Used by the thread that has the state.
 */
public final class Operations {
  private static final LuaString INDEX = LuaString.of("__index");
  private static final LuaString NEWINDEX = LuaString.of("__newindex");
  private static final LuaString CALL = LuaString.of("__call");
  private static final LuaString CONCAT = LuaString.of("__concat");
  private static final LuaString EQ = LuaString.of("__eq");
  private static final LuaString LT = LuaString.of("__lt");
  private static final LuaString LE = LuaString.of("__le");
  private static final LuaString TOSTRING = LuaString.of("__tostring");

  private static final Map<String, LuaString> TYPE_TEXTS =
      Stream.of("nil", "string", "number", "table", "boolean", "function", "thread", "userdata")
          .collect(Collectors.toUnmodifiableMap(name -> name, LuaString::of));

  /** What a number, or a value that has no text of its own, takes as text at most. */
  private static final int SHORT_TEXT_BYTES = 32;

  /** Metatables that refer to each other are followed so far. */
  private static final int CHAIN_MAX = 100;

  private static final String READ_ONLY = "Attempt to modify a readonly table";

  private Operations() {}

  // ---- Types and text

  public static String typeName(@Nullable Object value) {
    if (value == null) {
      return "nil";
    } else if (value instanceof LuaString) {
      return "string";
    } else if (value instanceof Double) {
      return "number";
    } else if (value instanceof LuaTable) {
      return "table";
    } else if (value instanceof Boolean) {
      return "boolean";
    } else if (value instanceof LuaFunction) {
      return "function";
    }
    return value instanceof Coroutine ? "thread" : "userdata";
  }

  /** The name of a value's type as a value: always the same string, which nobody pays for. */
  public static LuaString typeText(@Nullable Object value) {
    String name = typeName(value);
    LuaString text = TYPE_TEXTS.get(name);
    return text == null ? LuaString.of(name) : text;
  }

  /** A string or a number as a string; null for anything else. */
  static @Nullable LuaString textOrNull(@Nullable Object value) {
    if (value instanceof LuaString text) {
      return text;
    }
    return value instanceof Double number ? NumberText.write(number) : null;
  }

  /** As {@code tostring} gives it, without a look at the metatable. */
  public static LuaString text(@Nullable Object value) {
    LuaString text = textOrNull(value);
    if (text != null) {
      return text;
    }
    if (value == null || value instanceof Boolean) {
      return LuaString.of(value == null ? "nil" : value.toString());
    }
    if (value instanceof Userdata userdata) {
      return LuaString.of(userdata.shown());
    }
    return LuaString.of(
        String.format(Locale.ROOT, "%s: 0x%012x", typeName(value), System.identityHashCode(value)));
  }

  /** As {@code tostring} gives it. */
  public static @Nullable Object toText(LuaState state, @Nullable Object value) {
    Object handler = metamethod(state, value, TOSTRING);
    if (handler != null) {
      Object text = Results.first(state.callback(handler, value));
      return text;
    }
    if (!(value instanceof LuaString)) {
      state.chargeString(SHORT_TEXT_BYTES);
    }
    return text(value);
  }

  /** A number, or a string that says one; null for anything else. */
  static @Nullable Double numberOrNull(@Nullable Object value) {
    if (value instanceof Double number) {
      return number;
    }
    return value instanceof LuaString text ? NumberText.read(text) : null;
  }

  public static @Nullable LuaTable metatable(LuaState state, @Nullable Object value) {
    if (value instanceof LuaTable table) {
      return table.metatable();
    }
    return value instanceof LuaString ? state.stringMetatable() : null;
  }

  static @Nullable Object metamethod(LuaState state, @Nullable Object value, LuaString event) {
    LuaTable metatable = metatable(state, value);
    return metatable == null ? null : metatable.get(event);
  }

  public static boolean rawEquals(@Nullable Object left, @Nullable Object right) {
    if (left == right) {
      return !(left instanceof Double number) || !number.isNaN();
    }
    if (left instanceof Double a) {
      return right instanceof Double b && a.doubleValue() == b.doubleValue();
    }
    return left instanceof LuaString && left.equals(right);
  }

  // ---- Errors

  /** "attempt to (do) local 'x' (a nil value)", with the variable where the node knows it. */
  static LuaError typeError(
      LuaState state,
      @Nullable Node at,
      @Nullable Expr subject,
      @Nullable Object value,
      String op) {
    String type = typeName(value);
    String kind = subject == null ? null : subject.kind();
    String what =
        subject == null || kind == null
            ? "a " + type + " value"
            : kind + " '" + subject.name() + "' (a " + type + " value)";
    return state.raise(at, "attempt to " + op + " " + what);
  }

  /* Lua 5.1 tells the types apart by the third letter of their names. */
  private static LuaError orderError(
      LuaState state, @Nullable Node at, @Nullable Object left, @Nullable Object right) {
    String a = typeName(left);
    String b = typeName(right);
    return state.raise(
        at,
        a.charAt(2) == b.charAt(2)
            ? "attempt to compare two " + a + " values"
            : "attempt to compare " + a + " with " + b);
  }

  public static void checkWritable(LuaState state, LuaTable table) {
    if (table.isReadOnly()) {
      throw state.raise(null, READ_ONLY);
    }
  }

  // ---- Calls

  /** The result of calling any value. */
  static @Nullable Object call(
      LuaState state, @Nullable Node at, @Nullable Object callee, @Nullable Object[] arguments) {
    if (callee instanceof LuaFunction function) {
      return function.call(state, arguments);
    }
    @Nullable Object[] all = new Object[arguments.length + 1];
    all[0] = callee;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return callable(state, at, null, callee).call(state, all);
  }

  /** The function that stands for a value which is none itself; the value is its first argument. */
  static LuaFunction callable(
      LuaState state, @Nullable Node at, @Nullable Expr subject, @Nullable Object callee) {
    if (metamethod(state, callee, CALL) instanceof LuaFunction function) {
      return function;
    }
    throw typeError(state, at, subject, callee, "call");
  }

  /** Calls a metamethod: one more call from Java into Lua. */
  private static @Nullable Object meta(
      LuaState state, @Nullable Node at, Object handler, @Nullable Object... arguments) {
    if (at != null) {
      state.top.at = at;
    }
    state.enterNative(at);
    @Nullable Object result = call(state, at, handler, arguments);
    state.nativeCalls--;
    return Results.first(result);
  }

  // ---- Tables

  /** {@code object[key]}. */
  public static @Nullable Object index(
      LuaState state, @Nullable Object object, @Nullable Object key) {
    return index(state, null, null, object, key);
  }

  static @Nullable Object index(
      LuaState state,
      @Nullable Node at,
      @Nullable Expr subject,
      @Nullable Object object,
      @Nullable Object key) {
    @Nullable Object holder = object;
    for (int i = 0; i < CHAIN_MAX; i++) {
      Object handler;
      if (holder instanceof LuaTable table) {
        Object value = table.get(key);
        LuaTable metatable = table.metatable();
        if (value != null || metatable == null) {
          return value;
        }
        handler = metatable.get(INDEX);
        if (handler == null) {
          return null;
        }
      } else {
        handler = metamethod(state, holder, INDEX);
        if (handler == null) {
          throw typeError(state, at, i == 0 ? subject : null, holder, "index");
        }
      }
      if (handler instanceof LuaFunction) {
        return meta(state, at, handler, holder, key);
      }
      holder = handler;
    }
    throw state.raise(at, "loop in gettable");
  }

  /** {@code object[key] = value}. */
  static void setIndex(
      LuaState state,
      @Nullable Node at,
      @Nullable Expr subject,
      @Nullable Object object,
      @Nullable Object key,
      @Nullable Object value) {
    @Nullable Object holder = object;
    for (int i = 0; i < CHAIN_MAX; i++) {
      Object handler;
      if (holder instanceof LuaTable table) {
        if (table.isReadOnly()) {
          throw state.raise(at, READ_ONLY);
        }
        LuaTable metatable = table.metatable();
        handler = metatable == null ? null : metatable.get(NEWINDEX);
        if (handler == null || table.get(key) != null) {
          rawSet(state, at, table, key, value);
          return;
        }
      } else {
        handler = metamethod(state, holder, NEWINDEX);
        if (handler == null) {
          throw typeError(state, at, i == 0 ? subject : null, holder, "index");
        }
      }
      if (handler instanceof LuaFunction) {
        meta(state, at, handler, holder, key, value);
        return;
      }
      holder = handler;
    }
    throw state.raise(at, "loop in settable");
  }

  static void rawSet(
      LuaState state,
      @Nullable Node at,
      LuaTable table,
      @Nullable Object key,
      @Nullable Object value) {
    if (key == null) {
      throw state.raise(at, "table index is nil");
    }
    if (key instanceof Double number && number.isNaN()) {
      throw state.raise(at, "table index is NaN");
    }
    table.put(key, value);
  }

  /** A builtin's assignment past metatables. */
  public static void rawSet(
      LuaState state, LuaTable table, @Nullable Object key, @Nullable Object value) {
    checkWritable(state, table);
    rawSet(state, null, table, key, value);
  }

  // ---- Comparison

  static boolean equal(
      LuaState state, @Nullable Node at, @Nullable Object left, @Nullable Object right) {
    if (rawEquals(left, right)) {
      return true;
    }
    if (!(left instanceof LuaTable a) || !(right instanceof LuaTable b)) {
      return false;
    }
    Object handler = sharedHandler(a.metatable(), b.metatable(), EQ);
    return handler != null && truth(meta(state, at, handler, left, right));
  }

  /** The handler that both metatables have, where they have the same. */
  private static @Nullable Object sharedHandler(
      @Nullable LuaTable left, @Nullable LuaTable right, LuaString event) {
    if (left == null || right == null) {
      return null;
    }
    Object handler = left.get(event);
    return left == right || rawEquals(handler, right.get(event)) ? handler : null;
  }

  static boolean truth(@Nullable Object value) {
    return value != null && value != Boolean.FALSE;
  }

  /** {@code left < right}, as table.sort compares. */
  public static boolean less(LuaState state, @Nullable Object left, @Nullable Object right) {
    return less(state, null, left, right);
  }

  static boolean less(
      LuaState state, @Nullable Node at, @Nullable Object left, @Nullable Object right) {
    if (left instanceof Double a && right instanceof Double b) {
      return a < b;
    }
    if (left instanceof LuaString a && right instanceof LuaString b) {
      return a.compareTo(b) < 0;
    }
    Object handler = orderHandler(state, left, right, LT);
    if (handler == null) {
      throw orderError(state, at, left, right);
    }
    return truth(meta(state, at, handler, left, right));
  }

  static boolean lessOrEqual(
      LuaState state, @Nullable Node at, @Nullable Object left, @Nullable Object right) {
    if (left instanceof Double a && right instanceof Double b) {
      return a <= b;
    }
    if (left instanceof LuaString a && right instanceof LuaString b) {
      return a.compareTo(b) <= 0;
    }
    Object handler = orderHandler(state, left, right, LE);
    if (handler != null) {
      return truth(meta(state, at, handler, left, right));
    }
    handler = orderHandler(state, right, left, LT);
    if (handler == null) {
      throw orderError(state, at, left, right);
    }
    return !truth(meta(state, at, handler, right, left));
  }

  private static @Nullable Object orderHandler(
      LuaState state, @Nullable Object left, @Nullable Object right, LuaString event) {
    if (!typeName(left).equals(typeName(right))) {
      return null;
    }
    Object handler = metamethod(state, left, event);
    return handler != null && rawEquals(handler, metamethod(state, right, event)) ? handler : null;
  }

  // ---- Length and joining

  static @Nullable Object length(
      LuaState state, @Nullable Node at, @Nullable Expr subject, @Nullable Object value) {
    if (value instanceof LuaTable table) {
      return (double) table.length();
    }
    if (value instanceof LuaString text) {
      return (double) text.length();
    }
    throw typeError(state, at, subject, value, "get length of");
  }

  /** What a metamethod makes of two operands; null stands for nil. Throws where there is none. */
  static @Nullable Object arithmeticHandler(
      LuaState state, Node at, LuaString event, @Nullable Object left, @Nullable Object right) {
    Object handler = metamethod(state, left, event);
    if (handler == null) {
      handler = metamethod(state, right, event);
    }
    return handler == null ? at : meta(state, at, handler, left, right);
  }

  /** Joins two values of which at least one is neither string nor number; the node says which. */
  static @Nullable Object concatHandler(
      LuaState state,
      Node at,
      @Nullable Expr leftExpr,
      @Nullable Expr rightExpr,
      @Nullable Object left,
      @Nullable Object right) {
    Object handler = metamethod(state, left, CONCAT);
    if (handler == null) {
      handler = metamethod(state, right, CONCAT);
    }
    if (handler != null) {
      return meta(state, at, handler, left, right);
    }
    boolean leftIsText = left instanceof LuaString || left instanceof Double;
    throw typeError(
        state, at, leftIsText ? rightExpr : leftExpr, leftIsText ? right : left, "concatenate");
  }
}
