package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.ReadFailure;
import java.util.Arrays;

/**
 * Walks over the elements of a list that come next when somebody asks for one after the other, or
 * over one that is asked for again: that costs little more than the search of one, and what is
 * walked over is kept. Keyspace loop only.
 */
final class ElementReadAhead {

  /** How many elements are walked over at once, when it begins. */
  static final int ELEMENTS = 16;

  /** And when it goes on and on: to begin a walk costs as much as dozens of its steps. */
  private static final int ELEMENTS_MAX = 8 * ELEMENTS;

  /** How many bytes of a key say where in its list the element is. */
  static final int POSITION_BYTES = Long.BYTES;

  /** The last element that was asked for, or walked over. */
  private byte[] last = {};

  private long step;

  /** How many elements the next walk is over. */
  private int ahead = ELEMENTS;

  /** Whether the element {@code key}, which is not kept, is the last one or stands beside it. */
  boolean isNear(byte[] key) {
    int list = key.length - POSITION_BYTES;
    boolean isSame = list > 0 && isSameList(last, key);
    step = isSame ? OrderedNumbers.getLong(key, list) - OrderedNumbers.getLong(last, list) : 0;
    last = key;
    boolean isNear = isSame && step >= -1 && step <= 1;
    if (!isNear) {
      ahead = ELEMENTS;
    }
    return isNear;
  }

  private static boolean isSameList(byte[] one, byte[] other) {
    int list = other.length - POSITION_BYTES;
    return one.length == other.length && Arrays.equals(one, 0, list, other, 0, list);
  }

  /** Goes on in the direction of the last two elements, if there is one, from {@code key} on. */
  void walk(byte[] key, WriterCursor cursor) {
    boolean isForward = step >= 0;
    int left = step == 0 ? 1 : ahead;
    cursor.expect(left, isForward);
    try {
      boolean found = isForward ? cursor.seek(key) : cursor.seekBefore(KeyFormat.justAfter(key));
      ahead = Math.min(2 * ahead, ELEMENTS_MAX);
      while (found && isSameList(cursor.key(), key)) {
        last = cursor.key();
        found = --left > 0 && (isForward ? cursor.next() : cursor.previous());
      }
    } catch (ColdBlockSignal | ReadFailure notHere) {
      // Nobody has asked for it yet.
      return;
    }
  }
}
