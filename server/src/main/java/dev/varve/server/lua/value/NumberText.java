package dev.varve.server.lua.value;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Numbers as Lua 5.1 reads them (C's strtod over the whole text, spaces around it allowed) and
 * writes them ({@code %.14g}).
 *
 * <p>Pure functions, any thread.
 */
public final class NumberText {
  private static final int PRECISION = 14;
  private static final double PLAIN_BELOW = 1e14;
  private static final int SMALL = 1024;
  private static final LuaString[] SMALL_TEXTS = new LuaString[SMALL];

  /** More hex digits than a double can tell apart are read, but not kept. */
  private static final double HEX_BASE = 16;

  static {
    for (int i = 0; i < SMALL; i++) {
      SMALL_TEXTS[i] = LuaString.of(Integer.toString(i));
    }
  }

  private NumberText() {}

  /** As {@code tostring} writes it. */
  public static LuaString write(double number) {
    int whole = (int) number;
    if (whole == number && whole > 0 && whole < SMALL) {
      return SMALL_TEXTS[whole];
    }
    return LuaString.of(text(number));
  }

  /** As {@code tostring} writes it. */
  public static String text(double number) {
    if (Math.abs(number) < PLAIN_BELOW) {
      long whole = (long) number;
      if (whole == number && (whole != 0 || 1 / number > 0)) {
        return Long.toString(whole);
      }
    }
    return PrintfNumber.general(number, PRECISION, false, false);
  }

  /** The number a text says, or null. */
  public static @Nullable Double read(LuaString text) {
    byte[] bytes = text.bytes();
    int begin = 0;
    int end = end(bytes);
    while (begin < end && isSpace(bytes[begin])) {
      begin++;
    }
    while (end > begin && isSpace(bytes[end - 1])) {
      end--;
    }
    if (begin == end) {
      return null;
    }
    int digits = bytes[begin] == '-' || bytes[begin] == '+' ? begin + 1 : begin;
    boolean negative = bytes[begin] == '-';
    if (end - digits <= 9 && end > digits) {
      int small = smallInteger(bytes, digits, end);
      if (small >= 0) {
        return negative ? -(double) small : (double) small;
      }
    }
    double magnitude;
    if (end - digits > 2 && bytes[digits] == '0' && (bytes[digits + 1] | 0x20) == 'x') {
      magnitude = readHex(bytes, digits + 2, end);
    } else {
      magnitude = readDecimal(bytes, digits, end);
    }
    if (Double.isNaN(magnitude)) {
      return isWord(bytes, digits, end, "nan") ? (Double) magnitude : null;
    }
    return negative ? -magnitude : magnitude;
  }

  /** Where a text ends for C: at its first zero byte, whatever comes behind. */
  public static int end(byte[] text) {
    int end = 0;
    while (end < text.length && text[end] != 0) {
      end++;
    }
    return end;
  }

  private static int smallInteger(byte[] bytes, int begin, int end) {
    int number = 0;
    for (int at = begin; at < end; at++) {
      int digit = bytes[at] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  /** NaN where it is no number. */
  private static double readDecimal(byte[] bytes, int begin, int end) {
    if (isWord(bytes, begin, end, "inf") || isWord(bytes, begin, end, "infinity")) {
      return Double.POSITIVE_INFINITY;
    }
    int at = begin;
    int digits = 0;
    while (at < end && isDigit(bytes[at])) {
      at++;
      digits++;
    }
    if (at < end && bytes[at] == '.') {
      at++;
      while (at < end && isDigit(bytes[at])) {
        at++;
        digits++;
      }
    }
    if (digits == 0) {
      return Double.NaN;
    }
    if (at < end && (bytes[at] | 0x20) == 'e') {
      at++;
      if (at < end && (bytes[at] == '-' || bytes[at] == '+')) {
        at++;
      }
      int exponent = at;
      while (at < end && isDigit(bytes[at])) {
        at++;
      }
      if (at == exponent) {
        return Double.NaN;
      }
    }
    if (at != end) {
      return Double.NaN;
    }
    return Double.parseDouble(new String(bytes, begin, end - begin, StandardCharsets.US_ASCII));
  }

  /** C99's hexadecimal numbers, fraction and binary exponent included; NaN where it is none. */
  private static double readHex(byte[] bytes, int begin, int end) {
    double number = 0;
    int scale = 0;
    int at = begin;
    int digits = 0;
    boolean fraction = false;
    for (; at < end; at++) {
      int digit = Character.digit(bytes[at], 16);
      if (digit >= 0) {
        number = number * HEX_BASE + digit;
        digits++;
        scale -= fraction ? 4 : 0;
      } else if (bytes[at] == '.' && !fraction) {
        fraction = true;
      } else {
        break;
      }
    }
    if (digits == 0) {
      return Double.NaN;
    }
    if (at < end && (bytes[at] | 0x20) == 'p') {
      at++;
      boolean down = at < end && bytes[at] == '-';
      if (at < end && (bytes[at] == '-' || bytes[at] == '+')) {
        at++;
      }
      int exponent = at < end && end - at <= 6 ? smallInteger(bytes, at, end) : -1;
      if (exponent < 0) {
        return Double.NaN;
      }
      scale += down ? -exponent : exponent;
      at = end;
    }
    return at == end ? Math.scalb(number, scale) : Double.NaN;
  }

  /** Where the longest number that begins at this place ends; the place itself where none does. */
  public static int prefixEnd(byte[] bytes, int begin) {
    int most = begin;
    while (most < bytes.length && isNumberPart(bytes[most])) {
      most++;
    }
    for (int end = most; end > begin; end--) {
      if (read(LuaString.wrap(Arrays.copyOfRange(bytes, begin, end))) != null) {
        return end;
      }
    }
    return begin;
  }

  private static boolean isNumberPart(byte at) {
    int lower = at | 0x20;
    return isDigit(at) || (lower >= 'a' && lower <= 'z') || at == '.' || at == '-' || at == '+';
  }

  private static boolean isWord(byte[] bytes, int begin, int end, String word) {
    if (end - begin != word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if ((bytes[begin + i] | 0x20) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isDigit(byte at) {
    return at >= '0' && at <= '9';
  }

  /** C's isspace. */
  public static boolean isSpace(int at) {
    return at == ' ' || (at >= '\t' && at <= '\r');
  }
}
