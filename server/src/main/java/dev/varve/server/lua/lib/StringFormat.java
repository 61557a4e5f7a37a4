package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.LuaArgs;
import dev.varve.server.lua.run.LuaError;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.PrintfNumber;
import java.util.Locale;

/**
 * {@code string.format}: C's printf, one conversion at a time.
 *
 * <p>Used by the thread that has the state; one per call.
 */
final class StringFormat {
  private static final String FLAGS = "-+ #0";
  private static final int WIDTH_DIGITS_MAX = 2;
  private static final int PRECISION_DEFAULT = 6;
  private static final int NONE = -1;

  /** A string from this length on is taken as it is when no precision is given. */
  private static final int PLAIN_LENGTH = 100;

  private final LuaArgs args;
  private final LuaString format;
  private final CountedBytes out;
  private int at;
  private int argument = 1;

  private String flags = "";
  private int width;
  private int precision;

  StringFormat(LuaArgs args) {
    this.args = args;
    this.out = new CountedBytes(args.state());
    this.format = args.string(1);
  }

  LuaString run() {
    while (at < format.length()) {
      int single = format.at(at++);
      if (single != '%') {
        out.write(single);
      } else if (peek() == '%') {
        out.write('%');
        at++;
      } else {
        if (++argument > args.count()) {
          throw args.bad(argument, "no value");
        }
        readSpecification();
        convert();
      }
    }
    return out.string();
  }

  /** The byte at the place reached, or 0 at the end. */
  private int peek() {
    return at < format.length() ? format.at(at) : 0;
  }

  private boolean isDigitNext() {
    return peek() >= '0' && peek() <= '9';
  }

  private void readSpecification() {
    int begin = at;
    while (peek() != 0 && FLAGS.indexOf(peek()) >= 0) {
      at++;
    }
    if (at - begin > FLAGS.length()) {
      throw args.state().error("invalid format (repeated flags)");
    }
    flags = format.slice(begin, at).toString();
    width = readNumber();
    precision = NONE;
    if (peek() == '.') {
      at++;
      precision = readNumber();
    }
    if (isDigitNext()) {
      throw args.state().error("invalid format (width or precision too long)");
    }
  }

  private int readNumber() {
    int number = 0;
    for (int i = 0; i < WIDTH_DIGITS_MAX && isDigitNext(); i++) {
      number = number * 10 + peek() - '0';
      at++;
    }
    return number;
  }

  private boolean has(char flag) {
    return flags.indexOf(flag) >= 0;
  }

  private void convert() {
    int conversion = peek();
    at++;
    switch (conversion) {
      case 'c' -> character(toInt(args.number(argument)));
      case 'd', 'i' -> signed(LuaArgs.toLong(args.number(argument)));
      case 'o', 'u', 'x', 'X' -> unsigned(toUnsigned(args.number(argument)), conversion);
      case 'e', 'E', 'f', 'g', 'G' -> real(args.number(argument), conversion);
      case 'q' -> quoted(args.string(argument));
      case 's' -> string(args.string(argument));
      default -> throw invalid(conversion);
    }
  }

  private LuaError invalid(int conversion) {
    String shown = conversion == 0 ? "" : String.valueOf((char) conversion);
    return args.state().error("invalid option '%" + shown + "' to 'format'");
  }

  /** As a C cast to 32 bits gives it on x86: out of range, the least number. */
  private static int toInt(double number) {
    return number > -0x1p31 - 1 && number < 0x1p31 ? (int) number : Integer.MIN_VALUE;
  }

  /** As a C cast to 64 unsigned bits gives it on x86. */
  private static long toUnsigned(double number) {
    return number >= 0x1p63
        ? LuaArgs.toLong(number - 0x1p63) ^ Long.MIN_VALUE
        : LuaArgs.toLong(number);
  }

  private void character(int code) {
    if (!has('-')) {
      spaces(width - 1);
    }
    if ((byte) code == 0) {
      return; // What C prints ends at a zero byte.
    }
    out.write(code);
    if (has('-')) {
      spaces(width - 1);
    }
  }

  private void spaces(int count) {
    for (int i = 0; i < count; i++) {
      out.write(' ');
    }
  }

  private void signed(long number) {
    String digits = number < 0 ? Long.toString(number).substring(1) : Long.toString(number);
    number(number < 0, precise(digits), precision == NONE);
  }

  private void unsigned(long number, int conversion) {
    String digits =
        switch (conversion) {
          case 'o' -> Long.toOctalString(number);
          case 'u' -> Long.toUnsignedString(number);
          case 'x' -> Long.toHexString(number);
          default -> Long.toHexString(number).toUpperCase(Locale.ROOT);
        };
    String precise = precise(digits);
    String prefix = "";
    if (has('#') && conversion == 'o' && !precise.startsWith("0")) {
      precise = "0" + precise;
    } else if (has('#') && number != 0 && (conversion == 'x' || conversion == 'X')) {
      prefix = conversion == 'x' ? "0x" : "0X";
    }
    justify(prefix, precise, precision == NONE);
  }

  /** With zeros in front up to the precision; a zero with precision 0 has no digits. */
  private String precise(String digits) {
    if (precision == 0 && digits.equals("0")) {
      return "";
    }
    return "0".repeat(Math.max(0, precision - digits.length())) + digits;
  }

  private void real(double number, int conversion) {
    int digits = precision == NONE ? PRECISION_DEFAULT : precision;
    boolean alternate = has('#');
    boolean upper = conversion < 'a';
    String text =
        switch (conversion | 0x20) {
          case 'e' -> PrintfNumber.exponent(number, digits, alternate, upper);
          case 'f' -> PrintfNumber.fixed(number, digits, alternate, upper);
          default -> PrintfNumber.general(number, digits, alternate, upper);
        };
    boolean negative = text.startsWith("-");
    number(negative, negative ? text.substring(1) : text, Double.isFinite(number));
  }

  private void number(boolean negative, String body, boolean zerosAllowed) {
    String sign = negative ? "-" : has('+') ? "+" : has(' ') ? " " : "";
    justify(sign, body, zerosAllowed);
  }

  private void justify(String prefix, String body, boolean zerosAllowed) {
    int missing = Math.max(0, width - prefix.length() - body.length());
    String text;
    if (has('-')) {
      text = prefix + body + " ".repeat(missing);
    } else if (has('0') && zerosAllowed) {
      text = prefix + "0".repeat(missing) + body;
    } else {
      text = " ".repeat(missing) + prefix + body;
    }
    out.write(LuaString.of(text).bytes());
  }

  private void quoted(LuaString text) {
    out.write('"');
    for (int i = 0; i < text.length(); i++) {
      int single = text.at(i);
      switch (single) {
        case '"', '\\', '\n' -> {
          out.write('\\');
          out.write(single);
        }
        case '\r' -> out.write(new byte[] {'\\', 'r'});
        case 0 -> out.write(new byte[] {'\\', '0', '0', '0'});
        default -> out.write(single);
      }
    }
    out.write('"');
  }

  private void string(LuaString text) {
    if (precision == NONE && text.length() >= PLAIN_LENGTH) {
      out.write(text.bytes());
      return;
    }
    int end = 0;
    while (end < text.length() && text.at(end) != 0) {
      end++;
    }
    LuaString shown = text.slice(0, precision == NONE ? end : Math.min(end, precision));
    int missing = width - shown.length();
    if (!has('-')) {
      spaces(missing);
    }
    out.write(shown.bytes());
    if (has('-')) {
      spaces(missing);
    }
  }
}
