package dev.varve.codec.member;

import dev.varve.codec.Glob;
import dev.varve.codec.ScanPage;
import dev.varve.codec.format.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one step of a scan over a hash or set found.
 *
 * @param items the members that match; of a hash, each field and then its value
 * @param next the position to go on from, or {@link #END}
 */
public record MemberPage(List<Slice> items, long next) {
  /*
   * A position is the hash to go on from, plus one. All members of one hash come in one page, so
   * that a position between them is never needed. A packed collection comes in one page, so that it
   * may be spread between two steps: what comes then is all after the end.
   */

  /** The position of a scan's first step, and what its last one returns. */
  public static final long END = 0;

  private static final long POSITION_MAX = 1L << Integer.SIZE;

  /**
   * One step, which ends where it has found {@link ScanPage#BYTES_MAX}, too. A member that is there
   * during the whole scan is found at least once; one that comes or goes meanwhile may be found or
   * not. Any position is valid.
   *
   * @param countMax how many members to look at; a packed collection is looked at whole
   */
  static MemberPage scan(
      @Nullable MemberTable table, long position, long countMax, @Nullable Glob match) {
    List<Slice> items = new ArrayList<>();
    if (table == null) {
      return new MemberPage(items, END);
    }
    try (MemberCursor cursor = table.members()) {
      if (!(cursor instanceof SpreadCursor spread)) {
        while (cursor.next()) {
          addIfMatching(items, table, cursor, match);
        }
        return new MemberPage(items, END);
      }
      return new MemberPage(items, scan(table, spread, position, countMax, match, items));
    }
  }

  private static long scan(
      MemberTable table,
      SpreadCursor cursor,
      long position,
      long countMax,
      @Nullable Glob match,
      List<Slice> items) {
    if (position < 0 || position > POSITION_MAX) {
      return END;
    }
    boolean found = position == END ? cursor.next() : cursor.seek((int) (position - 1));
    int lastHash = 0;
    long foundBytes = 0;
    for (long looked = 0; found; looked++) {
      boolean isEnough = looked >= countMax || foundBytes >= ScanPage.BYTES_MAX;
      if (isEnough && cursor.hash() != lastHash) {
        return Integer.toUnsignedLong(cursor.hash()) + 1;
      }
      lastHash = cursor.hash();
      foundBytes += addIfMatching(items, table, cursor, match);
      found = cursor.next();
    }
    return END;
  }

  /** Returns about how many bytes of memory that takes. */
  private static long addIfMatching(
      List<Slice> items, MemberTable table, MemberCursor cursor, @Nullable Glob match) {
    if (match != null && !match.matches(cursor.array(), cursor.offset(), cursor.length())) {
      return 0;
    }
    items.add(new Slice(cursor.array(), cursor.offset(), cursor.length()));
    long bytes = ScanPage.ITEM_BYTES + cursor.length();
    if (table.hasValues()) {
      Slice value = cursor.value();
      items.add(value);
      bytes += ScanPage.ITEM_BYTES + value.length();
    }
    return bytes;
  }
}
