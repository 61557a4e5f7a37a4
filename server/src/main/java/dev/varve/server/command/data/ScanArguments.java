package dev.varve.server.command.data;

import dev.varve.codec.DataException;
import dev.varve.codec.Glob;
import dev.varve.server.command.Arguments;
import dev.varve.server.resp.Args;
import org.jspecify.annotations.Nullable;

/**
 * What SCAN and its kin are asked: a cursor, MATCH, COUNT and, for SCAN alone, TYPE, for HSCAN
 * alone, NOVALUES.
 *
 * <p>Immutable, any thread.
 *
 * @param match what names must match, or null
 * @param count how many to look at
 * @param type the name of the type wanted, or null
 * @param namesOnly whether values are left out
 */
record ScanArguments(@Nullable Glob match, int count, @Nullable String type, boolean namesOnly) {

  /** What is walked over. */
  enum Over {
    KEYS,
    FIELDS,
    MEMBERS
  }

  private static final DataException NOT_FIELDS =
      new DataException("ERR NOVALUES option can only be used in HSCAN");
  private static final DataException INVALID_CURSOR = new DataException("ERR invalid cursor");
  private static final int COUNT_DEFAULT = 10;

  /**
   * A cursor: an unsigned 64-bit number in decimal.
   *
   * @throws DataException "ERR invalid cursor"
   */
  static long cursor(Args args, int index) {
    byte[] text = args.get(index);
    // As strtoul does, nothing counts as 0, and a sign is allowed.
    int at = text.length > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    if (at == text.length && at > 0) {
      throw INVALID_CURSOR;
    }
    long cursor = 0;
    for (; at < text.length; at++) {
      int digit = text[at] - '0';
      boolean overflows = Long.compareUnsigned(cursor, Long.divideUnsigned(-1L - digit, 10)) > 0;
      if (digit < 0 || digit > 9 || overflows) {
        throw INVALID_CURSOR;
      }
      cursor = 10 * cursor + digit;
    }
    return text.length > 0 && text[0] == '-' ? -cursor : cursor;
  }

  /** "ERR invalid cursor", also for one that is not known any more. */
  static DataException invalidCursor() {
    return INVALID_CURSOR;
  }

  /** Reads the options from argument {@code first} on. */
  static ScanArguments options(Args args, int first, Over over) {
    Glob match = null;
    int count = COUNT_DEFAULT;
    String type = null;
    boolean namesOnly = false;
    for (int i = first; i < args.count(); i++) {
      boolean hasNext = i + 1 < args.count();
      if (args.is(i, "COUNT") && hasNext) {
        long given = Arguments.integer(args, ++i);
        if (given < 1) {
          throw Arguments.SYNTAX_ERROR;
        }
        count = (int) Math.min(given, Integer.MAX_VALUE);
      } else if (args.is(i, "MATCH") && hasNext) {
        match = new Glob(args.get(++i));
      } else if (over == Over.KEYS && args.is(i, "TYPE") && hasNext) {
        type = args.text(++i);
      } else if (args.is(i, "NOVALUES")) {
        if (over != Over.FIELDS) {
          throw NOT_FIELDS;
        }
        namesOnly = true;
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    return new ScanArguments(
        match == null || match.matchesAll() ? null : match, count, type, namesOnly);
  }
}
