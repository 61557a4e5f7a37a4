package dev.varve.server.command.data;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.CountedKeys;
import dev.varve.server.resp.Args;

/**
 * The arguments of LMPOP, ZMPOP and their like: {@code 2 a b LEFT COUNT 3}.
 *
 * @param from index of the first key
 * @param to after the last key
 * @param isSecond whether the second of the two words was given
 * @param count how many to pop at most
 */
record CountedPop(int from, int to, boolean isSecond, long count) {
  private static final DataException COUNT_NOT_POSITIVE =
      new DataException("ERR count should be greater than 0");

  /**
   * Reads them.
   *
   * @param countIndex where the number of keys is
   * @param first the word that chooses one end
   * @param second the word that chooses the other
   */
  static CountedPop of(Args args, int countIndex, String first, String second) {
    long keys = CountedKeys.count(args, countIndex);
    if (keys > args.count() - countIndex - 2) {
      throw Arguments.SYNTAX_ERROR;
    }
    int from = countIndex + 1;
    int to = from + (int) keys;
    boolean isSecond = args.is(to, second);
    if (!isSecond && !args.is(to, first)) {
      throw Arguments.SYNTAX_ERROR;
    }
    long count = -1;
    for (int at = to + 1; at < args.count(); at += 2) {
      if (count != -1 || !args.is(at, "COUNT") || at + 1 == args.count()) {
        throw Arguments.SYNTAX_ERROR;
      }
      count = Arguments.integer(args, at + 1, 1, Long.MAX_VALUE, COUNT_NOT_POSITIVE);
    }
    return new CountedPop(from, to, isSecond, Math.max(1, count));
  }
}
