package dev.varve.server.lua.lib;

import dev.varve.server.lua.lib.JsonConfig.InvalidNumbers;
import dev.varve.server.lua.run.LuaArgs;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Results;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.lua.value.UndoLog;
import java.util.Locale;

/** The table {@code cjson}, as lua-cjson 2.1.0 has it. */
public final class JsonLibrary {
  /** About what another instance takes: its builtins, their names and its settings. */
  private static final int INSTANCE_BYTES = 2048;

  private JsonLibrary() {}

  public static void register(LuaState state) {
    fill(Library.named(state, "cjson", 0), state.undoLog());
  }

  private static void fill(Library library, UndoLog log) {
    JsonConfig config = new JsonConfig(log);
    library
        .add("encode", args -> encode(args, config))
        .add("decode", args -> decode(args, config))
        .add("encode_sparse_array", args -> sparseArray(args, config))
        .add(
            "encode_max_depth",
            args -> {
              change(args, 1, config);
              return (double)
                  (config.encodeDepthMax = integer(args, 1, config.encodeDepthMax, 1, MAX));
            })
        .add(
            "decode_max_depth",
            args -> {
              change(args, 1, config);
              return (double)
                  (config.decodeDepthMax = integer(args, 1, config.decodeDepthMax, 1, MAX));
            })
        .add(
            "encode_number_precision",
            args -> {
              change(args, 1, config);
              int most = JsonConfig.PRECISION_MAX;
              return (double) (config.precision = integer(args, 1, config.precision, 1, most));
            })
        .add(
            "encode_keep_buffer",
            args -> {
              change(args, 1, config);
              return config.keepBuffer = truth(args, 1, config.keepBuffer);
            })
        .add(
            "encode_invalid_numbers",
            args -> {
              change(args, 1, config);
              config.encodeInvalid = invalid(args, config.encodeInvalid, InvalidNumbers.NULL);
              return shown(config.encodeInvalid);
            })
        .add(
            "decode_invalid_numbers",
            args -> {
              change(args, 1, config);
              config.decodeInvalid = invalid(args, config.decodeInvalid, InvalidNumbers.ON);
              return shown(config.decodeInvalid);
            })
        .add("new", JsonLibrary::instance)
        .set("null", JsonConfig.NULL)
        .set("_NAME", LuaString.of("cjson"))
        .set("_VERSION", LuaString.of("2.1.0"));
  }

  private static final int MAX = Integer.MAX_VALUE;

  private static Object instance(LuaArgs args) {
    args.state().charge(INSTANCE_BYTES);
    LuaTable table = args.state().newTable();
    fill(Library.in(table), args.state().undoLog());
    return table;
  }

  private static Object encode(LuaArgs args, JsonConfig config) {
    if (args.count() != 1) {
      throw args.bad(1, "expected 1 argument");
    }
    return new JsonEncoder(args.state(), config).encode(args.get(1));
  }

  private static Object decode(LuaArgs args, JsonConfig config) {
    if (args.count() != 1) {
      throw args.bad(1, "expected 1 argument");
    }
    boolean begun = args.state().beginMaking();
    Object decoded = new JsonDecoder(args.state(), config, args.string(1)).decode();
    args.state().endMaking(begun);
    return decoded;
  }

  // ---- Settings: each call gives the value, and sets it first where there is an argument

  private static void change(LuaArgs args, int argumentsMax, JsonConfig config) {
    if (args.count() > argumentsMax) {
      throw args.bad(argumentsMax + 1, "found too many arguments");
    }
    config.changes(args.state().undoLog());
  }

  private static int integer(LuaArgs args, int index, int now, int least, int most) {
    if (args.get(index) == null) {
      return now;
    }
    int value = args.int32(index);
    if (value < least || value > most) {
      throw args.bad(1, "expected integer between " + least + " and " + most);
    }
    return value;
  }

  private static boolean truth(LuaArgs args, int index, boolean now) {
    Object value = args.get(index);
    if (value == null) {
      return now;
    }
    if (value instanceof Boolean truth) {
      return truth;
    }
    throw args.bad(index, "invalid option '" + option(args, index) + "'");
  }

  /** A string as C sees it: up to a zero byte. */
  private static String option(LuaArgs args, int index) {
    String text = args.string(index).toString();
    int end = text.indexOf('\0');
    return end < 0 ? text : text.substring(0, end);
  }

  private static InvalidNumbers invalid(LuaArgs args, InvalidNumbers now, InvalidNumbers last) {
    Object value = args.get(1);
    if (value == null) {
      return now;
    }
    if (value instanceof Boolean truth) {
      return truth ? InvalidNumbers.ON : InvalidNumbers.OFF;
    }
    String name = option(args, 1);
    for (InvalidNumbers option : InvalidNumbers.values()) {
      if (option.compareTo(last) <= 0 && option.name().toLowerCase(Locale.ROOT).equals(name)) {
        return option;
      }
    }
    throw args.bad(1, "invalid option '" + name + "'");
  }

  private static Object shown(InvalidNumbers option) {
    return switch (option) {
      case OFF -> Boolean.FALSE;
      case ON -> Boolean.TRUE;
      case NULL -> LuaString.of("null");
    };
  }

  private static Object sparseArray(LuaArgs args, JsonConfig config) {
    change(args, 3, config);
    config.sparseConvert = truth(args, 1, config.sparseConvert);
    config.sparseRatio = integer(args, 2, config.sparseRatio, 0, MAX);
    config.sparseSafe = integer(args, 3, config.sparseSafe, 0, MAX);
    return Results.of(
        config.sparseConvert, (double) config.sparseRatio, (double) config.sparseSafe);
  }
}
