package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.Builtin;
import dev.varve.server.lua.run.LuaArgs;
import dev.varve.server.lua.run.LuaError;
import dev.varve.server.lua.run.LuaFunction;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.NextFunction;
import dev.varve.server.lua.run.Operations;
import dev.varve.server.lua.run.Results;
import dev.varve.server.lua.syntax.SyntaxException;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.lua.value.NumberText;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The functions that have no table of their own, without those that Redis takes away. */
public final class BaseLibrary {
  private static final LuaString METATABLE = LuaString.of("__metatable");
  private static final LuaString ERR = LuaString.of("err");
  private static final LuaString COUNT = LuaString.of("#");

  /** The first byte of a compiled chunk, which is refused. */
  private static final int COMPILED = 27;

  private static final int BASE_MIN = 2;
  private static final int BASE_MAX = 36;
  private static final double KILO = 1024;

  /** So many values at most are arguments and results of a builtin; LUAI_MAXCSTACK. */
  static final int VALUES_MAX = 8000;

  private BaseLibrary() {}

  public static void register(LuaState state) {
    Builtin step = new Builtin(BaseLibrary::ipairsStep);
    Library.in(state.globals())
        .set("_G", state.globals())
        .add("assert", BaseLibrary::assertTrue)
        .add("collectgarbage", BaseLibrary::collectGarbage)
        .leaveOut("dofile")
        .add("error", BaseLibrary::error)
        .add("gcinfo", args -> Math.floor(args.state().memoryBytes() / KILO))
        .leaveOut("getfenv")
        .add("getmetatable", BaseLibrary::getMetatable)
        .leaveOut("loadfile")
        .add("load", BaseLibrary::load)
        .add("loadstring", BaseLibrary::loadString)
        .set("next", NextFunction.INSTANCE)
        .add("pcall", BaseLibrary::pcall)
        .leaveOut("print")
        .add("rawequal", args -> Operations.rawEquals(args.any(1), args.any(2)))
        .add("rawget", BaseLibrary::rawGet)
        .add("rawset", BaseLibrary::rawSet)
        .add("select", BaseLibrary::select)
        .leaveOut("setfenv")
        .add("setmetatable", BaseLibrary::setMetatable)
        .add("tonumber", BaseLibrary::toNumber)
        .add("tostring", args -> Operations.toText(args.state(), args.any(1)))
        .add("type", args -> Operations.typeText(args.any(1)))
        .add("unpack", BaseLibrary::unpack)
        .add("xpcall", BaseLibrary::xpcall)
        .set("_VERSION", LuaString.of("Lua 5.1"))
        .add("ipairs", args -> Results.of(step, args.table(1), 0.0))
        .add("pairs", args -> Results.of(NextFunction.INSTANCE, args.table(1), null))
        .leaveOut("newproxy");
  }

  private static @Nullable Object ipairsStep(LuaArgs args) {
    int index = args.int32(2) + 1;
    Object value = args.table(1).get(index);
    return value == null ? null : Results.of((double) index, value);
  }

  private static Object assertTrue(LuaArgs args) {
    Object value = args.any(1);
    if (value == null || value == Boolean.FALSE) {
      throw args.state().error(args.string(2, LuaString.of("assertion failed!")).toString());
    }
    return args.all();
  }

  private static Object collectGarbage(LuaArgs args) {
    String option = args.string(1, LuaString.of("collect")).toString();
    args.int32(2, 0);
    return switch (option) {
      case "stop", "restart", "collect" -> 0.0;
      case "count" -> args.state().memoryBytes() / KILO;
      case "step" -> Boolean.FALSE;
      case "setpause", "setstepmul" -> 200.0;
      default -> throw args.bad(1, "invalid option '" + option + "'");
    };
  }

  private static Object error(LuaArgs args) {
    int level = args.int32(2, 1);
    Object value = args.get(1);
    LuaString text = value instanceof LuaString || value instanceof Double ? args.string(1) : null;
    if (text == null || level <= 0) {
      throw args.state().error(value);
    }
    LuaString where = LuaString.of(args.state().where(level));
    args.state().chargeString((long) where.length() + text.length());
    throw args.state().error((Object) where.followedBy(text));
  }

