package dev.varve.codec.member;

import dev.varve.codec.EventClass;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.ValueType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Intersections, unions and differences of sets, found by merging them in the order of their
 * members' hashes: in little memory, however large they are.
 *
 * <p>Pure functions of a transaction. Where a key holds another type they throw {@link
 * DataException#WRONG_TYPE}.
 */
public final class SetAlgebra {

  /** What is made of the sets. */
  public enum Operation {
    INTERSECTION("sinterstore"),
    UNION("sunionstore"),
    /** What is in the first set and in none of the others. */
    DIFFERENCE("sdiffstore");

    private final String storeEvent;

    Operation(String storeEvent) {
      this.storeEvent = storeEvent;
    }
  }

  private SetAlgebra() {}

  /** A walk over the result; its count is not known. The caller closes it. */
  public static MemberCursor members(
      Transaction transaction, int database, Operation operation, byte[]... keys) {
    @Nullable MemberTable[] tables = new @Nullable MemberTable[keys.length];
    for (int i = 0; i < keys.length; i++) {
      tables[i] = MemberTable.find(transaction, database, keys[i], ValueType.SET);
    }
    return switch (operation) {
      case INTERSECTION -> intersection(transaction, tables);
      case UNION -> union(transaction, tables);
      case DIFFERENCE -> difference(transaction, tables);
    };
  }

  private static MemberCursor intersection(
      Transaction transaction, @Nullable MemberTable[] tables) {
    List<MemberTable> present = new ArrayList<>(tables.length);
    for (MemberTable table : tables) {
      if (table == null) {
        return MemberCursor.empty();
      }
      present.add(table);
    }
    // From the smallest set on: where the next one skips ahead, it skips most.
    present.sort(Comparator.comparingLong(MemberTable::count));
    return new IntersectionCursor(cursors(transaction, present));
  }

  private static MemberCursor union(Transaction transaction, @Nullable MemberTable[] tables) {
    List<MemberTable> present = new ArrayList<>(tables.length);
    for (MemberTable table : tables) {
      if (table != null) {
        present.add(table);
      }
    }
    return present.isEmpty()
        ? MemberCursor.empty()
        : new UnionCursor(cursors(transaction, present));
  }

  private static MemberCursor difference(Transaction transaction, @Nullable MemberTable[] tables) {
    MemberTable first = tables[0];
    if (first == null) {
      return MemberCursor.empty();
    }
    List<MemberTable> present = new ArrayList<>(tables.length);
    present.add(first);
    for (int i = 1; i < tables.length; i++) {
      MemberTable other = tables[i];
      if (other != null) {
        present.add(other);
      }
    }
    return new DifferenceCursor(cursors(transaction, present));
  }

  private static SortedCursor[] cursors(Transaction transaction, List<MemberTable> tables) {
    SortedCursor[] cursors = new SortedCursor[tables.size()];
    for (int i = 0; i < cursors.length; i++) {
      MemberTable table = tables.get(i);
      cursors[i] =
          table.isSpread()
              ? new SpreadCursor(transaction, table.meta(), table.keys())
              : new SortedPackedCursor(table.meta().packed());
    }
    return cursors;
  }

  /**
   * Makes the result what {@code target} holds, whatever it held; an empty one deletes it. Returns
   * its size.
   */
  public static long store(
      Transaction transaction, int database, Operation operation, byte[] target, byte[]... keys) {
    Meta meta = Meta.ofPacked(ValueType.SET);
    MemberTable result = new MemberTable(transaction, database, target, meta);
    try (MemberCursor members = members(transaction, database, operation, keys)) {
      while (members.next()) {
        Sets.add(result, members.bytes());
      }
    }
    Meta old = transaction.findForWrite(database, target);
    if (result.count() > 0) {
      transaction.replace(database, target, old, meta);
      transaction.event(EventClass.SET, operation.storeEvent, database, target);
    } else if (old != null) {
      transaction.remove(database, target, old);
      transaction.event(EventClass.GENERIC, "del", database, target);
    }
    return result.count();
  }

  /**
   * How many members the intersection has.
   *
   * @param limit at which number to stop, or 0 for none
   */
  public static long intersectionSize(
      Transaction transaction, int database, long limit, byte[]... keys) {
    long size = 0;
    try (MemberCursor members = members(transaction, database, Operation.INTERSECTION, keys)) {
      while ((limit == 0 || size < limit) && members.next()) {
        size++;
      }
    }
    return size;
  }
}
