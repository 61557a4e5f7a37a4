package dev.varve.codec.zset;

import dev.varve.codec.DataException;
import dev.varve.codec.EventClass;
import dev.varve.codec.Meta;
import dev.varve.codec.Remainder;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.MemberOrder;
import dev.varve.codec.format.ValueType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sorted sets: members with scores, in the order of score, then bytes.
 *
 * <p>Pure functions of a transaction. All throw DataException WRONG_TYPE when the key holds another
 * type, unless they say that they overwrite it. Random members are in {@link ZRandom}, walks in
 * {@link ZScan}, unions and the like in {@link ZAlgebra}.
 */
public final class ZSets {
  public static final DataException NOT_A_NUMBER =
      new DataException("ERR resulting score is not a number (NaN)");

  /** What {@link #score} and {@link #increment} return for no score: NaN is never one. */
  public static final double NO_SCORE = Double.NaN;

  private ZSets() {}

  /**
   * What ZADD did.
   *
   * @param added how many members are new
   * @param updated how many got another score
   */
  public record Added(long added, long updated) {}

  /** Where a member stands, and why. */
  public record Ranked(long rank, double score) {}

  /**
   * Adds members or changes their scores; the last score given for a member counts.
   *
   * @param scores as many as members, none NaN
   */
  public static Added add(
      Transaction transaction,
      int database,
      byte[] key,
      ZAddCondition condition,
      double[] scores,
      List<byte[]> members) {
    Meta meta = transaction.findBrieflyForWrite(database, key, ValueType.ZSET);
    if (meta == null) {
      meta = Meta.ofPacked(ValueType.ZSET);
    }
    ZMembers set = ZMembers.of(transaction, database, key, meta);
    MemberOrder order =
        condition.onlyExisting() ? set.order(members) : set.orderToAdd(transaction, members);
    if (order != MemberOrder.AS_NAMED) {
      set = set.spread(transaction, database, key);
    }
    long added = 0;
    long updated = 0;
    for (int i = 0; i < scores.length; i++) {
      int number = order.at(i);
      byte[] member = members.get(number);
      double score = scores[number];
      double now = set.score(member);
      if (Double.isNaN(now)) {
        if (!condition.onlyExisting()) {
          set = set.withRoomFor(transaction, database, key, member);
          set.add(member, score);
          added++;
        }
      } else if (now != score && condition.allows(now, score)) {
        set.move(member, now, score);
        updated++;
      }
    }
    if (added + updated > 0) {
      set.save(transaction, database, key);
      transaction.event(EventClass.ZSET, "zadd", database, key);
    }
    return new Added(added, updated);
  }

  /**
   * Adds to a member's score, which is 0 if there is no such member.
   *
   * @param delta not NaN
   * @return the new score, or {@link #NO_SCORE} if the condition does not allow it
   * @throws DataException NOT_A_NUMBER when infinities cancel out
   */
  public static double increment(
      Transaction transaction,
      int database,
      byte[] key,
      ZAddCondition condition,
      double delta,
      byte[] member) {
    Meta meta = transaction.findBrieflyForWrite(database, key, ValueType.ZSET);
    if (meta == null) {
      meta = Meta.ofPacked(ValueType.ZSET);
    }
    ZMembers set = ZMembers.of(transaction, database, key, meta);
    double from = set.score(member);
    boolean isNew = Double.isNaN(from);
    if (isNew ? condition.onlyExisting() : condition.onlyNew()) {
      return NO_SCORE;
    }
    double to = isNew ? delta : from + delta;
    if (Double.isNaN(to)) {
      throw NOT_A_NUMBER;
    }
    if (!isNew && !condition.allows(from, to)) {
      return NO_SCORE;
    }
    if (isNew) {
      set = set.withRoomFor(transaction, database, key, member);
      set.add(member, to);
    } else if (from != to) {
      set.move(member, from, to);
    } else {
      return to;
    }
    set.save(transaction, database, key);
    transaction.event(EventClass.ZSET, "zincr", database, key);
    return to;
  }

