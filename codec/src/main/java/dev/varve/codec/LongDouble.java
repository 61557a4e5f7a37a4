package dev.varve.codec;

import dev.varve.codec.format.Slice;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Numbers as INCRBYFLOAT and HINCRBYFLOAT reckon them: the 80-bit long double of x86 with a
 * mantissa of 64 bits, so that results are Redis's to the last digit.
 *
 * <p>Pure functions, for any thread. A number is an exact decimal; infinity is null.
 */
public final class LongDouble {
  /*
   * Redis reads with strtold, adds, and prints with "%.17Lf" less the trailing zeroes. Every number
   * m * 2^e with a 64-bit m is an exact decimal, so it is enough to round to such a number wherever
   * the hardware would. Most numbers are short, and many of these such a number already: m / 10^s is one
   * where 5^s divides m, and then there is nothing to round, nor to reckon with large integers.
   */
  private static final DataException NOT_FINITE =
      new DataException("ERR increment would produce NaN or Infinity");

  /** The longest text of a number. */
  public static final int TEXT_BYTES_MAX = 5 * 1024 - 1;

  private static final int MANTISSA_BITS = 64;
  private static final int EXPONENT_BITS_MAX = 16_384;
  private static final int DECIMAL_EXPONENT_MAX = 4_933;
  private static final int DECIMAL_EXPONENT_MIN = -4_951;
  private static final int PRINTED_DECIMALS = 17;
  private static final int EXPONENT_DIGITS_MAX = 9;

  /** So many digits fit into a long. */
  private static final int SHORT_DIGITS_MAX = 18;

  private static final long[] POWERS_OF_FIVE = new long[SHORT_DIGITS_MAX + 1];

  static {
    POWERS_OF_FIVE[0] = 1;
    for (int i = 1; i <= SHORT_DIGITS_MAX; i++) {
      POWERS_OF_FIVE[i] = 5 * POWERS_OF_FIVE[i - 1];
    }
  }

  private static final Pattern DECIMAL =
      Pattern.compile("([+-]?)(?:(\\d+)\\.?(\\d*)|\\.(\\d+))(?:[eE]([+-]?\\d+))?");
  private static final Pattern HEXADECIMAL =
      Pattern.compile(
          "([+-]?)0[xX](?:(\\p{XDigit}+)\\.?(\\p{XDigit}*)|\\.(\\p{XDigit}+))(?:[pP]([+-]?\\d+))?");
  private static final Pattern INFINITE =
      Pattern.compile("[+-]?inf(inity)?", Pattern.CASE_INSENSITIVE);

  private LongDouble() {}

  /**
   * Reads a number; null if it is infinite.
   *
   * @throws DataException NOT_A_FLOAT when it is none, or too large or small for a long double
   */
  public static @Nullable BigDecimal parse(Slice text) {
    if (text.length() == 0 || text.length() > TEXT_BYTES_MAX) {
      throw DataException.NOT_A_FLOAT;
    }
    BigDecimal ofFewDigits = ofFewDigits(text);
    if (ofFewDigits != null) {
      return round(ofFewDigits);
    }
    String number =
        new String(text.array(), text.offset(), text.length(), StandardCharsets.ISO_8859_1);
    Matcher decimal = DECIMAL.matcher(number);
    if (decimal.matches()) {
      return inRange(decimal(decimal));
    }
    Matcher hexadecimal = HEXADECIMAL.matcher(number);
    if (hexadecimal.matches()) {
      return inRange(hexadecimal(hexadecimal));
    }
    if (INFINITE.matcher(number).matches()) {
      return null;
    }
    throw DataException.NOT_A_FLOAT;
  }

  /** The number if it is a few digits, maybe with a sign and a point among them; else null. */
  private static @Nullable BigDecimal ofFewDigits(Slice text) {
    byte[] bytes = text.array();
    int end = text.offset() + text.length();
    boolean isSigned = bytes[text.offset()] == '-' || bytes[text.offset()] == '+';
    int first = isSigned ? text.offset() + 1 : text.offset();
    if (end - first > SHORT_DIGITS_MAX + 1) {
      return null;
    }
    long digits = 0;
    int count = 0;
    int point = -1;
    for (int at = first; at < end; at++) {
      int digit = bytes[at] - '0';
      if (digit >= 0 && digit <= 9) {
        digits = 10 * digits + digit;
        count++;
      } else if (bytes[at] == '.' && point < 0) {
        point = at;
      } else {
        return null;
      }
    }
    if (count == 0 || count > SHORT_DIGITS_MAX) {
      return null;
    }
    int scale = point < 0 ? 0 : end - point - 1;
    return BigDecimal.valueOf(bytes[text.offset()] == '-' ? -digits : digits, scale);
  }

  private static BigDecimal decimal(Matcher parts) {
    String fraction = fraction(parts);
    BigInteger digits = new BigInteger(parts.group(1) + whole(parts) + fraction);
    if (digits.signum() == 0) {
      return BigDecimal.ZERO;
    }
    long exponent = exponent(parts) - fraction.length();
    int digitCount = digits.abs().toString().length();
    if (exponent + digitCount > DECIMAL_EXPONENT_MAX
        || exponent + digitCount < DECIMAL_EXPONENT_MIN) {
      throw DataException.NOT_A_FLOAT;
    }
    return new BigDecimal(digits, (int) -exponent);
  }

