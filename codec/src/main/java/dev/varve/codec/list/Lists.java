package dev.varve.codec.list;

import dev.varve.codec.DataException;
import dev.varve.codec.EventClass;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.Slice;
import dev.varve.codec.member.MemberCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lists. An index of a client is counted from the head, from 0 on, or if negative from the tail, -1
 * being the last element.
 *
 * <p>Pure functions of a transaction. Where a key holds another type they throw {@link
 * DataException#WRONG_TYPE}; no key is a list without elements. Slices that are returned hold until
 * the transaction reads another key or writes to that one, walks until the latter.
 */
public final class Lists {
  /** What {@link #insert} returns when no element is the pivot. */
  public static final long NO_PIVOT = -1;

  private static final DataException INDEX_OUT_OF_RANGE =
      new DataException("ERR index out of range");

  private Lists() {}

  /** Pushes elements, which are kept as they are, one after the other; returns the size then. */
  public static long push(
      Transaction transaction, int database, byte[] key, ListEnd end, byte[]... elements) {
    return push(
        transaction,
        database,
        key,
        end,
        ListTable.findOrCreateBriefly(transaction, database, key),
        elements);
  }

  /** As {@link #push}, but only to a list that is there; returns 0 if there is none. */
  public static long pushIfPresent(
      Transaction transaction, int database, byte[] key, ListEnd end, byte[]... elements) {
    ListTable table = ListTable.findBrieflyForWrite(transaction, database, key);
    return table == null ? 0 : push(transaction, database, key, end, table, elements);
  }

  private static long push(
      Transaction transaction,
      int database,
      byte[] key,
      ListEnd end,
      ListTable table,
      byte[][] elements) {
    for (byte[] element : elements) {
      table.push(end, element);
    }
    table.save();
    transaction.event(EventClass.LIST, end.pushEvent(), database, key);
    return table.size();
  }

  /** Removes the element at one end and returns it; null if there is no list. */
  public static byte @Nullable [] pop(
      Transaction transaction, int database, byte[] key, ListEnd end) {
    ListTable table = ListTable.findBrieflyForWrite(transaction, database, key);
    if (table == null) {
      return null;
    }
    byte[] element = table.pop(end);
    transaction.event(EventClass.LIST, end.popEvent(), database, key);
    table.save();
    return element;
  }

  /**
   * Removes up to {@code count} elements at one end and returns them, that at the very end first;
   * null if there is no list.
   */
  public static @Nullable List<byte[]> pop(
      Transaction transaction, int database, byte[] key, ListEnd end, long count) {
    ListTable table = ListTable.findBrieflyForWrite(transaction, database, key);
    if (table == null) {
      return null;
    }
    List<byte[]> popped = new ArrayList<>();
    if (count == 0) {
      return popped;
    }
    transaction.event(EventClass.LIST, end.popEvent(), database, key);
    if (count >= table.size()) {
      try (MemberCursor cursor = table.walk(end)) {
        while (cursor.next()) {
          popped.add(cursor.bytes());
        }
      }
      // All at once: the entries of a spread list stay behind as garbage.
      table.delete();
    } else {
      for (long i = 0; i < count; i++) {
        popped.add(table.pop(end));
      }
      table.save();
    }
    return popped;
  }

  /** How many elements there are. */
  public static long size(Transaction transaction, int database, byte[] key) {
    ListTable table = ListTable.findBriefly(transaction, database, key);
    return table == null ? 0 : table.size();
  }

  /** The element at an index, or null. */
  public static @Nullable Slice get(Transaction transaction, int database, byte[] key, long index) {
    ListTable table = ListTable.findBriefly(transaction, database, key);
    if (table == null) {
      return null;
    }
    long at = fromHead(index, table.size());
    return at < 0 || at >= table.size() ? null : table.get(at);
  }

  /** Counted from the head, whichever end the client counts from; may lie outside of the list. */
  private static long fromHead(long index, long size) {
    return index < 0 ? index + size : index;
  }

  /** A walk over the elements between two indexes, both included. The caller closes it. */
  public static MemberCursor range(
      Transaction transaction, int database, byte[] key, long start, long stop) {
    ListTable table = ListTable.find(transaction, database, key);
    if (table == null) {
      return MemberCursor.empty();
    }
    long first = Math.max(0, fromHead(start, table.size()));
    long last = Math.min(table.size() - 1, fromHead(stop, table.size()));
    return first > last ? MemberCursor.empty() : table.range(first, last - first + 1);
  }

  /** A walk over all elements. The caller closes it. */
  public static MemberCursor elements(Transaction transaction, int database, byte[] key) {
    return range(transaction, database, key, 0, -1);
  }

  /**
   * Replaces the element at an index.
   *
   * @throws DataException NO_SUCH_KEY when there is no list, or that the index is out of range
   */
  public static void set(
      Transaction transaction, int database, byte[] key, long index, byte[] element) {
    ListTable table = ListTable.findForWrite(transaction, database, key);
    if (table == null) {
      throw DataException.NO_SUCH_KEY;
    }
    long at = fromHead(index, table.size());
    if (at < 0 || at >= table.size()) {
      throw INDEX_OUT_OF_RANGE;
    }
    table.set(at, element);
    table.save();
    transaction.event(EventClass.LIST, "lset", database, key);
  }

  /**
   * Inserts an element before or after the first one that equals {@code pivot}; returns the size
   * then, {@link #NO_PIVOT}, or 0 if there is no list.
   */
  public static long insert(
      Transaction transaction,
      int database,
      byte[] key,
      boolean isBefore,
      byte[] pivot,
      byte[] element) {
    ListTable table = ListTable.findForWrite(transaction, database, key);
    if (table == null) {
      return 0;
    }
    long[] found = indexes(table, ListEnd.HEAD, pivot, 1, 1, 0);
    if (found.length == 0) {
      return NO_PIVOT;
    }
    table.insert(isBefore ? found[0] : found[0] + 1, element);
    table.save();
    transaction.event(EventClass.LIST, "linsert", database, key);
    return table.size();
  }

  /**
   * Removes elements that equal {@code element}; returns how many.
   *
   * @param count how many at most from the head on, or if negative from the tail on; 0 for all
   */
  public static long remove(
      Transaction transaction, int database, byte[] key, long count, byte[] element) {
    ListTable table = ListTable.findForWrite(transaction, database, key);
    if (table == null) {
      return 0;
    }
    ListEnd from = count < 0 ? ListEnd.TAIL : ListEnd.HEAD;
    long countMax = count == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(count);
    long[] found = indexes(table, from, element, 1, countMax, 0);
    if (found.length == 0) {
      return 0;
    }
    transaction.event(EventClass.LIST, "lrem", database, key);
    if (found.length == table.size()) {
      table.delete();
    } else {
      Arrays.sort(found);
      table.remove(found, (long) found.length * element.length);
      table.save();
    }
    return found.length;
  }

  /** Removes all elements but those between two indexes, both included. */
  public static void trim(
      Transaction transaction, int database, byte[] key, long start, long stop) {
    ListTable table = ListTable.findForWrite(transaction, database, key);
    if (table == null) {
      return;
    }
    long first = Math.max(0, fromHead(start, table.size()));
    long last = Math.min(table.size() - 1, fromHead(stop, table.size()));
    transaction.event(EventClass.LIST, "ltrim", database, key);
    if (first > last) {
      table.delete();
    } else {
      table.trim(first, last - first + 1);
      table.save();
    }
  }

  /**
   * The indexes of elements that equal {@code element}, in the order of the search.
   *
   * @param rank which match is the first to be returned: 1 for the first from the head, -1 for the
   *     first from the tail, and so on; not 0
   * @param countMax how many to return at most, or 0 for all
   * @param looksMax how many elements to look at, or 0 for all
   */
  public static long[] indexes(
      Transaction transaction,
      int database,
      byte[] key,
      byte[] element,
      long rank,
      long countMax,
      long looksMax) {
    ListTable table = ListTable.find(transaction, database, key);
    if (table == null) {
      return new long[0];
    }
    ListEnd from = rank < 0 ? ListEnd.TAIL : ListEnd.HEAD;
    return indexes(table, from, element, Math.abs(rank), countMax, looksMax);
  }

  private static long[] indexes(
      ListTable table, ListEnd from, byte[] element, long rank, long countMax, long looksMax) {
    long size = table.size();
    long looks = looksMax == 0 ? size : Math.min(looksMax, size);
    try (MemberCursor cursor = table.walk(from)) {
      long[] found = new ElementSearch(element, rank, countMax).run(cursor, looks);
      return from == ListEnd.HEAD
          ? found
          : Arrays.stream(found).map(passed -> size - 1 - passed).toArray();
    }
  }

  /**
   * Pops an element from one list and pushes it to another or the same; returns it, or null if
   * there is no first list.
   */
  public static byte @Nullable [] move(
      Transaction transaction,
      int database,
      byte[] source,
      ListEnd from,
      byte[] target,
      ListEnd to) {
    ListTable popped = ListTable.findForWrite(transaction, database, source);
    if (popped == null) {
      return null;
    }
    boolean isRotation = Arrays.equals(source, target);
    ListTable pushed = isRotation ? popped : ListTable.findOrCreate(transaction, database, target);
    byte[] element = popped.pop(from);
    pushed.push(to, element);
    if (!isRotation) {
      pushed.save();
    }
    transaction.event(EventClass.LIST, to.pushEvent(), database, target);
    transaction.event(EventClass.LIST, from.popEvent(), database, source);
    popped.save();
    return element;
  }

  /**
   * Makes {@code elements}, which are kept as they are, what {@code key} holds, whatever it held;
   * with none of them the key is deleted.
   *
   * @param event what to call it
   */
  public static void store(
      Transaction transaction, int database, byte[] key, List<byte[]> elements, String event) {
    Meta old = transaction.findForWrite(database, key);
    if (!elements.isEmpty()) {
      ListTable table = ListTable.inPlaceOf(transaction, database, key, old);
      for (byte[] element : elements) {
        table.push(ListEnd.TAIL, element);
      }
      table.save();
      transaction.event(EventClass.LIST, event, database, key);
    } else if (old != null) {
      transaction.remove(database, key, old);
      transaction.event(EventClass.GENERIC, "del", database, key);
    }
  }
}
