package dev.varve.server.command.data;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What SORT is asked.
 *
 * <p>Immutable, any thread.
 *
 * @param by where the weights are that elements are sorted by, or null for the elements themselves
 * @param gets what is wanted instead of the elements; empty for the elements themselves
 * @param offset how many to leave out at the start
 * @param count how many are wanted at most, or if negative all
 * @param descending whether the largest comes first
 * @param alphabetic whether weights are bytes, not numbers
 * @param target the key that the result is stored in, or null
 */
record SortArguments(
    @Nullable SortPattern by,
    List<SortPattern> gets,
    long offset,
    long count,
    boolean descending,
    boolean alphabetic,
    byte @Nullable [] target) {
  private static final DataException BY_DENIED =
      new DataException("ERR BY option of SORT denied due to insufficient ACL permissions.");
  private static final DataException GET_DENIED =
      new DataException("ERR GET option of SORT denied due to insufficient ACL permissions.");

  /** Reads what follows the key. */
  static SortArguments of(Args args, boolean allowsStore) {
    SortPattern by = null;
    List<SortPattern> gets = new ArrayList<>();
    long offset = 0;
    long count = -1;
    boolean descending = false;
    boolean alphabetic = false;
    byte[] target = null;
    for (int i = 2; i < args.count(); i++) {
      int more = args.count() - i - 1;
      if (args.is(i, "ASC")) {
        descending = false;
      } else if (args.is(i, "DESC")) {
        descending = true;
      } else if (args.is(i, "ALPHA")) {
        alphabetic = true;
      } else if (args.is(i, "LIMIT") && more >= 2) {
        offset = Arguments.integer(args, i + 1);
        count = Arguments.integer(args, i + 2);
        i += 2;
      } else if (allowsStore && args.is(i, "STORE") && more >= 1) {
        target = args.get(++i);
      } else if (args.is(i, "BY") && more >= 1) {
        by = new SortPattern(args.get(++i));
      } else if (args.is(i, "GET") && more >= 1) {
        gets.add(new SortPattern(args.get(++i)));
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    return new SortArguments(by, gets, offset, count, descending, alphabetic, target);
  }

  /** Refuses what reads keys that the request does not name. */
  void requireNoOtherKeys() {
    if (by != null && !by.isConstant()) {
      throw BY_DENIED;
    }
    if (!gets.isEmpty()) {
      throw GET_DENIED;
    }
  }

  /** Whether a request only reads; it may be malformed. */
  static boolean storesNothing(Args args) {
    return targetIndex(args) < 0;
  }

  /** The index of the key that the result is stored in, or -1; the request may be malformed. */
  static int targetIndex(Args args) {
    int target = -1;
    for (int i = 2; i + 1 < args.count(); i++) {
      if (args.is(i, "LIMIT")) {
        i += 2;
      } else if (args.is(i, "GET") || args.is(i, "BY")) {
        i++;
      } else if (args.is(i, "STORE")) {
        target = ++i;
      }
    }
    return target;
  }
}
