package dev.varve.server.command.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class GeoDecimalsTest {
  /** Farther apart than any two places, in feet. */
  private static final double FAR = 1e8;

  @Test
  void aDistanceIsRoundedByItsExactValue() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 200_000; i++) {
      assertRounded(random.nextDouble(FAR));
      assertRounded(Math.pow(random.nextDouble(), 40) * FAR);
    }
  }

  @Test
  void halfwayBetweenTwoTheExactValueDecides() {
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 200_000; i++) {
      // Most are a little more or less than halfway, and their product is not.
      double halfway = (random.nextLong(1L << random.nextInt(1, 40)) + 0.5) / 10_000;
      assertRounded(halfway);
      assertRounded(Math.nextUp(halfway));
      assertRounded(Math.nextDown(halfway));
      // Exactly halfway.
      assertRounded(random.nextLong(1L << 26) + random.nextInt(32) / 32.0);
    }
    assertEquals("0.0000", GeoCommands.decimals(0));
    assertEquals("0.0312", GeoCommands.decimals(1 / 32.0));
    assertEquals("0.0938", GeoCommands.decimals(3 / 32.0));
    assertEquals("7.0100", GeoCommands.decimals(7.01));
  }

  private static void assertRounded(double distance) {
    BigDecimal exact = new BigDecimal(distance).setScale(4, RoundingMode.HALF_EVEN);
    assertEquals(exact.toPlainString(), GeoCommands.decimals(distance));
  }
}
