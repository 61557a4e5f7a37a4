package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.table.KeyHash;
import java.util.Arrays;

/**
 * Walks over the elements of a list that come next when somebody asks for one after the other, or
 * over one that is asked for again, whatever lists others ask for meanwhile: that costs little more
 * than the search of one, and what is walked over is kept. Keyspace loop only.
 */
final class ElementReadAhead {

  /** How many elements are walked over at once, when it begins. */
  static final int ELEMENTS = 16;

  /** And when it goes on and on: to begin a walk costs as much as dozens of its steps. */
  private static final int ELEMENTS_MAX = 8 * ELEMENTS;

  /** How many bytes of a key say where in its list the element is. */
  static final int POSITION_BYTES = Long.BYTES;

  /** So many lists are remembered; of two that take the same place it is the later one. */
  private static final int LISTS = 4096;

  /** The hashes of lists: who takes another for his own walks where there may be nothing. */
  private final long[] lists = new long[LISTS];

  /** The last element of each that was asked for, or walked over. */
  private final long[] positions = new long[LISTS];

  /** How many elements the next walk over each is over. */
  private final int[] aheads = new int[LISTS];

  /** Of the list that was asked for last. */
  private int its;

  private long step;

  /**
   * Whether the element {@code key}, which is not kept, is the one that was asked for last of its
   * list or stands beside it.
   */
  boolean isNear(byte[] key) {
    int prefix = key.length - POSITION_BYTES;
    if (prefix <= 0) {
      return false;
    }
    long list = KeyHash.hash(key, 0, prefix);
    long position = OrderedNumbers.getLong(key, prefix);
    its = (int) list & (LISTS - 1);
    boolean isSame = lists[its] == list && aheads[its] != 0;
    step = isSame ? position - positions[its] : 0;
    lists[its] = list;
    positions[its] = position;
    boolean isNear = isSame && step >= -1 && step <= 1;
    if (!isNear) {
      aheads[its] = ELEMENTS;
    }
    return isNear;
  }

  /** Goes on in the direction of the last two elements, if there is one, from {@code key} on. */
  void walk(byte[] key, WriterCursor cursor) {
    boolean isForward = step >= 0;
    int left = step == 0 ? 1 : aheads[its];
    cursor.expect(left, isForward);
    try {
      boolean found = isForward ? cursor.seek(key) : cursor.seekBefore(KeyFormat.justAfter(key));
      aheads[its] = Math.min(2 * aheads[its], ELEMENTS_MAX);
      while (found && isOfSameList(cursor.key(), key)) {
        positions[its] = OrderedNumbers.getLong(cursor.key(), key.length - POSITION_BYTES);
        found = --left > 0 && (isForward ? cursor.next() : cursor.previous());
      }
    } catch (ColdBlockSignal | ReadFailure notHere) {
      // Nobody has asked for it yet.
      return;
    }
  }

  private static boolean isOfSameList(byte[] one, byte[] other) {
    int prefix = other.length - POSITION_BYTES;
    return one.length == other.length && Arrays.equals(one, 0, prefix, other, 0, prefix);
  }
}
