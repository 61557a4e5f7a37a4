package dev.varve.server.config;

import java.util.Locale;

/**
 * Sizes as redis.conf writes them: 1k is 1000 bytes, 1kb is 1024, likewise m, mb, g, gb; a plain
 * number or one followed by b is bytes.
 *
 * <p>Pure functions, any thread.
 */
public final class MemorySize {
  private static final String[] UNITS = {"gb", "g", "mb", "m", "kb", "k", "b"};
  private static final long[] UNIT_BYTES = {
    1L << 30, 1_000_000_000, 1L << 20, 1_000_000, 1L << 10, 1000, 1
  };

  private MemorySize() {}

  /**
   * The number of bytes that {@code text} says.
   *
   * @throws ConfigException when it says none
   */
  public static long parse(String text) throws ConfigException {
    String lower = text.toLowerCase(Locale.ROOT);
    for (int i = 0; i < UNITS.length; i++) {
      if (lower.endsWith(UNITS[i])) {
        return times(lower.substring(0, lower.length() - UNITS[i].length()), UNIT_BYTES[i]);
      }
    }
    return times(lower, 1);
  }

  private static long times(String digits, long unitBytes) throws ConfigException {
    if (digits.isEmpty()) {
      // As Redis takes it.
      return 0;
    }
    try {
      if (Character.isDigit(digits.charAt(0))) {
        return Math.multiplyExact(Long.parseLong(digits), unitBytes);
      }
    } catch (ArithmeticException | NumberFormatException notANumber) {
      // Falls through to the error.
    }
    throw new ConfigException("argument must be a memory value");
  }

  /** As INFO shows sizes to people: 1.25M. */
  public static String forPeople(long bytes) {
    if (bytes < 1 << 10) {
      return bytes + "B";
    }
    String letters = "KMGTP";
    double size = bytes / 1024.0;
    int unit = 0;
    while (size >= 1024 && unit < letters.length() - 1) {
      size /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.2f%c", size, letters.charAt(unit));
  }
}
