package dev.varve.codec.zset;

import dev.varve.codec.Meta;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.MemberOrder;
import dev.varve.codec.format.ValueType;
import java.util.List;

/**
 * The members of one sorted set in their order, packed or spread.
 *
 * <p>Used by the thread of its transaction. Places are those of {@link ZPlace}; ranks count from 0.
 * Changes are part of the meta, which must be saved.
 */
public abstract sealed class ZMembers permits ZPackedMembers, ZSpreadMembers {
  /** What {@link #score} returns where there is no such member. */
  static final double NONE = Double.NaN;

  final Meta meta;

  ZMembers(Meta meta) {
    this.meta = meta;
  }

  public static ZMembers of(Transaction transaction, int database, byte[] key, Meta meta) {
    return meta.isSpread()
        ? new ZSpreadMembers(transaction, database, key, meta)
        : new ZPackedMembers(meta);
  }

  /**
   * Makes a new sorted set of members that are in their order, not saved yet.
   *
   * @param key the user key it will have
   */
  public static Meta build(
      Transaction transaction, int database, byte[] key, List<ScoredMember> members) {
    PackedLimits limits = transaction.packedLimits();
    boolean packed = members.size() <= limits.zsetEntriesMax();
    for (int i = 0; packed && i < members.size(); i++) {
      packed = members.get(i).member().length <= limits.zsetItemBytesMax();
    }
    if (packed) {
      Meta meta = Meta.ofPacked(ValueType.ZSET);
      new ZPackedMembers(meta).appendAll(members);
      return meta;
    }
    return buildSpread(transaction, database, key, members);
  }

  /** The same, however few they are: one that has been spread stays so. */
  static Meta buildSpread(
      Transaction transaction, int database, byte[] key, List<ScoredMember> members) {
    Meta meta = Meta.ofSpread(ValueType.ZSET, transaction.newVersion());
    new ZSpreadMembers(transaction, database, key, meta).writeAll(members);
    return meta;
  }

  /** These members, made ready to take one more: spread if it would outgrow what is packed. */
  final ZMembers withRoomFor(Transaction transaction, int database, byte[] key, byte[] member) {
    PackedLimits limits = transaction.packedLimits();
    boolean isRoom = size() < limits.zsetEntriesMax() && member.length <= limits.zsetItemBytesMax();
    return isRoom ? this : spread(transaction, database, key);
  }

  /** The order in which members that one command names are best taken up. */
  final MemberOrder order(List<byte[]> members) {
    return meta.isSpread() ? MemberOrder.of(members.size(), members::get) : MemberOrder.AS_NAMED;
  }

  /**
   * The same for members that are to be there: another one than {@link MemberOrder#AS_NAMED} only
   * if these are spread, or have to be for all of them.
   */
  final MemberOrder orderToAdd(Transaction transaction, List<byte[]> members) {
    int packedMax = transaction.packedLimits().zsetEntriesMax();
    return meta.isSpread()
        ? order(members)
        : MemberOrder.outgrowing(packedMax, members.size(), members::get);
  }

  /** These members, spread if they are not. */
  final ZMembers spread(Transaction transaction, int database, byte[] key) {
    if (meta.isSpread()) {
      return this;
    }
    List<ScoredMember> members = list(0, size());
    meta.spread(transaction.newVersion());
    ZSpreadMembers spread = new ZSpreadMembers(transaction, database, key, meta);
    spread.writeAll(members);
    return spread;
  }

  /** Makes what was added and moved part of the transaction. */
  final void save(Transaction transaction, int database, byte[] key) {
    countAdded();
    transaction.save(database, key, meta);
  }

  /** Counts what was added, where that waits for the last one. */
  void countAdded() {}

  public final long size() {
    return meta.count();
  }

  /** The members from one rank up to and without another. */
  final List<ScoredMember> list(long from, long to) {
    ScoredMemberList list = new ScoredMemberList();
    walkRanks(from, to - from, false, list);
    return list.members();
  }

  /** The score of {@code member}, or {@link #NONE}. */
  abstract double score(byte[] member);

  /** Adds a member that is not there; {@link #save} comes later. */
  abstract void add(byte[] member, double score);

  /** Changes the score of a member. */
  abstract void move(byte[] member, double from, double to);

  /** Removes a member that has {@code score}. */
  abstract void remove(byte[] member, double score);

  /** Removes the members from one place up to and without another; returns how many. */
  abstract long removeBetween(byte[] from, byte[] to);

  /** Removes the members from one rank up to and without another. */
  abstract void removeRanks(long from, long to);

  /** How many members are before a place. */
  abstract long before(byte[] place);

  /** The place of the member with that rank. */
  abstract byte[] placeAt(long rank);

  /**
   * Hands out members from one place up to and without another, or backwards.
   *
   * @param skip how many of them are left out at the start of the walk
   * @param limit how many are handed out at most
   * @return how many were handed out
   */
  abstract long walk(
      byte[] from, byte[] to, boolean reverse, long skip, long limit, ScoredMemberVisitor visitor);

  /**
   * Hands out {@code count} members from the one with {@code rank} on, upwards or downwards. There
   * are that many.
   */
  public abstract void walkRanks(
      long rank, long count, boolean reverse, ScoredMemberVisitor visitor);

  /**
   * Hands out the {@code count} members with the lowest scores, or from the highest down: they are
   * going to be popped, and those behind them soon.
   */
  public void walkEnd(boolean highest, long count, ScoredMemberVisitor visitor) {
    walkRanks(highest ? size() - 1 : 0, count, highest, visitor);
  }

  /** {@link #walk} by ranks, for when walking over what is skipped would take long. */
  final long walkCounted(
      byte[] from, byte[] to, boolean reverse, long skip, long limit, ScoredMemberVisitor visitor) {
    long first = before(from);
    long end = before(to);
    // In this order nothing overflows, whatever a client gives to skip.
    if (end - first <= skip) {
      return 0;
    }
    long handed = Math.min(end - first - skip, limit);
    walkRanks(reverse ? end - 1 - skip : first + skip, handed, reverse, visitor);
    return handed;
  }
}
