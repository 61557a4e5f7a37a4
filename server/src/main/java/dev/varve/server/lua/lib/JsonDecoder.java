package dev.varve.server.lua.lib;

import dev.varve.server.lua.lib.JsonConfig.InvalidNumbers;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.lua.value.NumberText;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * JSON as values of Lua.
 *
 * <p>Used by the thread that has the state; one per call.
 */
final class JsonDecoder {
  /** The kinds of token, with the names that messages have for them. */
  private enum Token {
    OBJECT_BEGIN("T_OBJ_BEGIN"),
    OBJECT_END("T_OBJ_END"),
    ARRAY_BEGIN("T_ARR_BEGIN"),
    ARRAY_END("T_ARR_END"),
    STRING("T_STRING"),
    NUMBER("T_NUMBER"),
    BOOLEAN("T_BOOLEAN"),
    NULL("T_NULL"),
    COLON("T_COLON"),
    COMMA("T_COMMA"),
    END("T_END"),
    ERROR("T_ERROR");

    final String shown;

    Token(String shown) {
      this.shown = shown;
    }
  }

  private static final int HEX_DIGITS = 4;
  private static final int ESCAPE_LENGTH = 6;

  private final LuaState state;
  private final JsonConfig config;
  private final byte[] text;
  private int at;
  private int depth;

  private Token token = Token.END;
  private int tokenAt;
  private String problem = "";
  private @Nullable Object value;

  JsonDecoder(LuaState state, JsonConfig config, LuaString text) {
    this.state = state;
    this.config = config;
    this.text = text.bytes();
  }

  Object decode() {
    if (text.length >= 2 && (text[0] == 0 || text[1] == 0)) {
      throw state.error("JSON parser does not support UTF-16 or UTF-32");
    }
    next();
    Object decoded = value();
    next();
    if (token != Token.END) {
      throw expected("the end");
    }
    return decoded;
  }

  private RuntimeException expected(String what) {
    String found = token == Token.ERROR ? problem : token.shown;
    return state.error(
        "Expected " + what + " but found " + found + " at character " + (tokenAt + 1));
  }

  private Object value() {
    state.tick();
    Object read = value;
    switch (token) {
      case STRING, NUMBER, BOOLEAN, NULL -> {
        if (read != null) {
          return read;
        }
        throw expected("value");
      }
      case OBJECT_BEGIN -> read = state.nested(this::object);
      case ARRAY_BEGIN -> read = state.nested(this::array);
      default -> throw expected("value");
    }
    depth--;
    return read == null ? JsonConfig.NULL : read;
  }

  private void descend() {
    if (++depth > config.decodeDepthMax) {
      throw state.error("Found too many nested data structures (" + depth + ") at character " + at);
    }
  }

  private Object object() {
    descend();
    LuaTable table = state.newTable();
    next();
    if (token == Token.OBJECT_END) {
      return table;
    }
    while (true) {
      if (token != Token.STRING || value == null) {
        throw expected("object key string");
      }
      Object key = value;
      next();
      if (token != Token.COLON) {
        throw expected("colon");
      }
      next();
      table.put(key, value());
      next();
      if (token == Token.OBJECT_END) {
        return table;
      }
      if (token != Token.COMMA) {
        throw expected("comma or object end");
      }
      next();
    }
  }

  private Object array() {
    descend();
    LuaTable table = state.newTable();
    next();
    if (token == Token.ARRAY_END) {
      return table;
    }
    for (int index = 1; ; index++) {
      table.put(index, value());
      next();
      if (token == Token.ARRAY_END) {
        return table;
      }
      if (token != Token.COMMA) {
        throw expected("comma or array end");
      }
      next();
    }
  }

  // ---- Tokens

  /** The byte at a place, or 0 behind the end. */
  private int byteAt(int place) {
    return place < text.length ? text[place] & 0xFF : 0;
  }

  private void fail(String what) {
    token = Token.ERROR;
    tokenAt = at;
    problem = what;
  }

  private void next() {
    while (byteAt(at) == ' ' || byteAt(at) == '\t' || byteAt(at) == '\n' || byteAt(at) == '\r') {
      at++;
    }
    tokenAt = at;
    value = null;
    int single = byteAt(at);
    switch (single) {
      case '{' -> one(Token.OBJECT_BEGIN);
      case '}' -> one(Token.OBJECT_END);
      case '[' -> one(Token.ARRAY_BEGIN);
      case ']' -> one(Token.ARRAY_END);
      case ':' -> one(Token.COLON);
      case ',' -> one(Token.COMMA);
      case 0 -> token = Token.END;
      case '"' -> string();
      default -> {
        if (single == '-' || (single >= '0' && single <= '9')) {
          if (config.decodeInvalid == InvalidNumbers.OFF && isInvalidNumber()) {
            fail("invalid number");
          } else {
            number();
          }
        } else if (!word("true", Token.BOOLEAN, Boolean.TRUE)
            && !word("false", Token.BOOLEAN, Boolean.FALSE)
            && !word("null", Token.NULL, JsonConfig.NULL)) {
          if ("+iInN".indexOf(single) >= 0
              && config.decodeInvalid != InvalidNumbers.OFF
              && isInvalidNumber()) {
            number();
          } else {
            fail("invalid token");
          }
        }
      }
    }
  }

