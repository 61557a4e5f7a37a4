package dev.varve.server.resp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Splits a line into words as Redis does, for inline requests and for configuration files: words
 * are parted by spaces; "double quotes" know {@code \xHH \n \r \t \b \a} and take any other escaped
 * letter as it is; 'single quotes' know only {@code \'}; a closing quote ends its word.
 *
 * <p>Pure functions, any thread.
 */
public final class InlineRequest {
  private static final byte[][] NO_WORDS = {};

  private final byte[] text;
  private final int end;
  private int at;

  /** The word being read; it never grows longer than the text. */
  private final byte[] word;

  private int wordBytes;

  private InlineRequest(byte[] text, int from, int end) {
    this.text = text;
    this.at = from;
    this.end = end;
    this.word = new byte[end - from];
  }

  /** The words of {@code text[from, to)}, possibly none; null if its quotes do not balance. */
  public static byte @Nullable [][] split(byte[] text, int from, int to) {
    List<byte[]> words = new ArrayList<>();
    InlineRequest request = new InlineRequest(text, from, to);
    while (true) {
      while (request.at < to && isSpace(text[request.at])) {
        request.at++;
      }
      if (request.at == to || text[request.at] == 0) {
        return words.toArray(NO_WORDS);
      }
      if (!request.readWord()) {
        return null;
      }
      words.add(Arrays.copyOf(request.word, request.wordBytes));
    }
  }

  private boolean readWord() {
    wordBytes = 0;
    while (at < end) {
      byte letter = text[at];
      if (endsWord(letter)) {
        return true;
      }
      at++;
      if (letter == '"' || letter == '\'') {
        boolean closed = letter == '"' ? readDoubleQuoted() : readSingleQuoted();
        return closed && (at == end || isSpace(text[at]));
      }
      word[wordBytes++] = letter;
    }
    return true;
  }

  /** Not all that parts words ends one, as in Redis. */
  private static boolean endsWord(byte letter) {
    return letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t' || letter == 0;
  }

  private boolean readDoubleQuoted() {
    while (at < end) {
      byte letter = text[at++];
      if (letter == '"') {
        return true;
      }
      if (letter == '\\'
          && at + 2 < end
          && text[at] == 'x'
          && isHex(text[at + 1])
          && isHex(text[at + 2])) {
        letter =
            (byte) (Character.digit(text[at + 1], 16) * 16 + Character.digit(text[at + 2], 16));
        at += 3;
      } else if (letter == '\\' && at < end) {
        letter = unescaped(text[at++]);
      }
      word[wordBytes++] = letter;
    }
    return false;
  }

  private boolean readSingleQuoted() {
    while (at < end) {
      byte letter = text[at++];
      if (letter == '\'') {
        return true;
      }
      if (letter == '\\' && at < end && text[at] == '\'') {
        letter = text[at++];
      }
      word[wordBytes++] = letter;
    }
    return false;
  }

  private static byte unescaped(byte letter) {
    return switch (letter) {
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'b' -> '\b';
      case 'a' -> 7;
      default -> letter;
    };
  }

  private static boolean isHex(byte letter) {
    return Character.digit(letter, 16) >= 0;
  }

  private static boolean isSpace(byte letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
  }
}
