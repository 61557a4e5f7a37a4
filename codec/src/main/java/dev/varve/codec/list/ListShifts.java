package dev.varve.codec.list;

import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.member.MemberCursor;

/**
 * Edits in the middle of a spread list: they move as few elements as possible, so that positions
 * stay consecutive.
 *
 * <p>Pure functions of a transaction.
 */
final class ListShifts {
  private ListShifts() {}

  /** Puts an element before the one at {@code index}; the shorter side makes room. */
  static void insert(ListTable table, long index, byte[] element) {
    Meta meta = table.meta();
    Transaction transaction = table.transaction();
    CollectionKeys keys = table.keys();
    long at = meta.head() + index;
    if (index < table.size() - index) {
      at--;
      shift(table, meta.head(), index, -1);
      meta.setEnds(meta.head() - 1, meta.tail());
    } else {
      shift(table, meta.tail() - 1, table.size() - index, 1);
      meta.setEnds(meta.head(), meta.tail() + 1);
    }
    transaction.put(keys.element(at), element);
    meta.add(1, element.length);
  }

  /**
   * Moves {@code count} elements by one position: from {@code position} on upwards when they move
   * down, from there on downwards when they move up, so that each has left before another comes.
   */
  private static void shift(ListTable table, long position, long count, int by) {
    Transaction transaction = table.transaction();
    CollectionKeys keys = table.keys();
    try (MemberCursor moving = new SpreadListCursor(transaction, keys, position, count, by < 0)) {
      for (long to = position + by; moving.next(); to -= by) {
        transaction.put(keys.element(to), moving.bytes());
      }
    }
  }

  /**
   * Removes the elements at these indexes. The longest run of elements between two of them stays
   * where it is; those before it move up, those after it move down.
   */
  static void remove(ListTable table, long[] indexes, long bytes) {
    Meta meta = table.meta();
    int runAfter = 0;
    long longest = -1;
    for (int i = 0; i <= indexes.length; i++) {
      long start = i == 0 ? 0 : indexes[i - 1] + 1;
      long end = i == indexes.length ? table.size() : indexes[i];
      if (end - start > longest) {
        longest = end - start;
        runAfter = i;
      }
    }
    long head = meta.head();
    long tail = meta.tail();
    if (runAfter > 0) {
      head = closeUpwards(table, indexes, runAfter);
    }
    if (runAfter < indexes.length) {
      tail = closeDownwards(table, indexes, runAfter);
    }
    meta.setEnds(head, tail);
    meta.add(-indexes.length, -bytes);
  }

  /** Closes the gaps of the first {@code gaps} indexes from the head's side; the new head. */
  private static long closeUpwards(ListTable table, long[] indexes, int gaps) {
    Transaction transaction = table.transaction();
    CollectionKeys keys = table.keys();
    long head = table.meta().head();
    long to = head + indexes[gaps - 1];
    int gap = gaps - 1;
    try (MemberCursor moving =
        new SpreadListCursor(transaction, keys, to, indexes[gaps - 1] + 1, false)) {
      for (long from = to; moving.next(); from--) {
        if (gap >= 0 && from == head + indexes[gap]) {
          gap--;
        } else {
          transaction.put(keys.element(to), moving.bytes());
          to--;
        }
      }
    }
    return to + 1;
  }

  /** Closes the gaps from the index number {@code first} on from the tail's side; the new tail. */
  private static long closeDownwards(ListTable table, long[] indexes, int first) {
    Transaction transaction = table.transaction();
    CollectionKeys keys = table.keys();
    long head = table.meta().head();
    long tail = table.meta().tail();
    long to = head + indexes[first];
    int gap = first;
    try (MemberCursor moving = new SpreadListCursor(transaction, keys, to, tail - to, true)) {
      for (long from = to; moving.next(); from++) {
        if (gap < indexes.length && from == head + indexes[gap]) {
          gap++;
        } else {
          transaction.put(keys.element(to), moving.bytes());
          to++;
        }
      }
    }
    return to;
  }
}
