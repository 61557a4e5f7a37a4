package dev.varve.server.lua.syntax;

import dev.varve.server.lua.value.Allocation;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.NumberText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a chunk, one at a time with one to look ahead.
 *
 * <p>Single-threaded.
 */
final class Lexer {
  private static final int END = -1;
  private static final int ESCAPE_DIGITS_MAX = 3;
  private static final int BYTE_MAX = 255;

  /** About what the tree has for each token, lists and scopes included. */
  private static final int TOKEN_BYTES = 64;

  /** What is read as text is copied so often at most before it is a string. */
  private static final int COPIES = 2;

  private final Allocation allocation;
  private final byte[] source;
  private final String shownName;
  private int at;

  /** The line that the lexer has reached, and the line of the last token that was consumed. */
  private int line = 1;

  private int lastLine = 1;

  private Token token = Token.EOS;
  private int tokenByte;
  private double number;
  private LuaString text = LuaString.EMPTY;

  /** Where the last token that was read lies in the source, for messages. */
  private int rawBegin;

  private @Nullable Token ahead;
  private int aheadByte;
  private double aheadNumber;
  private LuaString aheadText = LuaString.EMPTY;

  Lexer(byte[] source, String chunkName, Allocation allocation) {
    this.allocation = allocation;
    allocation.charge((long) COPIES * source.length);
    this.source = source;
    this.shownName = ChunkName.shown(chunkName);
  }

  Token token() {
    return token;
  }

  /** Whether the token is this single byte. */
  boolean isByte(char wanted) {
    return token == Token.BYTE && tokenByte == wanted;
  }

  /** The byte of a token of one byte, and 0 for all others. */
  int tokenByte() {
    return token == Token.BYTE ? tokenByte : 0;
  }

  double number() {
    return number;
  }

  /** Of a name or a string. */
  LuaString text() {
    return text;
  }

  int line() {
    return line;
  }

  int lastLine() {
    return lastLine;
  }

  void next() throws SyntaxException {
    lastLine = line;
    if (ahead != null) {
      token = ahead;
      tokenByte = aheadByte;
      number = aheadNumber;
      text = aheadText;
      ahead = null;
      return;
    }
    token = read();
  }

  /** The token after the current one, which stays current; asked for once per token. */
  boolean aheadIsByte(char wanted) throws SyntaxException {
    Token current = token;
    int currentByte = tokenByte;
    double currentNumber = number;
    LuaString currentText = text;
    ahead = read();
    aheadByte = tokenByte;
    aheadNumber = number;
    aheadText = text;
    token = current;
    tokenByte = currentByte;
    number = currentNumber;
    text = currentText;
    return ahead == Token.BYTE && aheadByte == wanted;
  }

  // ---- Messages

  /** A message about the current token. */
  SyntaxException near(String message) {
    String shown =
        switch (token) {
          case STRING -> shownString();
          case NAME, NUMBER -> raw();
          case BYTE -> shownByte(tokenByte);
          default -> token.text;
        };
    return plain(message + " near '" + shown + "'");
  }

  SyntaxException plain(String message) {
    return new SyntaxException(shownName + ":" + line + ": " + message);
  }

  private SyntaxException nearRaw(String message) {
    return plain(message + " near '" + raw() + "'");
  }

  /** About a string, of which as much is shown as was read. */
  private SyntaxException nearRead(String message, int quote, ByteArrayOutputStream read) {
    String shown = untilZero(read.toString(StandardCharsets.ISO_8859_1));
    return plain(message + " near '" + (char) quote + shown + "'");
  }

  private SyntaxException nearEnd(String message) {
    return plain(message + " near '" + Token.EOS.text + "'");
  }

  private String raw() {
    return untilZero(latin(rawBegin, at));
  }

  /** A string as it was read, without its escapes, between what it stood in. */
  private String shownString() {
    int opened = rawBegin + 1;
    if (source[rawBegin] == '[') {
      while (source[opened++] == '=') {}
    }
    int closed = at - (opened - rawBegin);
    return untilZero(latin(rawBegin, opened) + text + latin(closed, at));
  }

  private String latin(int from, int to) {
    return new String(source, from, to - from, StandardCharsets.ISO_8859_1);
  }

  private static String untilZero(String all) {
    int zero = all.indexOf('\0');
    return zero < 0 ? all : all.substring(0, zero);
  }

  static String shownByte(int single) {
    boolean control = single < ' ' || single == 0x7F;
    return control ? "char(" + single + ")" : String.valueOf((char) single);
  }

  // ---- Reading

  private int current() {
    return at < source.length ? source[at] & 0xFF : END;
  }

  private int peek() {
    return at + 1 < source.length ? source[at + 1] & 0xFF : END;
  }

  private static boolean isNewline(int single) {
    return single == '\n' || single == '\r';
  }

  private static boolean isDigit(int single) {
    return single >= '0' && single <= '9';
  }

  private static boolean isNameStart(int single) {
    return (single >= 'a' && single <= 'z') || (single >= 'A' && single <= 'Z') || single == '_';
  }

  private static boolean isNamePart(int single) {
    return isNameStart(single) || isDigit(single);
  }

  private void skipNewline() {
    int first = current();
    at++;
    if (isNewline(current()) && current() != first) {
      at++;
    }
    line++;
  }

