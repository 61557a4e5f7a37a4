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
   * wide enough for three members of the average density is as likely to hold one member as
   * another. A rank from 0 to 7 is drawn, and the member of that rank in the window is taken; if it
   * holds no so many, all is drawn anew. So a member is taken no more readily where it stands alone
   * than where it stands in a crowd, unless more than eight share a window: one member in a few
   * hundred is then a little less likely.
   *
   * Members chosen by an attacker for their hashes can make nearly all windows empty: after some
   * tries the first member in the window's direction has to do.
   */
  private static final int WINDOW_MEMBERS = 3;
  private static final int RANKS = 8;
  private static final int TRIES_MAX = 32;
  private static final long CIRCLE = 1L << Integer.SIZE;

  /** Of fewer members all will soon be at hand, if those around each that is found are. */
  private static final long FORESEEN_MAX = 1 << 20;

  private final RandomGenerator random;
  private final CollectionKeys keys;
  private final StoreCursor cursor;

  RandomMembers(Transaction transaction, CollectionKeys keys) {
    this.random = transaction.random();
    this.keys = keys;
    this.cursor = transaction.cursor();
  }

  /**
   * The stored key of a member; {@link #value} is its value.
   *
   * @param count how many members there are, at least one
   */
  byte[] next(long count) {
    long width = count <= RANKS ? CIRCLE : CIRCLE * WINDOW_MEMBERS / count + 1;
    int ranks = (int) Math.min(count, RANKS);
    for (int tries = 0; tries < TRIES_MAX; tries++) {
      int start = random.nextInt();
      if (isReached(start, random.nextInt(ranks), width, count <= FORESEEN_MAX)) {
        return cursor.key();
      }
    }
    isReached(random.nextInt(), 0, CIRCLE, false);
    return cursor.key();
  }

  /** The rank is below the count, so that no member is passed twice. */
  private boolean isReached(int start, int rank, long width, boolean foresees) {
    settle(cursor.seek(keys.hashStart(start)));
    if (foresees) {
      cursor.foresee(true);
    }
    for (int passed = 0; isWithin(start, width); passed++) {
      if (passed == rank) {
        return true;
      }
      settle(cursor.next());
    }
    return false;
  }

  /** At the end of the circle, goes on at its beginning. */
  private void settle(boolean isFound) {
    if (isFound && keys.owns(KeyFormat.MEMBER, cursor.key())) {
      return;
    }
    if (!cursor.seek(keys.prefix(KeyFormat.MEMBER)) || !keys.owns(KeyFormat.MEMBER, cursor.key())) {
      throw new DamagedValueException("a collection that counts members and has none");
    }
  }

  private boolean isWithin(int start, long width) {
    return Integer.toUnsignedLong(keys.hashOf(cursor.key()) - start) < width;
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
