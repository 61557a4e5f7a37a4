package dev.varve.server.engine;

import dev.varve.codec.store.StoreCursor;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Goes over many rows at once: as far as they are kept, stretch by stretch, and from there on one
 * by one. Keyspace loop only.
 */
abstract sealed class StretchWalk extends WalkPosition permits WriterCursor {

  /** As {@link WalkPosition}. */
  StretchWalk(BiFunction<byte[], byte[], StoreCursor> opener, byte[] from, byte[] end) {
    super(opener, from, end);
  }

  @Override
  public long advanceTo(byte[] bound, long max) {
    long passed = advance(bound, max, null);
    return passed + super.advanceTo(bound, max - passed);
  }

  @Override
  public long sumTo(byte[] bound, Weight weight) {
    return advance(bound, Long.MAX_VALUE, weight) + super.sumTo(bound, weight);
  }

  /**
   * Goes on as far as what is kept goes; returns how many entries that passes over, or their sum.
   */
  private long advance(byte[] bound, long max, @Nullable Weight weight) {
    long passed = 0;
    long sum = 0;
    while (stretch() != null && passed < max) {
      Stretch stretch = stretch();
      WalkedKeyspace itsKeyspace = keyspace();
      int to = (int) Math.min(itsKeyspace.behindWithin(stretch, bound), row() + max - passed);
      if (to <= row()) {
        break;
      }
      passed += to - row();
      sum += weight == null ? 0 : stretch.sum(row(), to, weight);
      if (at(itsKeyspace, stretch, to)) {
        break;
      }
      if (row() < to - 1) {
        at(itsKeyspace, stretch, to - 1);
      }
      if (!next()) {
        break;
      }
    }
    return weight == null ? passed : sum;
  }

  @Override
  public boolean skip(long entries, boolean isForward) {
    boolean found = isValid();
    long left = entries;
    while (found && left > 0) {
      Stretch its = stretch();
      int within = its == null ? 0 : isForward ? its.behind() - 1 - row() : row() - its.first();
      if (its != null && within > 0) {
        int rows = (int) Math.min(left, within);
        step(its, isForward ? row() + rows : row() - rows);
        left -= rows;
      } else {
        found = isForward ? next() : previous();
        left--;
      }
    }
    return found;
  }

  @Override
  public long hand(int from, byte[] bound, long max, boolean isForward, EntryVisitor visitor) {
    long handed = 0;
    while (stretch() != null && from == keyspace().prefix().length) {
      Stretch stretch = stretch();
      WalkedKeyspace itsKeyspace = keyspace();
      int first = row();
      recordOn(bound, max - handed - 1, isForward);
      int last = itsKeyspace.lastWithin(stretch, bound, isForward);
      handed += stretch.hand(first, last, max - handed, isForward, visitor);
      boolean isAll = last == (isForward ? stretch.behind() - 1 : stretch.first());
      if (handed == max || !isAll) {
        return handed;
      }
      if (row() != last) {
        // Else the tree may be here, and a step of it is less than a search.
        at(itsKeyspace, stretch, last);
      }
      if (!(isForward ? next() : previous())) {
        return handed;
      }
    }
    return handed + super.hand(from, bound, max - handed, isForward, visitor);
  }

  /**
   * Goes on in one direction and keeps what it meets, as far as that takes no search: at most so
   * many rows, and at most one that is not within {@code bound}.
   */
  abstract void recordOn(byte[] bound, long max, boolean isForward);
}