  private static BigDecimal hexadecimal(Matcher parts) {
    String fraction = fraction(parts);
    BigInteger digits = new BigInteger(parts.group(1) + whole(parts) + fraction, 16);
    if (digits.signum() == 0) {
      return BigDecimal.ZERO;
    }
    long exponent = exponent(parts) - 4L * fraction.length();
    if (exponent + digits.bitLength() > EXPONENT_BITS_MAX
        || exponent + digits.bitLength() < -EXPONENT_BITS_MAX - MANTISSA_BITS) {
      throw DataException.NOT_A_FLOAT;
    }
    return powerOfTwo(digits, (int) exponent);
  }

  private static String whole(Matcher parts) {
    String whole = parts.group(2);
    return whole == null ? "" : whole;
  }

  private static String fraction(Matcher parts) {
    String fraction = parts.group(2) == null ? parts.group(4) : parts.group(3);
    return fraction == null ? "" : fraction;
  }

  private static long exponent(Matcher parts) {
    String exponent = parts.group(5);
    if (exponent == null) {
      return 0;
    }
    BigInteger value = new BigInteger(exponent);
    int bits = 3 * EXPONENT_DIGITS_MAX;
    // Far out of range either way; the exact figure does not matter.
    return value.bitLength() > bits ? value.signum() * (1L << bits) : value.longValue();
  }

  private static BigDecimal inRange(BigDecimal value) {
    BigDecimal rounded = round(value);
    if (rounded == null) {
      throw DataException.NOT_A_FLOAT;
    }
    return rounded;
  }

  /**
   * The sum, rounded.
   *
   * @throws DataException when it is not finite
   */
  public static BigDecimal add(@Nullable BigDecimal a, @Nullable BigDecimal b) {
    BigDecimal sum = a == null || b == null ? null : round(a.add(b));
    if (sum == null) {
      throw NOT_FINITE;
    }
    return sum;
  }

  /** The nearest number with a mantissa of 64 bits, the even one of two; null if infinite. */
  private static @Nullable BigDecimal round(BigDecimal value) {
    if (value.signum() == 0) {
      return BigDecimal.ZERO;
    }
    if (isExact(value)) {
      return value;
    }
    BigInteger numerator = value.unscaledValue().abs();
    BigInteger denominator = BigInteger.ONE;
    if (value.scale() > 0) {
      denominator = BigInteger.TEN.pow(value.scale());
    } else {
      numerator = numerator.multiply(BigInteger.TEN.pow(-value.scale()));
    }
    // Two bits more than needed, the last of them saying whether anything was cut off.
    int shift = MANTISSA_BITS + 2 - (numerator.bitLength() - denominator.bitLength());
    if (shift > 0) {
      numerator = numerator.shiftLeft(shift);
    } else {
      denominator = denominator.shiftLeft(-shift);
    }
    BigInteger[] quotient = numerator.divideAndRemainder(denominator);
    BigInteger bits = quotient[1].signum() == 0 ? quotient[0] : quotient[0].setBit(0);
    int cut = bits.bitLength() - MANTISSA_BITS;
    BigInteger mantissa = bits.shiftRight(cut);
    BigInteger rest = bits.subtract(mantissa.shiftLeft(cut));
    int half = rest.compareTo(BigInteger.ONE.shiftLeft(cut - 1));
    if (half > 0 || (half == 0 && mantissa.testBit(0))) {
      mantissa = mantissa.add(BigInteger.ONE);
    }
    int exponent = cut - shift;
    if (mantissa.bitLength() + exponent > EXPONENT_BITS_MAX) {
      return null;
    }
    return powerOfTwo(value.signum() < 0 ? mantissa.negate() : mantissa, exponent);
  }

  /** Whether it is known at a glance to have a mantissa of 64 bits. */
  private static boolean isExact(BigDecimal value) {
    int scale = value.scale();
    return scale >= 0
        && scale <= SHORT_DIGITS_MAX
        && value.precision() <= SHORT_DIGITS_MAX
        && value.unscaledValue().longValue() % POWERS_OF_FIVE[scale] == 0;
  }

  private static BigDecimal powerOfTwo(BigInteger mantissa, int exponent) {
    if (exponent >= 0) {
      return new BigDecimal(mantissa.shiftLeft(exponent));
    }
    int zeroes = Math.min(mantissa.getLowestSetBit(), -exponent);
    int scale = -exponent - zeroes;
    BigInteger odd = mantissa.shiftRight(zeroes);
    return new BigDecimal(odd.multiply(BigInteger.valueOf(5).pow(scale)), scale);
  }

  /** As Redis prints it: never with an exponent, no trailing zeroes. */
  public static byte[] format(BigDecimal value) {
    BigDecimal printed = value.setScale(PRINTED_DECIMALS, RoundingMode.HALF_EVEN);
    String text = printed.signum() == 0 ? "0" : printed.stripTrailingZeros().toPlainString();
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
