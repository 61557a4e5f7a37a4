package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.entry.VisibleCursor;
import java.util.Arrays;

/**
 * Reads the elements of a list that come next into the row cache, when somebody asks for one after
 * the other: a walk over neighbours costs little more than the search of one. Keyspace loop only.
 */
final class ElementReadAhead {

  /** How many elements are read at once. */
  static final int ELEMENTS = 16;

  private static final int POSITION_BYTES = Long.BYTES;

  private final RowCache rows;

  /** The last element that was read. */
  private byte[] last = {};

  /**
   * @param rows where elements go
   */
  ElementReadAhead(RowCache rows) {
    this.rows = rows;
  }

  /** The element {@code key} is not in the row cache. It may be after this. */
  void missed(byte[] key, Snapshot snapshot) {
    long step = stepFromLast(key);
    last = key;
    if (step == 1 || step == -1) {
      read(key, snapshot, step == 1);
    }
  }

  /** How far after the last element of the same list {@code key} is; 0 if it is of another. */
  private long stepFromLast(byte[] key) {
    int list = key.length - POSITION_BYTES;
    return list > 0 && last.length == key.length && Arrays.equals(last, 0, list, key, 0, list)
        ? OrderedNumbers.getLong(key, list) - OrderedNumbers.getLong(last, list)
        : 0;
  }

  private void read(byte[] key, Snapshot snapshot, boolean isForward) {
    try (VisibleCursor cursor = snapshot.cursor()) {
      boolean found = isForward ? cursor.seek(key) : cursor.seekBefore(KeyFormat.justAfter(key));
      for (int i = 0; i < ELEMENTS && found && isNeighbour(cursor, key); i++) {
        byte[] its = cursor.copyKey();
        rows.read(its, cursor.copyValue());
        last = its;
        found = isForward ? cursor.next() : cursor.previous();
      }
    } catch (ColdBlockSignal | ReadFailure notHere) {
      // Nobody has asked for it yet.
      return;
    }
  }

  /** Whether the cursor is on an element of the same list that a row can hold. */
  private static boolean isNeighbour(VisibleCursor cursor, byte[] key) {
    int list = key.length - POSITION_BYTES;
    return cursor.keyLength() == key.length
        && Arrays.equals(cursor.keyBuffer(), 0, list, key, 0, list)
        && cursor.valueLength() <= RowCache.ROW_BYTES_MAX;
  }
}
