package dev.varve.codec.geo;

/**
 * The arc sine, rounded to the nearest number.
 *
 * <p>Math.asin is off by the last bit for one argument of twenty-five, the C library that Redis
 * calls for one of five hundred. Pure functions, for any thread.
 */
final class ArcSine {
  /*
   * A step of Newton's method from what Math.asin gives. Its sine is summed up by its series, y (1 -
   * y²/2·3 (1 - y²/4·5 (1 - …))), in pairs of doubles that together are the number (T. J. Dekker, "A
   * floating-point technique for extending the available precision", 1971).
   */
  private static final int LAST_FACTOR = 28;

  private ArcSine() {}

  /** The angle between 0 and a right one that has this sine. */
  static double of(double sine) {
    double angle = Math.asin(sine);
    if (sine >= 1) {
      return angle;
    }
    double square = angle * angle;
    double squareRest = Math.fma(angle, angle, -square);
    double sum = 1;
    double sumRest = 0;
    for (int factor = LAST_FACTOR; factor > 0; factor -= 2) {
      double product = sum * square;
      double productRest = Math.fma(sum, square, -product) + sum * squareRest + sumRest * square;
      double divisor = factor * (factor + 1.0);
      double term = product / divisor;
      double termRest = (Math.fma(-term, divisor, product) + productRest) / divisor;
      sum = 1 - term;
      sumRest = 1 - sum - term - termRest;
    }
    double its = sum * angle;
    double itsRest = Math.fma(sum, angle, -its) + sumRest * angle;
    return angle + (sine - its - itsRest) / Math.cos(angle);
  }
}
