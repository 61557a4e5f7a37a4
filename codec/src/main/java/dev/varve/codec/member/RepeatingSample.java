package dev.varve.codec.member;

import dev.varve.codec.Transaction;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.Slice;
import org.jspecify.annotations.Nullable;

/**
 * Draws members of a hash or set at random, each from all of them, so that they may repeat
 * themselves: a sample of any size in little memory.
 */
public final class RepeatingSample extends MemberCursor {
  private static final Slice NONE = Slice.of(new byte[0]);

  private final Transaction transaction;
  private final MemberTable table;
  private final long count;
  private final int[] packedPlaces;
  private final @Nullable RandomMembers spreadMembers;
  private long left;
  private int place;
  private Slice member = NONE;

  /**
   * @param table not empty
   * @param count how many members to draw
   */
  RepeatingSample(Transaction transaction, MemberTable table, long count) {
    this.transaction = transaction;
    this.table = table;
    this.count = count;
    this.left = count;
    packedPlaces = table.isSpread() ? new int[0] : table.meta().packed().places();
    spreadMembers = table.isSpread() ? new RandomMembers(transaction, table.keys()) : null;
  }

  @Override
  public long count() {
    return count;
  }

  @Override
  public boolean next() {
    if (left == 0) {
      return false;
    }
    left--;
    if (spreadMembers != null) {
      byte[] stored = spreadMembers.next(table.count());
      int offset = table.keys().memberOffset();
      member = new Slice(stored, offset, stored.length - offset);
    } else {
      PackedMembers packed = table.meta().packed();
      place = packedPlaces[transaction.random().nextInt(packedPlaces.length)];
      member = packed.item(place, 0);
    }
    return true;
  }

  @Override
  public byte[] array() {
    return member.array();
  }

  @Override
  public int offset() {
    return member.offset();
  }

  @Override
  public int length() {
    return member.length();
  }

  @Override
  public Slice value() {
    if (!table.hasValues()) {
      return super.value();
    }
    return spreadMembers == null
        ? table.meta().packed().item(place, 1)
        : Slice.of(spreadMembers.value());
  }

  @Override
  public void close() {
    if (spreadMembers != null) {
      spreadMembers.close();
    }
  }
}
