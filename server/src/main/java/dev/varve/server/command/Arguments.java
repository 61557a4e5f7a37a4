package dev.varve.server.command;

import dev.varve.codec.DataException;
import dev.varve.codec.LongDouble;
import dev.varve.codec.format.IntegerText;
import dev.varve.codec.format.Slice;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.DoubleText;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Locale;

/**
 * Reads the arguments of a request, by Redis's rules and with its errors.
 *
 * <p>Pure functions, any thread. What they throw carries the whole error reply; the executor
 * catches it, see the package.
 */
public final class Arguments {
  /** Errors quote so much of an argument. */
  public static final int QUOTED_BYTES_MAX = 128;

  /** Of commands that a worker runs, but not between MULTI and EXEC. */
  public static final DataException WAITS_FOR_FILE =
      new DataException("ERR This command waits for a file: it cannot run inside MULTI");

  public static final DataException SYNTAX_ERROR = new DataException("ERR syntax error");
  public static final DataException OUT_OF_RANGE = new DataException("ERR value is out of range");
  public static final DataException MUST_BE_POSITIVE =
      new DataException("ERR value is out of range, must be positive");
  public static final DataException NOT_A_BOUND =
      new DataException("ERR min or max is not a float");
  private static final DataException NOT_INT32 =
      new DataException("ERR value is out of range, value must between -2147483648 and 2147483647");
  private static final DataException NOT_NEGATABLE =
      new DataException(
          "ERR value is out of range, value must between -9223372036854775807 and"
              + " 9223372036854775807");

  private static final DataException TIMEOUT_NOT_A_FLOAT =
      new DataException("ERR timeout is not a float or out of range");
  public static final DataException TIMEOUT_NOT_AN_INTEGER =
      new DataException("ERR timeout is not an integer or out of range");
  private static final DataException TIMEOUT_NEGATIVE =
      new DataException("ERR timeout is negative");

  /** Up to here a double has more than enough bits for a millisecond. */
  private static final double DOUBLE_SECONDS_MAX = 1e12;

  private static final BigDecimal MILLIS_MAX = BigDecimal.valueOf(Long.MAX_VALUE);

  /** As on redis-server, where a processor of x86 makes this of what a long has no room for. */
  private static final long OVERFLOW_MILLIS = Long.MIN_VALUE;

  private Arguments() {}

  /**
   * A 64-bit integer.
   *
   * @throws DataException "ERR value is not an integer or out of range"
   */
  public static long integer(Args args, int index) {
    return integer(args, index, DataException.NOT_AN_INTEGER);
  }

  /** A 64-bit integer, or {@code error}. */
  public static long integer(Args args, int index, DataException error) {
    return IntegerText.parse(args.get(index), error);
  }

  /** An integer from {@code min} to {@code max}, or {@code error}, whatever is wrong with it. */
  public static long integer(Args args, int index, long min, long max, DataException error) {
    long value = integer(args, index, error);
    if (value < min || value > max) {
      throw error;
    }
    return value;
  }

  /**
   * A 32-bit integer.
   *
   * @throws DataException NOT_AN_INTEGER, or that it is out of the range, which the text names
   */
  public static int int32(Args args, int index) {
    long value = integer(args, index);
    if (value != (int) value) {
      throw NOT_INT32;
    }
    return (int) value;
  }

  /**
   * A 64-bit integer whose negative is one too: how many elements, the sign saying of which kind or
   * from which end.
   *
   * @throws DataException NOT_AN_INTEGER, or that it is out of the range, which the text names
   */
  public static long signedCount(Args args, int index) {
    long value = integer(args, index);
    if (value == Long.MIN_VALUE) {
      throw NOT_NEGATABLE;
    }
    return value;
  }

  /**
   * An integer from 0 up.
   *
   * @throws DataException "ERR value is out of range, must be positive", also for text
   */
  public static long positive(Args args, int index) {
    return integer(args, index, 0, Long.MAX_VALUE, MUST_BE_POSITIVE);
  }

  /**
   * A double, infinities included.
   *
   * @throws DataException "ERR value is not a valid float"
   */
  public static double real(Args args, int index) {
    return real(args, index, DataException.NOT_A_FLOAT);
  }

  /** A double, infinities included, or {@code error}. */
  public static double real(Args args, int index, DataException error) {
    double value = DoubleText.parse(args.get(index));
    if (Double.isNaN(value)) {
      throw error;
    }
    return value;
  }

  /**
   * How long a client waits, given in seconds with a fraction: in ms, {@link Wait#FOREVER} for 0.
   *
   * @throws DataException "ERR timeout is not a float or out of range", or that it is negative
   */
  public static long timeoutMillis(Args args, int index) {
    double seconds = DoubleText.parse(args.get(index));
    long millis =
        Math.abs(seconds) <= DOUBLE_SECONDS_MAX
            ? (long) Math.ceil(seconds * 1000)
            : unusualTimeoutMillis(args, index);
    if (millis < 0) {
      throw TIMEOUT_NEGATIVE;
    }
    return millis;
  }

  /** Of what a double does not tell to the millisecond, or is too small or long for one. */
  private static long unusualTimeoutMillis(Args args, int index) {
    BigDecimal seconds;
    try {
      seconds = LongDouble.parse(Slice.of(args.get(index)));
    } catch (DataException notAFloat) {
      throw TIMEOUT_NOT_A_FLOAT;
    }
    if (seconds == null) {
      return OVERFLOW_MILLIS;
    }
    BigDecimal millis = seconds.movePointRight(3).setScale(0, RoundingMode.CEILING);
    return millis.abs().compareTo(MILLIS_MAX) > 0 ? OVERFLOW_MILLIS : millis.longValue();
  }

  /**
   * The same, given in ms.
   *
   * @throws DataException "ERR timeout is not an integer or out of range", or that it is negative
   */
  public static long wholeTimeoutMillis(Args args, int index) {
    long millis = integer(args, index, TIMEOUT_NOT_AN_INTEGER);
    if (millis < 0) {
      throw TIMEOUT_NEGATIVE;
    }
    return millis;
  }

  /** "ERR wrong number of arguments for 'name' command", for shapes that arity does not cover. */
  public static DataException wrongNumber(Command command) {
    return new DataException(
        "ERR wrong number of arguments for '" + command.fullName() + "' command");
  }

  /** For a container whose subcommand takes other arguments. */
  public static DataException wrongSubcommand(Args args) {
    byte[] its = args.get(1);
    return DataException.quoting(
        "ERR unknown subcommand or wrong number of arguments for '",
        its.length > QUOTED_BYTES_MAX ? Arrays.copyOf(its, QUOTED_BYTES_MAX) : its,
        "'. Try ",
        args.text(0).toUpperCase(Locale.ROOT),
        " HELP.");
  }
}
