package dev.varve.server.resp;

import dev.varve.codec.format.IntegerText;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Doubles as Redis 7.0 reads them (C's strtod over the whole text) and writes them in replies (C's
 * {@code %.17g}).
 *
 * <p>Pure functions, any thread.
 */
public final class DoubleText {

  /** Longer texts are refused unseen; no finite double needs as many digits. */
  private static final int BYTES_MAX = 1024;

  private static final int SIGNIFICANT_DIGITS = 17;
  private static final int DECIMALS = 17;

  private static final int MANTISSA_BITS = 52;

  /** Ten times as many bits still fit into a long. */
  private static final int FRACTION_BITS_MAX = 59;

  private static final int FRACTIONAL_EXPONENT_MIN = MANTISSA_BITS - FRACTION_BITS_MAX;

  /** Integers up to here have at most 17 digits, so that their text is exact. */
  private static final double EXACT_INTEGER_MAX = 99_999_999_999_999_999d;

  /** So many digits are a number below 2^53. */
  private static final int SIMPLE_DIGITS_MAX = 15;

  private static final double[] POWERS_OF_TEN = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
  };

  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");
  private static final Pattern HEXADECIMAL =
      Pattern.compile(
          "[+-]?0[xX](?:[0-9a-fA-F]+\\.?[0-9a-fA-F]*|\\.[0-9a-fA-F]+)(?<exponent>[pP][+-]?[0-9]+)?");
  private static final Pattern INFINITE =
      Pattern.compile("[+-]?inf(?:inity)?", Pattern.CASE_INSENSITIVE);

  private DoubleText() {}

  /**
   * The number that {@code text} is, infinities included, or NaN if it is none: "nan" is refused,
   * and so is a number too large, or so small that it would become zero.
   */
  public static double parse(byte[] text) {
    return parse(text, false);
  }

  /**
   * As {@link #parse}, but a number too large is an infinity, and one too small is zero or next to
   * it: for the ends of ranges, where Redis does not mind.
   */
  public static double parseRounded(byte[] text) {
    return parse(text, true);
  }

  private static double parse(byte[] text, boolean rounds) {
    if (text.length == 0 || text.length > BYTES_MAX) {
      return Double.NaN;
    }
    double simple = parseSimple(text);
    return Double.isNaN(simple)
        ? parse(new String(text, StandardCharsets.ISO_8859_1), rounds)
        : simple;
  }

  /**
   * A decimal number without exponent and with few digits, or NaN. Both its digits and the power of
   * ten that they are divided by are doubles, so that the division rounds as strtod does (W.
   * Clinger, "How to read floating point numbers accurately", 1990).
   */
  private static double parseSimple(byte[] text) {
    boolean isNegative = text[0] == '-';
    int from = isNegative || text[0] == '+' ? 1 : 0;
    int point = text.length;
    int digits = 0;
    long number = 0;
    for (int i = from; i < text.length; i++) {
      byte letter = text[i];
      if (letter == '.' && point == text.length) {
        point = i;
      } else if (letter >= '0' && letter <= '9' && digits < SIMPLE_DIGITS_MAX) {
        number = 10 * number + letter - '0';
        digits++;
      } else {
        return Double.NaN;
      }
    }
    if (digits == 0) {
      return Double.NaN;
    }
    int decimals = Math.max(0, text.length - 1 - point);
    double value = decimals == 0 ? number : number / POWERS_OF_TEN[decimals];
    return isNegative ? -value : value;
  }

  private static double parse(String text, boolean rounds) {
    if (DECIMAL.matcher(text).matches()) {
      double value = Double.parseDouble(text);
      return rounds ? value : unlessOutOfRange(text, value);
    }
    var hexadecimal = HEXADECIMAL.matcher(text);
    if (hexadecimal.matches()) {
      String whole = hexadecimal.group("exponent") == null ? text + "p0" : text;
      double value = Double.parseDouble(whole);
      return rounds ? value : unlessOutOfRange(text, value);
    }
    if (INFINITE.matcher(text).matches()) {
      return text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }
    return Double.NaN;
  }

  private static double unlessOutOfRange(String text, double value) {
    if (Double.isInfinite(value)) {
      return Double.NaN;
    }
    return value == 0 && hasNonZeroDigit(text) ? Double.NaN : value;
  }

  private static boolean hasNonZeroDigit(String text) {
    boolean isHexadecimal = text.indexOf('x') >= 0 || text.indexOf('X') >= 0;
    for (int i = 0; i < text.length(); i++) {
      char letter = Character.toLowerCase(text.charAt(i));
      if (letter == 'p' || (letter == 'e' && !isHexadecimal)) {
        return false;
      }
      if ((letter >= '1' && letter <= '9') || (isHexadecimal && letter >= 'a' && letter <= 'f')) {
        return true;
      }
    }
    return false;
  }

  /** The text of {@code value} as {@code %.17g} gives it; infinities are "inf" and "-inf". */
  public static byte[] of(double value) {
    if (Double.isInfinite(value)) {
      return (value > 0 ? "inf" : "-inf").getBytes(StandardCharsets.US_ASCII);
    }
    if (Double.isNaN(value)) {
      return "nan".getBytes(StandardCharsets.US_ASCII);
    }
    if (value == Math.rint(value)
        && Math.abs(value) < EXACT_INTEGER_MAX
        && !isNegativeZero(value)) {
      return IntegerText.of((long) value);
    }
    int exponent = Math.getExponent(value);
    return exponent >= FRACTIONAL_EXPONENT_MIN && exponent < MANTISSA_BITS
        ? fractional(value, MANTISSA_BITS - exponent)
        : general(value).getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * The same of a value that is no integer, of a size that is plain notation.
   *
   * @param point how many bits of its significand are behind the point, 1 to {@link
   *     #FRACTION_BITS_MAX}
   */
  private static byte[] fractional(double value, int point) {
    long bits = Double.doubleToRawLongBits(value);
    long significand = (bits & (1L << MANTISSA_BITS) - 1) | 1L << MANTISSA_BITS;
    long whole = significand >>> point;
    long unit = 1L << point;
    long rest = significand & unit - 1;
    int left = SIGNIFICANT_DIGITS;
    for (long digits = whole; digits > 0; digits /= 10) {
      left--;
    }
    // All is exact: ten times the rest has four bits more.
    long fraction = 0;
    int decimals = 0;
    while (left > 0 && rest != 0) {
      rest *= 10;
      fraction = 10 * fraction + (rest >>> point);
      rest &= unit - 1;
      decimals++;
      if (fraction > 0 || whole > 0) {
        left--;
      }
    }
    long half = unit >>> 1;
    if (rest > half || (rest == half && (fraction & 1) != 0)) {
      // Never up to the next integer, which is farther than a half of the 17th digit.
      fraction++;
    }
    while (decimals > 0 && fraction % 10 == 0) {
      fraction /= 10;
      decimals--;
    }
    return text(value < 0, whole, fraction, decimals);
  }

  private static byte[] text(boolean isNegative, long whole, long fraction, int decimals) {
    byte[] digits = IntegerText.of(whole);
    int start = isNegative ? 1 : 0;
    int behind = decimals == 0 ? 0 : 1 + decimals;
    byte[] text = new byte[start + digits.length + behind];
    if (isNegative) {
      text[0] = '-';
    }
    System.arraycopy(digits, 0, text, start, digits.length);
    long left = fraction;
    for (int at = text.length - 1; at > start + digits.length; at--) {
      text[at] = (byte) ('0' + left % 10);
      left /= 10;
    }
    if (behind > 0) {
      text[start + digits.length] = '.';
    }
    return text;
  }

  /** The text of a finite {@code value} as {@code %.17f} gives it, without zeroes at its end. */
  static byte[] decimal(double value) {
    BigDecimal rounded = new BigDecimal(value).setScale(DECIMALS, RoundingMode.HALF_EVEN);
    String text = rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static boolean isNegativeZero(double value) {
    return value == 0 && Double.doubleToRawLongBits(value) != 0;
  }

  /*
   * C11 7.21.6.1, %g with precision P: round to P significant digits; with X the decimal exponent,
   * plain notation if P > X >= -4, else scientific; trailing zeros go.
   */
  private static String general(double value) {
    if (value == 0) {
      return "-0";
    }
    BigDecimal rounded =
        new BigDecimal(value)
            .round(new MathContext(SIGNIFICANT_DIGITS, RoundingMode.HALF_EVEN))
            .stripTrailingZeros();
    int exponent = rounded.precision() - rounded.scale() - 1;
    if (exponent >= -4 && exponent < SIGNIFICANT_DIGITS) {
      return rounded.toPlainString();
    }
    String digits = rounded.unscaledValue().abs().toString();
    StringBuilder text = new StringBuilder(SIGNIFICANT_DIGITS + 8);
    if (value < 0) {
      text.append('-');
    }
    text.append(digits.charAt(0));
    if (digits.length() > 1) {
      text.append('.').append(digits, 1, digits.length());
    }
    return text.append('e')
        .append(exponent < 0 ? '-' : '+')
        .append(String.format(Locale.ROOT, "%02d", Math.abs(exponent)))
        .toString();
  }
}