  private Token read() throws SyntaxException {
    allocation.charge(TOKEN_BYTES);
    while (true) {
      rawBegin = at;
      int single = current();
      switch (single) {
        case '\n', '\r' -> skipNewline();
        case '-' -> {
          if (peek() != '-') {
            return oneByte(single);
          }
          skipComment();
        }
        case '[' -> {
          int level = longBracket();
          if (level >= 0) {
            text = readLong(level, true);
            return Token.STRING;
          }
          if (level == -1) {
            return oneByte(single);
          }
          at = -level;
          throw nearRaw("invalid long string delimiter");
        }
        case '=' -> {
          return oneOrTwo(single, Token.EQ);
        }
        case '<' -> {
          return oneOrTwo(single, Token.LE);
        }
        case '>' -> {
          return oneOrTwo(single, Token.GE);
        }
        case '~' -> {
          return oneOrTwo(single, Token.NE);
        }
        case '"', '\'' -> {
          text = readString(single);
          return Token.STRING;
        }
        case '.' -> {
          if (peek() == '.') {
            at += 2;
            if (current() == '.') {
              at++;
              return Token.DOTS;
            }
            return Token.CONCAT;
          }
          if (isDigit(peek())) {
            return readNumber();
          }
          return oneByte(single);
        }
        case END -> {
          return Token.EOS;
        }
        default -> {
          if (NumberText.isSpace(single)) {
            at++;
          } else if (isDigit(single)) {
            return readNumber();
          } else if (isNameStart(single)) {
            return readName();
          } else {
            return oneByte(single);
          }
        }
      }
    }
  }

  private Token oneByte(int single) {
    at++;
    tokenByte = single;
    return Token.BYTE;
  }

  private Token oneOrTwo(int single, Token withEquals) {
    if (peek() == '=') {
      at += 2;
      return withEquals;
    }
    return oneByte(single);
  }

  private Token readName() {
    while (isNamePart(current())) {
      at++;
    }
    Token reserved = Token.reserved(source, rawBegin, at);
    if (reserved != null) {
      return reserved;
    }
    text = LuaString.wrap(Arrays.copyOfRange(source, rawBegin, at));
    return Token.NAME;
  }

  private Token readNumber() throws SyntaxException {
    while (isDigit(current()) || current() == '.') {
      at++;
    }
    if ((current() | 0x20) == 'e') {
      at++;
      if (current() == '+' || current() == '-') {
        at++;
      }
    }
    while (isNamePart(current())) {
      at++;
    }
    Double read = NumberText.read(LuaString.wrap(Arrays.copyOfRange(source, rawBegin, at)));
    if (read == null) {
      throw nearRaw("malformed number");
    }
    number = read;
    return Token.NUMBER;
  }

  private void skipComment() throws SyntaxException {
    at += 2;
    if (current() == '[') {
      int level = longBracket();
      if (level >= 0) {
        readLong(level, false);
        return;
      }
    }
    while (!isNewline(current()) && current() != END) {
      at++;
    }
  }

  /**
   * How many equals signs are between the two brackets at this place; -1 where there is only one
   * bracket, and less where signs follow it but no bracket (the negative of the place after them).
   */
  private int longBracket() {
    int level = 0;
    while (at + 1 + level < source.length && source[at + 1 + level] == '=') {
      level++;
    }
    int after = at + 1 + level;
    if (after < source.length && source[after] == source[at]) {
      return level;
    }
    return level == 0 ? -1 : -after;
  }

  private LuaString readLong(int level, boolean isString) throws SyntaxException {
    at += level + 2;
    if (isNewline(current())) {
      skipNewline();
    }
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    while (true) {
      int single = current();
      if (single == END) {
        throw nearEnd(isString ? "unfinished long string" : "unfinished long comment");
      }
      if (single == ']' && longBracket() == level) {
        at += level + 2;
        return LuaString.wrap(read.toByteArray());
      }
      if (isNewline(single)) {
        skipNewline();
        read.write('\n');
      } else {
        at++;
        read.write(single);
      }
    }
  }

  private LuaString readString(int quote) throws SyntaxException {
    at++;
    int plain = at;
    while (plain < source.length
        && source[plain] != quote
        && source[plain] != '\\'
        && !isNewline(source[plain])) {
      plain++;
    }
    if (plain < source.length && source[plain] == quote) {
      LuaString read = LuaString.wrap(Arrays.copyOfRange(source, at, plain));
      at = plain + 1;
      return read;
    }
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    while (current() != quote) {
      int single = current();
      if (single == END) {
        throw nearEnd("unfinished string");
      }
      if (isNewline(single)) {
        throw nearRead("unfinished string", quote, read);
      }
      at++;
      if (single == '\\') {
        readEscape(read, quote);
      } else {
        read.write(single);
      }
    }
    at++;
    return LuaString.wrap(read.toByteArray());
  }

  private void readEscape(ByteArrayOutputStream read, int quote) throws SyntaxException {
    int single = current();
    if (single == END) {
      return; // The string will be found unfinished.
    }
    if (isNewline(single)) {
      skipNewline();
      read.write('\n');
      return;
    }
    if (isDigit(single)) {
      int code = 0;
      for (int i = 0; i < ESCAPE_DIGITS_MAX && isDigit(current()); i++) {
        code = code * 10 + current() - '0';
        at++;
      }
      if (code > BYTE_MAX) {
        throw nearRead("escape sequence too large", quote, read);
      }
      read.write(code);
      return;
    }
    at++;
    read.write(
        switch (single) {
          case 'a' -> 7;
          case 'b' -> '\b';
          case 'f' -> '\f';
          case 'n' -> '\n';
          case 'r' -> '\r';
          case 't' -> '\t';
          case 'v' -> 11;
          default -> single;
        });
  }
}
