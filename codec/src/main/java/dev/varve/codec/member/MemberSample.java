package dev.varve.codec.member;

import dev.varve.codec.Transaction;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.Slice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Random members of a hash or set: one, or some without repetition.
 *
 * <p>Pure functions of a transaction.
 */
final class MemberSample {
  /*
   * Of a large collection, a small part without repetition is drawn member by member, and what came
   * before is drawn again. A larger part is chosen on a walk over all members, each taken with the
   * chance that just fills the sample (selection sampling: Knuth, TAOCP volume 2, algorithm 3.4.2 S):
   * the reply is of the size of the walk then.
   */
  private static final int WALK_SHARE = 3;

  private MemberSample() {}

  /** Whether {@code count} members without repetition are better chosen on a walk over all. */
  static boolean isWalkBetter(MemberTable table, long count) {
    return !table.isSpread() || count > table.count() / WALK_SHARE;
  }

  /** A random member. */
  static Slice one(Transaction transaction, MemberTable table) {
    if (!table.isSpread()) {
      PackedMembers packed = table.meta().packed();
      return packed.item(packed.place(transaction.random().nextInt(packed.size())), 0);
    }
    try (RandomMembers members = new RandomMembers(transaction, table.keys())) {
      return member(table, members.next(table.count()));
    }
  }

  private static Slice member(MemberTable table, byte[] stored) {
    int offset = table.keys().memberOffset();
    return new Slice(stored, offset, stored.length - offset);
  }

  /**
   * {@code count} different random members, or all if there are no more.
   *
   * @param withValues whether each field is followed by its value
   */
  static List<Slice> distinct(
      Transaction transaction, MemberTable table, long count, boolean withValues) {
    List<Slice> sample = new ArrayList<>();
    if (isWalkBetter(table, count)) {
      walk(transaction.random(), table, Math.min(count, table.count()), withValues, sample);
      return sample;
    }
    Set<Slice> seen = new HashSet<>();
    try (RandomMembers members = new RandomMembers(transaction, table.keys())) {
      while (seen.size() < count) {
        Slice member = member(table, members.next(table.count()));
        if (seen.add(member)) {
          sample.add(member);
          if (withValues) {
            sample.add(Slice.of(members.value()));
          }
        }
      }
    }
    return sample;
  }

  private static void walk(
      RandomGenerator random,
      MemberTable table,
      long count,
      boolean withValues,
      List<Slice> sample) {
    long wanted = count;
    try (MemberCursor cursor = table.members()) {
      for (long left = table.count(); wanted > 0 && cursor.next(); left--) {
        if (random.nextLong(left) < wanted) {
          wanted--;
          sample.add(new Slice(cursor.array(), cursor.offset(), cursor.length()));
          if (withValues) {
            sample.add(cursor.value());
          }
        }
      }
    }
  }
}
