package dev.varve.server.config;

/** Numbers from 0 to 100, separated by spaces. Pure functions, any thread. */
public final class Percentiles {
  private static final double MAX = 100;

  private Percentiles() {}

  static void check(String text) throws ConfigException {
    try {
      for (double each : parse(text)) {
        if (!(each >= 0 && each <= MAX)) {
          throw new ConfigException(
              "latency-tracking-info-percentiles should contain a numeric value between 0.0 and 100.0");
        }
      }
    } catch (NumberFormatException notANumber) {
      throw new ConfigException("Invalid latency-tracking-info-percentiles parameters");
    }
  }

  /** The numbers in a text that was checked. */
  public static double[] parse(String text) {
    String[] words = text.isBlank() ? new String[0] : text.trim().split("\\s+");
    double[] numbers = new double[words.length];
    for (int i = 0; i < words.length; i++) {
      numbers[i] = Double.parseDouble(words[i]);
    }
    return numbers;
  }
}
