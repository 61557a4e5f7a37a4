package dev.varve.server.engine;

/**
 * Brings all rows of one keyspace to hand, a portion at a time, for who asks for rows at random.
 *
 * <p>Keyspace loop only.
 */
final class KeyspaceLoad {
  /*
   * Who draws members of a set at random comes to each of its stretches in the end. A search in the
   * tree for each, and the few rows that lie beside, would cost ten times what walking over all in
   * order does: so each draw brings the next portion of that walk.
   */

  /** It begins when rows were asked for so often: before that, all of them may never be. */
  private static final int ASKED_MIN = 64;

  /**
   * A portion is two stretches. Until all are here each draw has a search of its own besides, which
   * costs as much as some dozen rows: small portions make for more of those. A portion takes less
   * than a tenth of a millisecond, which others may have to wait for.
   */
  private static final int PORTION_ROWS = 2 * WalkCache.ROWS_WALKED_MAX;

  private static final byte[] START = {};

  private int asked;

  /** The first suffix that it has not passed. */
  private byte[] from = START;

  private boolean isDone;

  /** Notes that a row was asked for; returns whether that is often by now, and rows are missing. */
  boolean isWanted() {
    if (asked < ASKED_MIN) {
      asked++;
      return false;
    }
    return !isDone;
  }

  /** Nothing more is brought: all is here, or not in memory. */
  void end() {
    isDone = true;
    from = START;
  }

  /** Brings the next portion; where the cursor is then is not said. */
  void goOn(WriterCursor cursor, WalkedKeyspace its) {
    // The row before, so that the stretch that has it goes on.
    boolean isBehind = from.length > 0 && cursor.seekBefore(its.key(from)) && cursor.isIn(its);
    boolean found = isBehind || (cursor.seek(its.key(from)) && cursor.isIn(its));
    for (int rows = 0; found && rows < PORTION_ROWS; rows++) {
      found = cursor.nextBehindKnown() && cursor.isIn(its);
    }
    if (found) {
      from = WalkCache.justAfter(cursor.key(), its.prefix().length);
    } else {
      end();
    }
  }
}
