package dev.varve.perf.server;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Takes a number of the command line that counts something there has to be: with less than one of
 * it, a run would measure nothing, or never end. Stateless.
 */
public final class AtLeastOne implements ITypeConverter<Integer> {

  /** The same for what may be longer. Stateless. */
  public static final class Wide implements ITypeConverter<Long> {

    /** For picocli. */
    public Wide() {}

    @Override
    public Long convert(String text) {
      return checked(text, Long.MAX_VALUE);
    }
  }

  /** For picocli. */
  public AtLeastOne() {}

  @Override
  public Integer convert(String text) {
    return (int) checked(text, Integer.MAX_VALUE);
  }

  private static long checked(String text, long max) {
    try {
      long number = Long.parseLong(text);
      if (number >= 1 && number <= max) {
        return number;
      }
    } catch (NumberFormatException noNumber) {
      // Is told as one that is too small.
    }
    throw new TypeConversionException("it is a whole number, at least 1, not '" + text + "'");
  }
}
