package dev.varve.codec.geo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

class ArcSineTest {
  /** Results are what 200 bits give, rounded. */
  @Test
  void isTheNearestNumber() {
    double[][] expected = {
      {0.0, 0.0},
      {1e-09, 1e-09},
      {0.001, 0.0010000001666667416},
      {0.1, 0.1001674211615598},
      {0.25, 0.25268025514207865},
      {0.5, 0.5235987755982989},
      {0.75, 0.848062078981481},
      {0.99, 1.4292568534704693},
      {0.999999, 1.5693821131146521},
      {0.9999999999999999, 1.5707963118937354},
      {1.0, 1.5707963267948966}
    };
    for (double[] one : expected) {
      assertEquals(one[1], ArcSine.of(one[0]), "of " + one[0]);
    }
  }

  @Test
  void isTheNearestNumberWhereTheOneOfJavaIsNot() {
    double[][] expected = {
      {0.8086, 0.9417687088389038},
      {0.7956, 0.9199973258837567},
      {0.5917, 0.633165980029253},
      {0.58, 0.618728690672251},
      {0.9225, 1.174507896860679},
      {0.9223, 1.1739900786209876}
    };
    for (double[] one : expected) {
      assertNotEquals(one[1], Math.asin(one[0]), "of " + one[0]);
      assertEquals(one[1], ArcSine.of(one[0]), "of " + one[0]);
    }
  }
}