  private void one(Token kind) {
    token = kind;
    at++;
  }

  private boolean word(String word, Token kind, Object meaning) {
    for (int i = 0; i < word.length(); i++) {
      if (byteAt(at + i) != word.charAt(i)) {
        return false;
      }
    }
    at += word.length();
    token = kind;
    value = meaning;
    return true;
  }

  /** What C reads as a number and JSON does not know: a plus, hex, leading zeros, inf, nan. */
  private boolean isInvalidNumber() {
    int from = at;
    if (byteAt(from) == '+') {
      return true;
    }
    if (byteAt(from) == '-') {
      from++;
    }
    if (byteAt(from) == '0') {
      int second = byteAt(from + 1);
      return (second | 0x20) == 'x' || (second >= '0' && second <= '9');
    }
    return byteAt(from) > '9' && (isWord(from, "inf") || isWord(from, "nan"));
  }

  private boolean isWord(int from, String word) {
    for (int i = 0; i < word.length(); i++) {
      if ((byteAt(from + i) | 0x20) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private void number() {
    int end = NumberText.prefixEnd(text, at);
    Double read =
        end == at ? null : NumberText.read(LuaString.wrap(Arrays.copyOfRange(text, at, end)));
    if (read == null) {
      fail("invalid number");
      return;
    }
    token = Token.NUMBER;
    value = read;
    at = end;
  }

  private void string() {
    at++;
    int plain = at;
    while (byteAt(plain) != '"' && byteAt(plain) != '\\' && byteAt(plain) != 0) {
      plain++;
    }
    if (byteAt(plain) == '"') {
      finish(Arrays.copyOfRange(text, at, plain), plain);
      return;
    }
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    while (byteAt(at) != '"') {
      int single = byteAt(at);
      if (single == 0) {
        fail("unexpected end of string");
        return;
      }
      if (single == '\\') {
        int kind = byteAt(at + 1);
        if (kind == 'u') {
          int length = unicode(read);
          if (length == 0) {
            fail("invalid unicode escape code");
            return;
          }
          at += length;
          continue;
        }
        single = escaped(kind);
        if (single == 0) {
          fail("invalid escape code");
          return;
        }
        at++;
      }
      read.write(single);
      at++;
    }
    finish(read.toByteArray(), at);
  }

  private void finish(byte[] bytes, int quote) {
    state.tick(bytes.length >> 4);
    state.chargeString(bytes.length);
    token = Token.STRING;
    value = LuaString.wrap(bytes);
    at = quote + 1;
  }

  private static int escaped(int kind) {
    return switch (kind) {
      case '"', '\\', '/' -> kind;
      case 'b' -> '\b';
      case 't' -> '\t';
      case 'n' -> '\n';
      case 'f' -> '\f';
      case 'r' -> '\r';
      default -> 0;
    };
  }

  /** Writes the character of an escape and says how long the escape is; 0 when it is none. */
  private int unicode(ByteArrayOutputStream read) {
    int code = hex(at + 2);
    int length = ESCAPE_LENGTH;
    if (code < 0) {
      return 0;
    }
    if (Character.isSurrogate((char) code)) {
      int second = at + ESCAPE_LENGTH;
      if (!Character.isHighSurrogate((char) code)
          || byteAt(second) != '\\'
          || byteAt(second + 1) != 'u') {
        return 0;
      }
      int low = hex(second + 2);
      if (low < 0 || !Character.isLowSurrogate((char) low)) {
        return 0;
      }
      code = Character.toCodePoint((char) code, (char) low);
      length = 2 * ESCAPE_LENGTH;
    }
    utf8(read, code);
    return length;
  }

  private int hex(int from) {
    int code = 0;
    for (int i = 0; i < HEX_DIGITS; i++) {
      int digit = Character.digit(byteAt(from + i), 16);
      if (digit < 0) {
        return -1;
      }
      code = code << 4 | digit;
    }
    return code;
  }

  private static void utf8(ByteArrayOutputStream out, int code) {
    if (code < 0x80) {
      out.write(code);
    } else if (code < 0x800) {
      out.write(0xC0 | code >> 6);
      out.write(0x80 | code & 0x3F);
    } else if (code < 0x10000) {
      out.write(0xE0 | code >> 12);
      out.write(0x80 | code >> 6 & 0x3F);
      out.write(0x80 | code & 0x3F);
    } else {
      out.write(0xF0 | code >> 18);
      out.write(0x80 | code >> 12 & 0x3F);
      out.write(0x80 | code >> 6 & 0x3F);
      out.write(0x80 | code & 0x3F);
    }
  }
}