  private static @Nullable Object getMetatable(LuaArgs args) {
    LuaTable metatable = Operations.metatable(args.state(), args.any(1));
    if (metatable == null) {
      return null;
    }
    Object shown = metatable.get(METATABLE);
    return shown == null ? metatable : shown;
  }

  private static @Nullable Object setMetatable(LuaArgs args) {
    LuaTable table = args.table(1);
    Object given = args.get(2);
    if (args.isNone(2) || (given != null && !(given instanceof LuaTable))) {
      throw args.bad(2, "nil or table expected");
    }
    LuaTable before = table.metatable();
    if (before != null && before.get(METATABLE) != null) {
      throw args.state().error("cannot change a protected metatable");
    }
    Operations.checkWritable(args.state(), table);
    table.setMetatable(given instanceof LuaTable metatable ? metatable : null);
    return table;
  }

  // ---- Compiling

  private static @Nullable Object loadString(LuaArgs args) {
    LuaString source = args.string(1);
    return compile(args.state(), source.bytes(), args.string(2, source));
  }

  private static @Nullable Object load(LuaArgs args) {
    LuaString name = args.string(2, LuaString.of("=(load)"));
    LuaFunction reader = args.function(1);
    LuaState state = args.state();
    boolean[] failed = new boolean[1];
    Object source =
        state.protect(
            error -> {
              failed[0] = true;
              return error.value();
            },
            new Builtin(call -> read(call.state(), reader)));
    if (failed[0] || !(source instanceof LuaString text)) {
      return Results.of(null, source);
    }
    return compile(state, text.bytes(), name);
  }

  /** All that a function gives, piece by piece, up to an empty piece or nil. */
  private static Object read(LuaState state, LuaFunction reader) {
    CountedBytes source = new CountedBytes(state);
    while (true) {
      state.tick();
      Object piece = Results.first(state.callback(reader));
      if (piece == null) {
        break;
      }
      LuaString text = piece instanceof Double number ? NumberText.write(number) : null;
      if (piece instanceof LuaString given) {
        text = given;
      }
      if (text == null) {
        throw state.error("reader function must return a string");
      }
      if (text.length() == 0) {
        break;
      }
      source.write(text.bytes());
    }
    return source.string();
  }

  private static @Nullable Object compile(LuaState state, byte[] source, LuaString name) {
    try {
      if (source.length > 0 && source[0] == COMPILED) {
        throw new SyntaxException("compiled chunks are not loaded");
      }
      return state.compile(source, name.toString());
    } catch (SyntaxException problem) {
      state.chargeString(problem.getMessage().length());
      return Results.of(null, LuaString.of(problem.getMessage()));
    }
  }

  // ---- Protected calls

  private static @Nullable Object pcall(LuaArgs args) {
    if (args.count() == 0) {
      return Results.of(Boolean.FALSE, LuaString.of("attempt to call a boolean value"));
    }
    Object function = args.get(1);
    @Nullable Object[] rest = Arrays.copyOfRange(args.all(), 1, args.count());
    boolean[] failed = new boolean[1];
    Object result =
        args.state()
            .protect(
                error -> {
                  failed[0] = true;
                  return error.value();
                },
                function,
                rest);
    return failed[0] ? failure(result) : succeeded(result);
  }

  /* Redis's own pcall: of an error as Redis makes them a script is given the text. */
  private static Object failure(@Nullable Object error) {
    if (!(error instanceof LuaTable table)) {
      return Results.of(Boolean.FALSE, error);
    }
    Object text = table.get(ERR);
    boolean shown = text instanceof LuaString || text instanceof Double;
    return shown ? Results.of(Boolean.FALSE, text) : Results.of(Boolean.FALSE, table, text);
  }

