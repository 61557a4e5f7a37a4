package dev.varve.codec.member;

import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;
import java.util.random.RandomGenerator;

/**
 * Finds members of a spread hash or set at random, each as likely as any other, at a cost that does
 * not depend on how many there are.
 *
 * <p>Belongs to the thread of its transaction.
 */
final class RandomMembers implements AutoCloseable {
  /*
   * The hashes of members lie evenly on a circle of 2^32 points. A window that starts anywhere and is
   * wide enough for 32 members of the average density is as likely to hold one member as another. A
   * rank from 0 to 51 is drawn, and the member of that rank in the window is taken; if it holds no so
   * many, all is drawn anew. So a member is taken no more readily where it stands alone than where it
   * stands in a crowd, unless more than 52 share a window: one member in some thousands is then a
   * little less likely.
   *
   * Of a window for three members and ranks up to 7, five of eight would be drawn in vain, of this
   * two of five, and each costs a search; members that follow it cost next to nothing.
   *
   * A store that has all members at hand draws one by itself. That is exact, and takes no search.
   *
   * Members chosen by an attacker for their hashes can make nearly all windows empty: after some
   * tries the first member in the window's direction has to do.
   */
  private static final int WINDOW_MEMBERS = 32;
  private static final int RANKS = 52;
  private static final int TRIES_MAX = 32;
  private static final long CIRCLE = 1L << Integer.SIZE;

  private final RandomGenerator random;
  private final CollectionKeys keys;
  private final StoreCursor cursor;

  /** What the keys of all members begin with. */
  private final byte[] all;

  /** How many members of a window were passed. */
  private long passed;

  RandomMembers(Transaction transaction, CollectionKeys keys) {
    this.random = transaction.random();
    this.keys = keys;
    this.all = keys.prefix(KeyFormat.MEMBER);
    this.cursor = transaction.cursorOverAll(all, keys.end(KeyFormat.MEMBER));
  }

  /**
   * The stored key of a member; {@link #value} is its value.
   *
   * @param count how many members there are, at least one
   */
  byte[] next(long count) {
    cursor.foreseeAny(all, count);
    if (cursor.seekAny(all, count, random)) {
      return cursor.key();
    }
    long width = count <= RANKS ? CIRCLE : CIRCLE * WINDOW_MEMBERS / count + 1;
    int ranks = (int) Math.min(count, RANKS);
    boolean isFound = false;
    for (int tries = 0; !isFound && tries < TRIES_MAX; tries++) {
      isFound = isReached(random.nextInt(), random.nextInt(ranks), width);
    }
    if (!isFound && !isReached(random.nextInt(), 0, CIRCLE)) {
      throw new DamagedValueException("a collection that counts members and has none");
    }
    return cursor.key();
  }

  /** Whether a window has a member of that rank, which the cursor is on then. */
  private boolean isReached(int start, int rank, long width) {
    long end = Integer.toUnsignedLong(start) + width;
    byte[] bound = end < CIRCLE ? keys.hashStart((int) end) : keys.end(KeyFormat.MEMBER);
    if (isReached(keys.hashStart(start), bound, rank)) {
      return true;
    }
    return end > CIRCLE && isReached(all, keys.hashStart((int) (end - CIRCLE)), rank - passed);
  }

  private boolean isReached(byte[] from, byte[] bound, long rank) {
    passed = 0;
    if (!cursor.seek(from)) {
      return false;
    }
    passed = cursor.advanceTo(bound, rank);
    return passed == rank && cursor.isValid() && cursor.compareKey(bound) < 0;
  }

  /** The value of the member found last. */
  byte[] value() {
    return cursor.value();
  }

  @Override
  public void close() {
    cursor.close();
  }
}
