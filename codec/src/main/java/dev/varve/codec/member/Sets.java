package dev.varve.codec.member;

import dev.varve.codec.EventClass;
import dev.varve.codec.Glob;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.IntegerText;
import dev.varve.codec.format.MemberOrder;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Sets. What is made of several sets is in {@link SetAlgebra}.
 *
 * <p>Pure functions of a transaction. Where a key holds another type they throw {@link
 * DataException#WRONG_TYPE}; no key is a set without members. Slices that are returned hold until
 * the transaction writes to that key.
 */
public final class Sets {
  /** Up to how many members, all integers, OBJECT ENCODING says intset. */
  static final int INTEGERS_MAX = 512;

  private Sets() {}

  /** Adds members, which are kept as they are; returns how many are new. */
  public static int add(Transaction transaction, int database, byte[] key, byte[]... members) {
    MemberTable table = MemberTable.findOrCreateBriefly(transaction, database, key, ValueType.SET);
    int added = addAll(table, members.length, number -> members[number]);
    if (added > 0) {
      table.save();
      transaction.event(EventClass.SET, "sadd", database, key);
    }
    return added;
  }

  /**
   * Adds {@code count} members to a set that is not saved yet; returns how many are new.
   *
   * @param members gives each of them by its number, from 0 on
   */
  public static int addAll(MemberTable table, int count, IntFunction<byte[]> members) {
    MemberOrder order = table.orderToAdd(count, members);
    int added = 0;
    for (int i = 0; i < count; i++) {
      if (add(table, members.apply(order.at(i)))) {
        added++;
      }
    }
    return added;
  }

  static boolean add(MemberTable table, byte[] member) {
    Meta meta = table.meta();
    if (table.count() == 0) {
      meta.setIntegers(true);
    }
    if (!table.add(member)) {
      return false;
    }
    if (meta.isIntegers() && (meta.count() > INTEGERS_MAX || !IntegerText.isInteger(member))) {
      meta.setIntegers(false);
    }
    return true;
  }

  /** Removes members; returns how many there were. */
  public static int remove(Transaction transaction, int database, byte[] key, byte[]... members) {
    MemberTable table = MemberTable.findBrieflyForWrite(transaction, database, key, ValueType.SET);
    if (table == null) {
      return 0;
    }
    int removed = table.removeAll(members);
    if (removed > 0) {
      transaction.event(EventClass.SET, "srem", database, key);
      table.save();
    }
    return removed;
  }

  /** Moves a member from one set to another; false if it is not in the first. */
  public static boolean move(
      Transaction transaction, int database, byte[] source, byte[] target, byte[] member) {
    MemberTable from = MemberTable.findForWrite(transaction, database, source, ValueType.SET);
    if (from == null) {
      return false;
    }
    if (Arrays.equals(source, target)) {
      return from.contains(member);
    }
    MemberTable to = MemberTable.findOrCreate(transaction, database, target, ValueType.SET);
    if (!from.remove(member)) {
      return false;
    }
    transaction.event(EventClass.SET, "srem", database, source);
    from.save();
    if (add(to, member)) {
      to.save();
      transaction.event(EventClass.SET, "sadd", database, target);
    }
    return true;
  }

  /** How many members there are. */
  public static long size(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findBriefly(database, key, ValueType.SET);
    return meta == null ? 0 : meta.count();
  }

  public static boolean contains(Transaction transaction, int database, byte[] key, byte[] member) {
    MemberTable table = MemberTable.findBriefly(transaction, database, key, ValueType.SET);
    return table != null && table.contains(member);
  }

  /** Which of {@code members} are in the set. */
  public static boolean[] containsEach(
      Transaction transaction, int database, byte[] key, byte[]... members) {
    boolean[] contained = new boolean[members.length];
    MemberTable table = MemberTable.findBriefly(transaction, database, key, ValueType.SET);
    if (table != null) {
      for (int i = 0; i < members.length; i++) {
        contained[i] = table.contains(members[i]);
      }
    }
    return contained;
  }

  /** A walk over all members. The caller closes it. */
  public static MemberCursor members(Transaction transaction, int database, byte[] key) {
    MemberTable table = MemberTable.find(transaction, database, key, ValueType.SET);
    return table == null ? MemberCursor.empty() : table.members();
  }

  /**
   * One step of a scan: see {@link MemberPage}.
   *
   * @param position what the step before returned, or {@link MemberPage#END} to start
   * @param countMax how many members to look at, at least 1
   * @param match what the members must match, or null
   */
  public static MemberPage scan(
      Transaction transaction,
      int database,
      byte[] key,
      long position,
      long countMax,
      @Nullable Glob match) {
    MemberTable table = MemberTable.find(transaction, database, key, ValueType.SET);
    return MemberPage.scan(table, position, countMax, match);
  }

  /** A random member, or null if there is none. */
  public static @Nullable Slice randomMember(Transaction transaction, int database, byte[] key) {
    MemberTable table = MemberTable.find(transaction, database, key, ValueType.SET);
    return table == null ? null : MemberSample.one(transaction, table);
  }

  /** Up to {@code count} different random members. */
  public static List<Slice> randomMembers(
      Transaction transaction, int database, byte[] key, long count) {
    MemberTable table = MemberTable.find(transaction, database, key, ValueType.SET);
    return table == null ? List.of() : MemberSample.distinct(transaction, table, count, false);
  }

  /**
   * {@code count} random members that may repeat themselves; none if there is no set. The caller
   * closes the walk.
   */
  public static MemberCursor repeatingMembers(
      Transaction transaction, int database, byte[] key, long count) {
    MemberTable table = MemberTable.find(transaction, database, key, ValueType.SET);
    return table == null ? MemberCursor.empty() : new RepeatingSample(transaction, table, count);
  }

  /** Removes a random member and returns it; null if there is none. */
  public static byte @Nullable [] pop(Transaction transaction, int database, byte[] key) {
    MemberTable table = MemberTable.findBrieflyForWrite(transaction, database, key, ValueType.SET);
    if (table == null) {
      return null;
    }
    byte[] member;
    if (table.isSpread()) {
      try (RandomMembers random = new RandomMembers(transaction, table.keys())) {
        byte[] stored = random.next(table.count());
        member = table.keys().memberOf(stored);
        table.removeStored(stored, 0);
      }
    } else {
      PackedMembers packed = table.meta().packed();
      int place = packed.place(transaction.random().nextInt(packed.size()));
      member = packed.itemBytes(place, 0);
      table.removePacked(place);
    }
    transaction.event(EventClass.SET, "spop", database, key);
    table.save();
    return member;
  }

  /** Removes up to {@code count} random members and returns them. */
  public static List<byte[]> pop(Transaction transaction, int database, byte[] key, long count) {
    MemberTable table = MemberTable.findForWrite(transaction, database, key, ValueType.SET);
    if (table == null || count == 0) {
      return List.of();
    }
    List<byte[]> popped = new ArrayList<>();
    transaction.event(EventClass.SET, "spop", database, key);
    if (count >= table.count()) {
      try (MemberCursor cursor = table.members()) {
        while (cursor.next()) {
          popped.add(cursor.bytes());
        }
      }
      // All at once: the entries of a spread set stay behind as garbage.
      transaction.remove(database, key, table.meta());
      transaction.event(EventClass.GENERIC, "del", database, key);
      return popped;
    }
    if (!table.isSpread()) {
      popPacked(transaction, table, (int) count, popped);
    } else if (MemberSample.isWalkBetter(table, count)) {
      popOnWalk(transaction, table, count, popped);
    } else {
      popOneByOne(transaction, table, count, popped);
    }
    table.save();
    return popped;
  }

  private static void popPacked(
      Transaction transaction, MemberTable table, int count, List<byte[]> popped) {
    PackedMembers packed = table.meta().packed();
    for (int i = 0; i < count; i++) {
      int place = packed.place(transaction.random().nextInt(packed.size()));
      popped.add(packed.itemBytes(place, 0));
      table.removePacked(place);
    }
  }

  private static void popOneByOne(
      Transaction transaction, MemberTable table, long count, List<byte[]> popped) {
    try (RandomMembers random = new RandomMembers(transaction, table.keys())) {
      for (long i = 0; i < count; i++) {
        byte[] stored = random.next(table.count());
        popped.add(table.keys().memberOf(stored));
        table.removeStored(stored, 0);
      }
    }
  }

  /** Selection sampling, as in {@link MemberSample}. */
  private static void popOnWalk(
      Transaction transaction, MemberTable table, long count, List<byte[]> popped) {
    long wanted = count;
    try (SpreadCursor cursor = new SpreadCursor(transaction, table.meta(), table.keys())) {
      for (long left = table.count(); wanted > 0 && cursor.next(); left--) {
        if (transaction.random().nextLong(left) < wanted) {
          wanted--;
          popped.add(cursor.bytes());
          table.removeStored(cursor.stored(), 0);
        }
      }
    }
  }
}
