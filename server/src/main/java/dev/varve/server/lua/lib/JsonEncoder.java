package dev.varve.server.lua.lib;

import dev.varve.server.lua.lib.JsonConfig.InvalidNumbers;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Operations;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.lua.value.NumberText;
import dev.varve.server.lua.value.PrintfNumber;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Values of Lua as JSON.
 *
 * <p>Used by the thread that has the state; one per call.
 */
final class JsonEncoder {
  private static final byte[][] ESCAPES = new byte[256][];
  private static final byte[] NULL = {'n', 'u', 'l', 'l'};

  static {
    for (int i = 0; i < ' '; i++) {
      ESCAPES[i] = LuaString.of(String.format(Locale.ROOT, "\\u%04x", i)).bytes();
    }
    ESCAPES[0x7F] = LuaString.of("\\u007f").bytes();
    String plain = "\b\t\n\f\r\"\\/";
    String letters = "btnfr\"\\/";
    for (int i = 0; i < plain.length(); i++) {
      ESCAPES[plain.charAt(i)] = new byte[] {'\\', (byte) letters.charAt(i)};
    }
  }

  private final LuaState state;
  private final JsonConfig config;
  private final CountedBytes out;

  JsonEncoder(LuaState state, JsonConfig config) {
    this.state = state;
    this.out = new CountedBytes(state);
    this.config = config;
  }

  LuaString encode(@Nullable Object value) {
    write(value, 0);
    return out.string();
  }

  private RuntimeException problem(@Nullable Object value, String reason) {
    return state.error("Cannot serialise " + Operations.typeName(value) + ": " + reason);
  }

  private void write(@Nullable Object value, int depth) {
    state.tick();
    if (value instanceof LuaString text) {
      string(text);
    } else if (value instanceof Double number) {
      number(number);
    } else if (value instanceof Boolean truth) {
      out.write(LuaString.of(truth.toString()).bytes());
    } else if (value instanceof LuaTable table) {
      state.nested(
          () -> {
            table(table, depth + 1);
            return null;
          });
    } else if (value == null || value == JsonConfig.NULL) {
      out.write(NULL);
    } else {
      throw problem(value, "type not supported");
    }
  }

  private void table(LuaTable table, int depth) {
    if (depth > config.encodeDepthMax) {
      throw state.error("Cannot serialise, excessive nesting (" + depth + ")");
    }
    int length = arrayLength(table);
    if (length > 0) {
      array(table, length, depth);
    } else {
      object(table, depth);
    }
  }

  /** The greatest index when all keys are indexes of 32 bits; otherwise at most 0. */
  private int arrayLength(LuaTable table) {
    int max = 0;
    long items = 0;
    for (int at = table.position(0); at >= 0; at = table.position(at + 1)) {
      if (!(table.keyAt(at) instanceof Double key) || key < 1 || Math.floor(key) != key) {
        return -1;
      }
      if (key > max) {
        // As C casts: what is too large makes an object of the table.
        max = key > Integer.MAX_VALUE ? Integer.MIN_VALUE : (int) key.doubleValue();
      }
      items++;
    }
    if (config.sparseRatio > 0 && max > items * config.sparseRatio && max > config.sparseSafe) {
      if (!config.sparseConvert) {
        throw problem(table, "excessively sparse array");
      }
      return -1;
    }
    return max;
  }

  private void array(LuaTable table, int length, int depth) {
    out.write('[');
    for (int i = 1; i <= length; i++) {
      if (i > 1) {
        out.write(',');
      }
      write(table.get(i), depth);
    }
    out.write(']');
  }

  private void object(LuaTable table, int depth) {
    out.write('{');
    boolean first = true;
    for (int at = table.position(0); at >= 0; at = table.position(at + 1)) {
      if (!first) {
        out.write(',');
      }
      first = false;
      Object key = table.keyAt(at);
      if (key instanceof Double number) {
        out.write('"');
        number(number);
        out.write('"');
      } else if (key instanceof LuaString text) {
        string(text);
      } else {
        throw problem(key, "table key must be a number or string");
      }
      out.write(':');
      write(table.valueAt(at), depth);
    }
    out.write('}');
  }

  private void number(double number) {
    if (!Double.isFinite(number)) {
      if (config.encodeInvalid == InvalidNumbers.OFF) {
        throw problem(number, "must not be NaN or Inf");
      }
      String shown =
          config.encodeInvalid == InvalidNumbers.NULL
              ? "null"
              : Double.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf";
      out.write(LuaString.of(shown).bytes());
      return;
    }
    LuaString text =
        config.precision == JsonConfig.PRECISION_MAX
            ? NumberText.write(number)
            : LuaString.of(PrintfNumber.general(number, config.precision, false, false));
    out.write(text.bytes());
  }

  private void string(LuaString text) {
    byte[] bytes = text.bytes();
    state.tick(bytes.length >> 4);
    out.write('"');
    int plain = 0;
    for (int i = 0; i < bytes.length; i++) {
      byte[] escape = ESCAPES[bytes[i] & 0xFF];
      if (escape != null) {
        out.write(bytes, plain, i - plain);
        out.write(escape);
        plain = i + 1;
      }
    }
    out.write(bytes, plain, bytes.length - plain);
    out.write('"');
  }
}
