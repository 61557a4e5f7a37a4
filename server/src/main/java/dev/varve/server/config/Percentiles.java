package dev.varve.server.config;

import java.util.Locale;
import java.util.regex.Pattern;

/** Numbers from 0 to 100, separated by spaces. Pure functions, any thread. */
public final class Percentiles {
  private static final double MAX = 100;
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");
  private static final Pattern INFINITY =
      Pattern.compile("[+-]?inf(inity)?", Pattern.CASE_INSENSITIVE);

  private Percentiles() {}

  static void check(String text) throws ConfigException {
    for (String word : words(text)) {
      boolean isInfinite = INFINITY.matcher(word).matches();
      if (!isInfinite && !NUMBER.matcher(word).matches()) {
        throw new ConfigException("Invalid latency-tracking-info-percentiles parameters");
      }
      double number = isInfinite ? Double.POSITIVE_INFINITY : Double.parseDouble(word);
      if (!(number >= 0 && number <= MAX)) {
        throw new ConfigException(
            "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]");
      }
    }
  }

  /** A text that was checked, as CONFIG GET shows it: with at most six decimals. */
  static String shown(String text) {
    String[] words = words(text);
    for (int i = 0; i < words.length; i++) {
      words[i] =
          String.format(Locale.ROOT, "%f", Double.parseDouble(words[i]))
              .replaceFirst("\\.?0+$", "");
    }
    return String.join(" ", words);
  }

  private static String[] words(String text) {
    return text.isEmpty() ? new String[0] : text.split(" ", -1);
  }

  /** The numbers in a text that was checked. */
  public static double[] parse(String text) {
    String[] words = words(text);
    double[] numbers = new double[words.length];
    for (int i = 0; i < words.length; i++) {
      numbers[i] = Double.parseDouble(words[i]);
    }
    return numbers;
  }
}
