package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.store.StoreCursor;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.ReadFailure;
import java.util.Arrays;

/**
 * Walks over the elements of a list that come next when somebody asks for one after the other: that
 * costs little more than the search of one, and what is walked over is kept. Keyspace loop only.
 */
final class ElementReadAhead {

  /** How many elements are walked over at once. */
  static final int ELEMENTS = 16;

  private static final int POSITION_BYTES = Long.BYTES;

  /** The last element that was asked for, or walked over. */
  private byte[] last = {};

  private long step;

  /** Whether the element {@code key}, which is not kept, stands beside the last one. */
  boolean isNext(byte[] key) {
    step = stepFromLast(key);
    last = key;
    return step == 1 || step == -1;
  }

  /** How far after the last element of the same list {@code key} is; 0 if it is of another. */
  private long stepFromLast(byte[] key) {
    int list = key.length - POSITION_BYTES;
    return list > 0 && isSameList(last, key)
        ? OrderedNumbers.getLong(key, list) - OrderedNumbers.getLong(last, list)
        : 0;
  }

  private static boolean isSameList(byte[] one, byte[] other) {
    int list = other.length - POSITION_BYTES;
    return one.length == other.length && Arrays.equals(one, 0, list, other, 0, list);
  }

  /** Goes on in the direction of the last two elements, from {@code key} on. */
  void walk(byte[] key, StoreCursor cursor) {
    boolean isForward = step > 0;
    try {
      boolean found = isForward ? cursor.seek(key) : cursor.seekBefore(KeyFormat.justAfter(key));
      for (int i = 0; i < ELEMENTS && found && isSameList(cursor.key(), key); i++) {
        last = cursor.key();
        found = isForward ? cursor.next() : cursor.previous();
      }
    } catch (ColdBlockSignal | ReadFailure notHere) {
      // Nobody has asked for it yet.
      return;
    }
  }
}
