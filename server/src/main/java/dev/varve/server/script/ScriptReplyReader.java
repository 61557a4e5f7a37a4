package dev.varve.server.script;

import dev.varve.server.lua.RedisLibrary;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Replies of commands as values of Lua, as Redis converts them.
 *
 * <p>Used by the thread that runs the script; one per reply.
 */
public final class ScriptReplyReader {
  private static final LuaString OK = LuaString.of("ok");
  private static final LuaString DOUBLE = LuaString.of("double");
  private static final LuaString MAP = LuaString.of("map");
  private static final LuaString SET = LuaString.of("set");
  private static final LuaString BIG_NUMBER = LuaString.of("big_number");
  private static final LuaString VERBATIM = LuaString.of("verbatim_string");
  private static final LuaString FORMAT = LuaString.of("format");
  private static final LuaString STRING = LuaString.of("string");

  /** {@code txt:} before a verbatim string. */
  private static final int FORMAT_LENGTH = 3;

  private final LuaState state;
  private final byte[] bytes;
  private int at;

  public ScriptReplyReader(LuaState state, byte[] bytes, int begin) {
    this.state = state;
    this.bytes = bytes;
    this.at = begin;
  }

  public @Nullable Object read() {
    boolean begun = state.beginMaking();
    Object reply = next();
    state.endMaking(begun);
    return reply;
  }

  private @Nullable Object next() {
    int type = bytes[at];
    int begin = at + 1;
    int end = begin;
    while (bytes[end] != '\r') {
      end++;
    }
    at = end + 2;
    return switch (type) {
      case '+' -> single(OK, text(begin, end));
      case '-' ->
          RedisLibrary.commandError(
              state, new String(bytes, begin - 1, end - begin + 1, StandardCharsets.ISO_8859_1));
      case ':' -> (double) Long.parseLong(latin(begin, end));
      case '$' -> bulk(size(begin, end));
      case '*', '>' -> array(size(begin, end));
      case '_' -> null;
      case '#' -> bytes[begin] == 't' ? Boolean.TRUE : Boolean.FALSE;
      case ',' -> single(DOUBLE, real(latin(begin, end)));
      case '%' -> single(MAP, pairs(size(begin, end)));
      case '~' -> single(SET, members(size(begin, end)));
      case '(' -> single(BIG_NUMBER, text(begin, end));
      case '=' -> verbatim(size(begin, end));
      default -> throw new IllegalStateException("no reply begins with " + (char) type);
    };
  }

  private String latin(int begin, int end) {
    return new String(bytes, begin, end - begin, StandardCharsets.ISO_8859_1);
  }

  private int size(int begin, int end) {
    return Integer.parseInt(latin(begin, end));
  }

  private LuaString text(int begin, int end) {
    state.chargeString(end - begin);
    return LuaString.wrap(Arrays.copyOfRange(bytes, begin, end));
  }

  private static double real(String text) {
    return switch (text) {
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      case "nan", "-nan" -> Double.NaN;
      default -> Double.parseDouble(text);
    };
  }

  private LuaTable single(LuaString field, Object value) {
    LuaTable table = state.newTable();
    table.put(field, value);
    return table;
  }

  private Object bulk(int length) {
    if (length < 0) {
      return Boolean.FALSE;
    }
    LuaString text = text(at, at + length);
    at += length + 2;
    return text;
  }

  private Object verbatim(int length) {
    LuaTable parts = state.newTable();
    parts.put(STRING, text(at + FORMAT_LENGTH + 1, at + length));
    parts.put(FORMAT, text(at, at + FORMAT_LENGTH));
    at += length + 2;
    return single(VERBATIM, parts);
  }

  private Object array(int size) {
    if (size < 0) {
      return Boolean.FALSE;
    }
    LuaTable table = state.newTable(size, 0);
    for (int i = 1; i <= size; i++) {
      table.put(i, next());
    }
    return table;
  }

  private LuaTable pairs(int size) {
    LuaTable table = state.newTable();
    for (int i = 0; i < size; i++) {
      Object key = next();
      Object value = next();
      if (key != null) {
        table.put(key, value);
      }
    }
    return table;
  }

  private LuaTable members(int size) {
    LuaTable table = state.newTable();
    for (int i = 0; i < size; i++) {
      Object member = next();
      if (member != null) {
        table.put(member, Boolean.TRUE);
      }
    }
    return table;
  }
}
