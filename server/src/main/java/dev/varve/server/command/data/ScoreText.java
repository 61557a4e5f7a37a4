package dev.varve.server.command.data;

import dev.varve.codec.DataException;
import dev.varve.codec.zset.ZLexBound;
import dev.varve.codec.zset.ZRange;
import dev.varve.server.command.Arguments;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.DoubleText;
import java.util.Arrays;

/**
 * Reads the ends of ranges of sorted sets: {@code (1.5}, {@code -inf}, {@code [a}, {@code +}.
 *
 * <p>Pure functions, any thread.
 */
final class ScoreText {
  private static final DataException NOT_A_LEX_BOUND =
      new DataException("ERR min or max not valid string range item");

  private ScoreText() {}

  /**
   * The range of scores between two arguments.
   *
   * @throws DataException "ERR min or max is not a float"
   */
  static ZRange scores(Args args, int min, int max) {
    byte[] low = args.get(min);
    byte[] high = args.get(max);
    boolean lowExclusive = isExclusive(low);
    boolean highExclusive = isExclusive(high);
    return new ZRange.ByScore(
        score(low, lowExclusive ? 1 : 0),
        lowExclusive,
        score(high, highExclusive ? 1 : 0),
        highExclusive);
  }

  private static boolean isExclusive(byte[] bound) {
    return bound.length > 0 && bound[0] == '(';
  }

  /** As C's strtod reads a string: white space before the number, and nothing at all for zero. */
  private static double score(byte[] bound, int from) {
    int end = from;
    while (end < bound.length && bound[end] != 0) {
      end++;
    }
    if (from == end) {
      return 0;
    }
    int start = from;
    while (start < end && (bound[start] == ' ' || (bound[start] >= '\t' && bound[start] <= '\r'))) {
      start++;
    }
    double score = DoubleText.parseRounded(Arrays.copyOfRange(bound, start, end));
    if (Double.isNaN(score)) {
      throw Arguments.NOT_A_BOUND;
    }
    return score;
  }

  /**
   * The range of members between two arguments.
   *
   * @throws DataException "ERR min or max not valid string range item"
   */
  static ZRange members(Args args, int min, int max) {
    return new ZRange.ByLex(lexBound(args.get(min)), lexBound(args.get(max)));
  }

  private static ZLexBound lexBound(byte[] bound) {
    if (bound.length == 0) {
      throw NOT_A_LEX_BOUND;
    }
    switch (bound[0]) {
      case '-', '+' -> {
        if (bound.length > 1 && bound[1] != 0) {
          throw NOT_A_LEX_BOUND;
        }
        return bound[0] == '-' ? ZLexBound.LOWEST : ZLexBound.HIGHEST;
      }
      case '[' -> {
        return ZLexBound.inclusive(Arrays.copyOfRange(bound, 1, bound.length));
      }
      case '(' -> {
        return ZLexBound.exclusive(Arrays.copyOfRange(bound, 1, bound.length));
      }
      default -> throw NOT_A_LEX_BOUND;
    }
  }
}