  private static @Nullable Object xpcall(LuaArgs args) {
    Object handler = args.any(2);
    LuaState state = args.state();
    boolean[] failed = new boolean[1];
    Object result =
        state.protect(
            error -> {
              failed[0] = true;
              return handled(state, handler, error);
            },
            args.get(1));
    return failed[0] ? Results.of(Boolean.FALSE, result) : succeeded(result);
  }

  private static @Nullable Object handled(
      LuaState state, @Nullable Object handler, LuaError error) {
    return Results.first(
        state.protect(worse -> LuaString.of("error in error handling"), handler, error.value()));
  }

  private static Object succeeded(@Nullable Object result) {
    @Nullable Object[] values = Results.all(result);
    @Nullable Object[] all = new Object[values.length + 1];
    all[0] = Boolean.TRUE;
    System.arraycopy(values, 0, all, 1, values.length);
    return all;
  }

  // ---- Tables and values

  private static @Nullable Object rawGet(LuaArgs args) {
    LuaTable table = args.table(1);
    return table.get(args.any(2));
  }

  private static @Nullable Object rawSet(LuaArgs args) {
    LuaTable table = args.table(1);
    Operations.rawSet(args.state(), table, args.any(2), args.any(3));
    return table;
  }

  private static Object select(LuaArgs args) {
    int count = args.count();
    if (COUNT.equals(args.get(1))) {
      return count - 1.0;
    }
    int index = args.int32(1);
    if (index < 0) {
      index = count + index;
    } else if (index > count) {
      index = count;
    }
    if (index < 1) {
      throw args.bad(1, "index out of range");
    }
    return Arrays.copyOfRange(args.all(), Math.min(index, count), count);
  }

  private static Object unpack(LuaArgs args) {
    LuaTable table = args.table(1);
    int first = args.int32(2, 1);
    int last = args.get(3) == null ? table.length() : args.int32(3);
    if (first > last) {
      return Results.NONE;
    }
    long count = (long) last - first + 1;
    if (count + args.count() > VALUES_MAX) {
      throw args.state().error("too many results to unpack");
    }
    @Nullable Object[] values = new Object[(int) count];
    for (int i = 0; i < count; i++) {
      values[i] = table.get(first + i);
    }
    return values;
  }

  private static @Nullable Object toNumber(LuaArgs args) {
    int base = args.int32(2, 10);
    if (base == 10) {
      Object value = args.any(1);
      if (value instanceof Double) {
        return value;
      }
      return value instanceof LuaString text ? NumberText.read(text) : null;
    }
    LuaString text = args.string(1);
    if (base < BASE_MIN || base > BASE_MAX) {
      throw args.bad(2, "base out of range");
    }
    return inBase(text, base);
  }

  /** As C's strtoul reads it: unsigned, and a minus sign wraps around. */
  private static @Nullable Double inBase(LuaString text, int base) {
    int at = 0;
    int end = NumberText.end(text.bytes());
    while (at < end && NumberText.isSpace(text.at(at))) {
      at++;
    }
    while (end > at && NumberText.isSpace(text.at(end - 1))) {
      end--;
    }
    boolean negative = at < end && text.at(at) == '-';
    if (at < end && (text.at(at) == '-' || text.at(at) == '+')) {
      at++;
    }
    if (base == 16
        && end - at > 2
        && text.at(at) == '0'
        && (text.at(at + 1) | 0x20) == 'x'
        && Character.digit(text.at(at + 2), base) >= 0) {
      at += 2;
    }
    if (at == end) {
      return null;
    }
    long number = 0;
    boolean overflow = false;
    for (; at < end; at++) {
      int digit = Character.digit(text.at(at), base);
      if (digit < 0) {
        return null;
      }
      overflow |= Long.compareUnsigned(number, Long.divideUnsigned(-1L - digit, base)) > 0;
      number = number * base + digit;
    }
    if (overflow) {
      return 0x1p64;
    }
    long signed = negative ? -number : number;
    return signed >= 0 ? (double) signed : (signed >>> 1 | signed & 1) * 2.0;
  }
}
