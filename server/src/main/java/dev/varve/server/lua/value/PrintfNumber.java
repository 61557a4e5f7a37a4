package dev.varve.server.lua.value;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/**
 * Doubles as C's printf writes them, sign included, before flags and width are applied.
 *
 * <p>Pure functions, any thread.
 */
public final class PrintfNumber {
  private static final int EXPONENT_DIGITS_MIN = 2;

  /** A decimal exponent below which {@code %g} uses the exponent form. */
  private static final int GENERAL_EXPONENT_MIN = -4;

  /** Doubles with at most so many significant digits need no exact arithmetic to be rounded. */
  private static final int SAFE_DIGITS = 15;

  private PrintfNumber() {}

  /** {@code %.<precision>g}; {@code alternate} is the flag {@code #}. */
  public static String general(double number, int precision, boolean alternate, boolean upper) {
    if (!Double.isFinite(number)) {
      return notFinite(number, upper);
    }
    int digits = Math.max(precision, 1);
    String sign = isNegative(number) ? "-" : "";
    BigDecimal rounded = round(Math.abs(number), digits);
    int exponent = rounded.signum() == 0 ? 0 : rounded.precision() - rounded.scale() - 1;
    String all = digitsOf(rounded, digits);
    String body;
    if (exponent < GENERAL_EXPONENT_MIN || exponent >= digits) {
      body = mantissa(all, alternate) + exponentText(exponent, upper);
    } else if (exponent < 0) {
      body = trim("0." + "0".repeat(-exponent - 1) + all, alternate);
    } else {
      String whole = all.substring(0, exponent + 1);
      String rest = all.substring(exponent + 1);
      body = trim(rest.isEmpty() && !alternate ? whole : whole + "." + rest, alternate);
    }
    return sign + body;
  }

  /** {@code %.<precision>e}. */
  public static String exponent(double number, int precision, boolean alternate, boolean upper) {
    if (!Double.isFinite(number)) {
      return notFinite(number, upper);
    }
    BigDecimal rounded = round(Math.abs(number), precision + 1);
    int exponent = rounded.signum() == 0 ? 0 : rounded.precision() - rounded.scale() - 1;
    String all = digitsOf(rounded, precision + 1);
    String point = precision > 0 || alternate ? "." : "";
    return (isNegative(number) ? "-" : "")
        + all.charAt(0)
        + point
        + all.substring(1)
        + exponentText(exponent, upper);
  }

  /** {@code %.<precision>f}. */
  public static String fixed(double number, int precision, boolean alternate, boolean upper) {
    if (!Double.isFinite(number)) {
      return notFinite(number, upper);
    }
    BigDecimal exact = new BigDecimal(Math.abs(number));
    String text = exact.setScale(precision, RoundingMode.HALF_EVEN).toPlainString();
    return (isNegative(number) ? "-" : "") + text + (alternate && precision == 0 ? "." : "");
  }

  private static boolean isNegative(double number) {
    return number < 0 || (number == 0 && 1 / number < 0);
  }

  private static String notFinite(double number, boolean upper) {
    // Lua 5.1 on Linux prints the sign of a NaN as the processor left it: 0/0 is negative there.
    String text = Double.isNaN(number) ? "-nan" : number > 0 ? "inf" : "-inf";
    if (Double.isNaN(number) && Double.doubleToRawLongBits(number) >= 0) {
      text = "nan";
    }
    return upper ? text.toUpperCase(Locale.ROOT) : text;
  }

  private static BigDecimal round(double number, int digits) {
    if (digits <= SAFE_DIGITS && (number == 0 || number >= Double.MIN_NORMAL)) {
      BigDecimal shortest = new BigDecimal(Double.toString(number));
      if (shortest.precision() <= digits) {
        return shortest;
      }
    }
    return new BigDecimal(number).round(new MathContext(digits, RoundingMode.HALF_EVEN));
  }

  /** Exactly so many digits, without a point. */
  private static String digitsOf(BigDecimal rounded, int digits) {
    BigInteger unscaled = rounded.unscaledValue();
    String text = unscaled.signum() == 0 ? "0" : unscaled.toString();
    return text.length() >= digits
        ? text.substring(0, digits)
        : text + "0".repeat(digits - text.length());
  }

  private static String mantissa(String digits, boolean alternate) {
    String rest = digits.substring(1);
    return trim(digits.charAt(0) + (rest.isEmpty() && !alternate ? "" : "." + rest), alternate);
  }

  private static String trim(String text, boolean alternate) {
    if (alternate || text.indexOf('.') < 0) {
      return text;
    }
    int end = text.length();
    while (text.charAt(end - 1) == '0') {
      end--;
    }
    return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
  }

  private static String exponentText(int exponent, boolean upper) {
    String digits = Integer.toString(Math.abs(exponent));
    return (upper ? "E" : "e")
        + (exponent < 0 ? "-" : "+")
        + "0".repeat(Math.max(0, EXPONENT_DIGITS_MIN - digits.length()))
        + digits;
  }
}
