package dev.varve.server.command;

import dev.varve.codec.DataException;
import dev.varve.server.resp.Args;

/**
 * Finds the keys of requests that say how many there are: {@code ZUNION 2 a b}.
 *
 * <p>Pure functions, any thread.
 */
public final class CountedKeys {
  private static final int[] NONE = {};
  private static final DataException NO_KEYS =
      new DataException("ERR numkeys should be greater than 0");

  private CountedKeys() {}

  /**
   * How many keys the request says it has, which may be more than it does have.
   *
   * @throws DataException "ERR numkeys should be greater than 0", whatever is wrong with the number
   */
  public static long count(Args args, int countIndex) {
    return Arguments.integer(args, countIndex, 1, Long.MAX_VALUE, NO_KEYS);
  }

  /**
   * The indexes of the keys after their number, which is read as far as it is one; none if there
   * are fewer.
   *
   * @param countIndex where the number is
   */
  public static int[] of(Args args, int countIndex) {
    return of(args, countIndex, 1);
  }

  /** The same where a value follows each key. */
  public static int[] ofPairs(Args args, int countIndex) {
    return of(args, countIndex, 2);
  }

  private static int[] of(Args args, int countIndex, int step) {
    long keys = leadingNumber(args.get(countIndex));
    if (keys < 1 || keys > (args.count() - countIndex - 1) / step) {
      return NONE;
    }
    int[] indexes = new int[(int) keys];
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = countIndex + 1 + step * i;
    }
    return indexes;
  }

  /** As C's atoi reads it, but for numbers of more than 32 bits, which count nothing here. */
  private static long leadingNumber(byte[] text) {
    int at = 0;
    while (at < text.length && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) {
      at++;
    }
    if (at < text.length && text[at] == '+') {
      at++;
    }
    long number = 0;
    while (at < text.length && text[at] >= '0' && text[at] <= '9' && number <= Integer.MAX_VALUE) {
      number = 10 * number + text[at++] - '0';
    }
    return number;
  }

  /** As the other one, with the target at index 1 before them. */
  public static int[] ofStore(Args args, int countIndex) {
    int[] sources = of(args, countIndex);
    if (sources.length == 0) {
      return NONE;
    }
    int[] indexes = new int[sources.length + 1];
    indexes[0] = 1;
    System.arraycopy(sources, 0, indexes, 1, sources.length);
    return indexes;
  }
}