  /** Removes members; returns how many there were. */
  public static long remove(
      Transaction transaction, int database, byte[] key, List<byte[]> members) {
    Meta meta = transaction.findBrieflyForWrite(database, key, ValueType.ZSET);
    if (meta == null) {
      return 0;
    }
    ZMembers set = ZMembers.of(transaction, database, key, meta);
    MemberOrder order = set.order(members);
    long removed = 0;
    for (int i = 0; i < members.size(); i++) {
      byte[] member = members.get(order.at(i));
      double score = set.score(member);
      if (!Double.isNaN(score)) {
        set.remove(member, score);
        removed++;
      }
    }
    if (removed > 0) {
      transaction.event(EventClass.ZSET, "zrem", database, key);
      saveOrRemove(transaction, database, key, meta);
    }
    return removed;
  }

  /** How many members there are; 0 if there is no such key. */
  public static long size(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findBriefly(database, key, ValueType.ZSET);
    return meta == null ? 0 : meta.count();
  }

  /** A member's score, or {@link #NO_SCORE}. */
  public static double score(Transaction transaction, int database, byte[] key, byte[] member) {
    ZMembers set = openBriefly(transaction, database, key);
    return set == null ? NO_SCORE : set.score(member);
  }

  /** Members' scores, each {@link #NO_SCORE} where there is no such member. */
  public static double[] scores(
      Transaction transaction, int database, byte[] key, List<byte[]> members) {
    ZMembers set = openBriefly(transaction, database, key);
    double[] scores = new double[members.size()];
    for (int i = 0; i < scores.length; i++) {
      scores[i] = set == null ? NO_SCORE : set.score(members.get(i));
    }
    return scores;
  }

  /**
   * How many members are before one, and its score, or null for no member.
   *
   * @param reverse whether to count those after it instead
   */
  public static @Nullable Ranked ranked(
      Transaction transaction, int database, byte[] key, byte[] member, boolean reverse) {
    ZMembers set = openBriefly(transaction, database, key);
    double score = set == null ? NO_SCORE : set.score(member);
    if (set == null || Double.isNaN(score)) {
      return null;
    }
    long before = set.before(ZPlace.of(score, member));
    return new Ranked(reverse ? set.size() - 1 - before : before, score);
  }

  /** How many members are in a range. */
  public static long count(Transaction transaction, int database, byte[] key, ZRange range) {
    ZMembers set = openBriefly(transaction, database, key);
    return set == null ? 0 : ZInterval.of(set, range, false).count(set);
  }

  /**
   * Hands out the members in a range in their order.
   *
   * @param reverse whether in reverse order; ranks then count from the end
   * @param offset how many of them to leave out at the start; if negative, nothing is handed out
   * @param count how many to hand out at most; if negative, all
   * @return how many were handed out
   */
  public static long range(
      Transaction transaction,
      int database,
      byte[] key,
      ZRange range,
      boolean reverse,
      long offset,
      long count,
      ScoredMemberVisitor visitor) {
    ZMembers set = openBriefly(transaction, database, key);
    if (set == null || offset < 0) {
      return 0;
    }
    long limit = count < 0 ? Long.MAX_VALUE : count;
    return ZInterval.of(set, range, reverse).walk(set, reverse, offset, limit, visitor);
  }

  /**
   * As {@link #range}, into {@code target}, whatever it held.
   *
   * @return how many members {@code target} has now; with none, the key is gone
   */
  public static long storeRange(
      Transaction transaction,
      int database,
      byte[] target,
      byte[] source,
      ZRange range,
      boolean reverse,
      long offset,
      long count) {
    ScoredMembers members = new ScoredMembers();
    range(transaction, database, source, range, reverse, offset, count, members);
    if (reverse) {
      members.reverse();
    }
    return store(transaction, database, target, members, "zrangestore");
  }

