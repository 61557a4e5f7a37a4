package dev.varve.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.Slice;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What redis-server answers is compared by the differential tests of the server. */
class LongDoubleTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  private static BigDecimal parse(String text) {
    byte[] padded = ("7" + text + "8").getBytes(StandardCharsets.US_ASCII);
    return Objects.requireNonNull(LongDouble.parse(new Slice(padded, 1, text.length())));
  }

  private static String format(BigDecimal value) {
    return new String(LongDouble.format(value), StandardCharsets.US_ASCII);
  }

  private static String number(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    switch (random.nextInt(4)) {
      case 0 -> text.append('-');
      case 1 -> text.append('+');
      default -> {}
    }
    int digits = 1 + random.nextInt(22);
    int point = random.nextInt(-1, digits + 1);
    // Zeroes and fives in many places: some of these numbers are exact, some nearly so.
    String from = random.nextBoolean() ? "0123456789" : "0005";
    for (int i = 0; i < digits; i++) {
      text.append(i == point ? "." : "").append(from.charAt(random.nextInt(from.length())));
    }
    return text.append(digits == point ? "." : "").toString();
  }

  /** It is m * 2^e with m of 64 bits, and no other such number is nearer. */
  private static void assertRounded(BigDecimal exact, BigDecimal rounded) {
    if (exact.signum() == 0) {
      assertEquals(0, rounded.signum());
      return;
    }
    BigInteger unscaled = rounded.unscaledValue().abs();
    BigInteger[] byFives =
        rounded.scale() <= 0
            ? new BigInteger[] {unscaled, BigInteger.ZERO}
            : unscaled.divideAndRemainder(BigInteger.valueOf(5).pow(rounded.scale()));
    assertEquals(BigInteger.ZERO, byFives[1], exact + " as " + rounded);
    BigInteger odd = byFives[0].shiftRight(byFives[0].getLowestSetBit());
    assertTrue(odd.bitLength() <= 64, exact + " as " + rounded);
    BigDecimal half = exact.abs().divide(BigDecimal.valueOf(2).pow(64));
    assertTrue(rounded.subtract(exact).abs().compareTo(half) <= 0, exact + " as " + rounded);
  }

  @Test
  void numbersAndTheirSumsAreTheNearestThatALongDoubleHas() {
    System.out.println("LongDoubleTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 20_000; i++) {
      String a = number(random);
      String b = number(random);
      assertRounded(new BigDecimal(a), parse(a));
      assertEquals(0, parse(a).compareTo(parse(a + "e0")), a);
      BigDecimal sum = LongDouble.add(parse(a), parse(b));
      assertRounded(parse(a).add(parse(b)), sum);
    }
  }

  @Test
  void resultsAreThoseOfALongDouble() {
    assertEquals("0.3", format(LongDouble.add(parse("0.1"), parse("0.2"))));
    assertEquals("3", format(LongDouble.add(parse("1.5"), parse("1.50"))));
    assertEquals("0", format(LongDouble.add(parse("-1.25"), parse("+1.250"))));
    assertEquals(
        "18446744073709551616", format(LongDouble.add(parse("18446744073709551615"), parse("1"))));
    assertEquals("5000000000.00000000046566129", format(parse("5000000000.0000000005")));
  }

  @Test
  void whatIsNoNumberIsRefused() {
    for (String text : new String[] {"", ".", "-", "+.", "1.2.3", "--1", "1-", " 1", "1 ", "1_0"}) {
      assertThrows(DataException.class, () -> parse(text), text);
    }
  }
}
