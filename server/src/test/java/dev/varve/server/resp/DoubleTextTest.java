package dev.varve.server.resp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DoubleTextTest {

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  @Test
  void doublesAreReadAsStrtodDoes() {
    assertEquals(1.5, DoubleText.parse(bytes("1.5")));
    assertEquals(-0.5, DoubleText.parse(bytes("-.5")));
    assertEquals(5.0, DoubleText.parse(bytes("+5.")));
    assertEquals(1e10, DoubleText.parse(bytes("1e10")));
    assertEquals(26.0, DoubleText.parse(bytes("0x1A")));
    assertEquals(8.0, DoubleText.parse(bytes("0x1p3")));
    assertEquals(Double.POSITIVE_INFINITY, DoubleText.parse(bytes("+inf")));
    assertEquals(Double.NEGATIVE_INFINITY, DoubleText.parse(bytes("-Infinity")));
    assertEquals(0.0, DoubleText.parse(bytes("0e5")));
    for (String wrong :
        new String[] {
          "", " 1", "1 ", "nan", "1e", "e5", ".", "-", "+", "-.", "1.2.3", "1-", "+-1", "1e400",
          "-1e400", "1e-400", "1d", "1f", "abc", "0x"
        }) {
      assertTrue(Double.isNaN(DoubleText.parse(bytes(wrong))), wrong);
    }
  }

  @Test
  void doublesOfFewDigitsAreReadAsJavaReadsThem() {
    Random random = new Random(7);
    for (int i = 0; i < 200_000; i++) {
      StringBuilder text = new StringBuilder(List.of("", "-", "+").get(random.nextInt(3)));
      int digits = 1 + random.nextInt(18);
      int point = random.nextInt(2 * digits);
      for (int digit = 0; digit < digits; digit++) {
        text.append(digit == point ? "." : "");
        text.append(random.nextInt(4) == 0 ? 0 : random.nextInt(10));
      }
      text.append(point == digits ? "." : "");
      String its = text.toString();
      // By its bits: -0 is not 0.
      assertEquals(Double.valueOf(its), DoubleText.parse(bytes(its)), its);
    }
  }

  @Test
  void doublesOutOfRangeAreRoundedWhereThatIsAllowed() {
    assertEquals(Double.POSITIVE_INFINITY, DoubleText.parseRounded(bytes("1e400")));
    assertEquals(Double.NEGATIVE_INFINITY, DoubleText.parseRounded(bytes("-0x1p99999")));
    assertEquals(0.0, DoubleText.parseRounded(bytes("1e-400")));
    assertEquals(1.5, DoubleText.parseRounded(bytes("1.5")));
    assertEquals(7.0, DoubleText.parseRounded(bytes("7")));
    assertTrue(Double.isNaN(DoubleText.parseRounded(bytes("1e"))));
    assertTrue(Double.isNaN(DoubleText.parseRounded(bytes("nan"))));
  }

  @Test
  void doublesAreWrittenWith17Digits() {
    // The right sides are what printf("%.17g") of glibc gives.
    assertEquals("0.10000000000000001", text(DoubleText.of(0.1)));
    assertEquals("3", text(DoubleText.of(3)));
    assertEquals("-3.2000000000000002", text(DoubleText.of(-3.2)));
    assertEquals("1.0000000000000001e-05", text(DoubleText.of(1e-5)));
    assertEquals("0.0001", text(DoubleText.of(1e-4)));
    assertEquals("1e+17", text(DoubleText.of(1e17)));
    assertEquals("10000000000000000", text(DoubleText.of(1e16)));
    assertEquals("1.0000000000000001e+300", text(DoubleText.of(1e300)));
    assertEquals("-0", text(DoubleText.of(-0.0)));
    assertEquals("inf", text(DoubleText.of(Double.POSITIVE_INFINITY)));
    assertEquals("1.7976931348623157e+308", text(DoubleText.of(Double.MAX_VALUE)));
    assertEquals("4.9406564584124654e-324", text(DoubleText.of(Double.MIN_VALUE)));
  }

  @Test
  void fractionsAreRoundedTo17DigitsAsTheirExactDecimalsAre() {
    Random random = new Random(3);
    for (int i = 0; i < 300_000; i++) {
      double value =
          switch (random.nextInt(6)) {
            case 0 -> random.nextDouble() * Math.pow(10, random.nextInt(20) - 3);
            case 1 -> random.nextInt(100_000) / 100.0;
            case 2 -> random.nextInt(1000) + random.nextInt(1 << 20) / (double) (1 << 20);
            // Of bits: ties of the 17th digit, halves between integers of 16.
            case 3 -> (random.nextLong() >>> 12) * Math.pow(2, -random.nextInt(62));
            case 4 -> Math.nextDown(Math.pow(10, random.nextInt(19) - 3));
            default -> Math.nextUp(Math.pow(2, random.nextInt(64) - 10));
          };
      assertFraction(value);
      assertFraction(-value);
    }
  }

  private static void assertFraction(double value) {
    if (value == 0 || Math.abs(value) < 1e-4 || Math.abs(value) >= 1e16) {
      return;
    }
    String expected =
        new BigDecimal(value)
            .round(new MathContext(17, RoundingMode.HALF_EVEN))
            .stripTrailingZeros()
            .toPlainString();
    assertEquals(expected, text(DoubleText.of(value)));
  }
}
