package dev.varve.codec.member;

import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.Slice;
import dev.varve.codec.store.StoreCursor;
import java.util.random.RandomGenerator;

/**
 * Finds members of a spread hash or set at random, each as likely as any other, at a cost that does
 * not depend on how many there are.
 *
 * <p>Belongs to the thread of its transaction.
 */
final class RandomMembers implements AutoCloseable, StoreCursor.EntryVisitor {
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
   * Members chosen by an attacker for their hashes can make nearly all windows empty: after some
   * tries the first member in the window's direction has to do.
   */
  private static final int WINDOW_MEMBERS = 32;
  private static final int RANKS = 52;
  private static final int TRIES_MAX = 32;
  private static final long CIRCLE = 1L << Integer.SIZE;
  private static final byte[] NONE = {};

  private final RandomGenerator random;
  private final CollectionKeys keys;
  private final StoreCursor cursor;

  /** What the keys of all members begin with. */
  private final byte[] all;

  /** The entry that was passed last: what its key has after the version, and its value. */
  private byte[] suffixes = NONE;

  private int suffix;
  private int suffixBytes;
  private byte[] values = NONE;
  private int value;
  private int valueBytes;

  RandomMembers(Transaction transaction, CollectionKeys keys) {
    this.random = transaction.random();
    this.keys = keys;
    this.cursor = transaction.cursor();
    this.all = keys.prefix(KeyFormat.MEMBER);
  }

  /**
   * The stored key of a member; {@link #value} is its value.
   *
   * @param count how many members there are, at least one
   */
  byte[] next(long count) {
    cursor.foreseeAny(all, count);
    long width = count <= RANKS ? CIRCLE : CIRCLE * WINDOW_MEMBERS / count + 1;
    int ranks = (int) Math.min(count, RANKS);
    boolean isFound = false;
    for (int tries = 0; !isFound && tries < TRIES_MAX; tries++) {
      isFound = isReached(random.nextInt(), random.nextInt(ranks), width);
    }
    if (!isFound && !isReached(random.nextInt(), 0, CIRCLE)) {
      throw new DamagedValueException("a collection that counts members and has none");
    }
    return keys.suffixed(KeyFormat.MEMBER, suffixes, suffix, suffixBytes);
  }

  /** Whether a window has a member of that rank, which is the one passed last then. */
  private boolean isReached(int start, int rank, long width) {
    long end = Integer.toUnsignedLong(start) + width;
    byte[] bound = end < CIRCLE ? keys.hashStart((int) end) : keys.end(KeyFormat.MEMBER);
    int left = rank + 1 - passed(keys.hashStart(start), bound, rank + 1);
    if (left > 0 && end > CIRCLE) {
      left -= passed(all, keys.hashStart((int) (end - CIRCLE)), left);
    }
    return left == 0;
  }

  /** Goes over members from one key to before another; returns how many, at most {@code max}. */
  private int passed(byte[] from, byte[] bound, int max) {
    if (!cursor.seek(from)) {
      return 0;
    }
    return (int) cursor.hand(keys.suffixOffset(), bound, max, true, this);
  }

  /** For the cursor. */
  @Override
  public void entry(
      byte[] tails, int tail, int tailLength, byte[] itsValues, int itsValue, int valueLength) {
    suffixes = tails;
    suffix = tail;
    suffixBytes = tailLength;
    values = itsValues;
    value = itsValue;
    valueBytes = valueLength;
  }

  /** The value of the member found last, until the store is written. */
  Slice value() {
    return new Slice(values, value, valueBytes);
  }

  @Override
  public void close() {
    cursor.close();
  }
}