  /** Makes members in their order what {@code target} holds. */
  static long store(
      Transaction transaction,
      int database,
      byte[] target,
      List<ScoredMember> members,
      String event) {
    Meta old = transaction.findForWrite(database, target);
    if (!members.isEmpty()) {
      Meta meta = ZMembers.build(transaction, database, target, members);
      transaction.replace(database, target, old, meta);
      transaction.event(EventClass.ZSET, event, database, target);
    } else if (old != null) {
      transaction.remove(database, target, old);
      transaction.event(EventClass.GENERIC, "del", database, target);
    }
    return members.size();
  }

  /** Removes the members in a range; returns how many there were. */
  public static long removeRange(Transaction transaction, int database, byte[] key, ZRange range) {
    Meta meta = transaction.findBrieflyForWrite(database, key, ValueType.ZSET);
    if (meta == null) {
      return 0;
    }
    ZMembers set = ZMembers.of(transaction, database, key, meta);
    ZInterval interval = ZInterval.of(set, range, false);
    long removed = interval.count(set);
    if (removed == 0) {
      return 0;
    }
    String event;
    if (range instanceof ZRange.ByRank) {
      event = "zremrangebyrank";
    } else if (range instanceof ZRange.ByScore) {
      event = "zremrangebyscore";
    } else {
      event = "zremrangebylex";
    }
    transaction.event(EventClass.ZSET, event, database, key);
    if (removed == set.size()) {
      removeAll(transaction, database, key, meta);
    } else if (meta.isSpread() && Remainder.isWrittenAnew(set.size() - removed, removed)) {
      keepOthers(transaction, database, key, set, interval.first(set), removed);
    } else {
      interval.remove(set);
      transaction.save(database, key, meta);
    }
    return removed;
  }

  /**
   * Removes the members with the lowest scores, or the highest.
   *
   * @return them, the lowest first, or the highest; empty if there is no such key
   */
  public static List<ScoredMember> pop(
      Transaction transaction, int database, byte[] key, boolean highest, long count) {
    Meta meta = transaction.findBrieflyForWrite(database, key, ValueType.ZSET);
    if (meta == null || count <= 0) {
      return List.of();
    }
    ZMembers set = ZMembers.of(transaction, database, key, meta);
    long popped = Math.min(count, set.size());
    ScoredMemberList members = new ScoredMemberList();
    set.walkEnd(highest, popped, members);
    transaction.event(EventClass.ZSET, highest ? "zpopmax" : "zpopmin", database, key);
    if (popped == set.size()) {
      removeAll(transaction, database, key, meta);
      return members.members();
    }
    if (popped == 1) {
      ScoredMember only = members.members().get(0);
      set.remove(only.member(), only.score());
    } else {
      long from = highest ? set.size() - popped : 0;
      set.removeRanks(from, from + popped);
    }
    transaction.save(database, key, meta);
    return members.members();
  }

  /** The members to read, or null if there is no such key. */
  static @Nullable ZMembers open(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.find(database, key, ValueType.ZSET);
    return meta == null ? null : ZMembers.of(transaction, database, key, meta);
  }

  /** The same for who is done with them before the transaction reads anything else. */
  private static @Nullable ZMembers openBriefly(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findBriefly(database, key, ValueType.ZSET);
    return meta == null ? null : ZMembers.of(transaction, database, key, meta);
  }

  /** Removes members as a whole set is removed, without a look at them. */
  private static void keepOthers(
      Transaction transaction, int database, byte[] key, ZMembers set, long from, long removed) {
    List<ScoredMember> others = new ArrayList<>(set.list(0, from));
    others.addAll(set.list(from + removed, set.size()));
    Meta meta = ZMembers.buildSpread(transaction, database, key, others);
    meta.setExpiryMillis(set.meta.expiryMillis());
    transaction.replace(database, key, set.meta, meta);
  }

  private static void saveOrRemove(Transaction transaction, int database, byte[] key, Meta meta) {
    if (meta.count() == 0) {
      removeAll(transaction, database, key, meta);
    } else {
      transaction.save(database, key, meta);
    }
  }

  private static void removeAll(Transaction transaction, int database, byte[] key, Meta meta) {
    transaction.remove(database, key, meta);
    transaction.event(EventClass.GENERIC, "del", database, key);
  }
}
