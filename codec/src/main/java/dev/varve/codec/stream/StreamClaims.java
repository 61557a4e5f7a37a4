package dev.varve.codec.stream;

import dev.varve.codec.Transaction;
import dev.varve.codec.format.StreamId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is pending in a group, and how a consumer takes it over from others.
 *
 * <p>Pure functions of a transaction. They throw {@link dev.varve.codec.DataException#WRONG_TYPE},
 * or NOGROUP where there is no such stream or group.
 */
public final class StreamClaims {
  private static final int LOOKS_PER_CLAIM = 10;

  private StreamClaims() {}

  /**
   * How a claim is made.
   *
   * @param idleMillisMin for how long an entry must not have been delivered
   * @param deliveredMillis when it shall count as delivered
   * @param deliveries how often it shall count as delivered, or -1 to count on
   * @param isQuiet whether the claim itself is no delivery
   * @param isForced whether what is not pending becomes so
   * @param lastId up to which the group counts as delivered, or null to leave that
   */
  public record Terms(
      long idleMillisMin,
      long deliveredMillis,
      long deliveries,
      boolean isQuiet,
      boolean isForced,
      @Nullable StreamId lastId) {}

  /**
   * What an automatic claim did.
   *
   * @param next from where to go on, 0-0 at the end
   * @param claimed the entries the consumer has now
   * @param deleted those that were pending and are in the stream no more
   */
  public record Claimed(StreamId next, List<StreamId> claimed, List<StreamId> deleted) {}

  /**
   * What is pending in a group.
   *
   * @param count how many entries
   * @param first the id of the first, or null
   * @param last the id of the last, or null
   */
  public record Summary(long count, @Nullable StreamId first, @Nullable StreamId last) {}

  private static StreamGroup require(@Nullable GroupTable groups, byte[] key, byte[] name) {
    StreamGroup group = groups == null ? null : groups.find(name);
    if (group == null) {
      throw StreamGroups.noGroup(key, name, "");
    }
    return group;
  }

  private static GroupTable groups(StreamTable stream) {
    return new GroupTable(stream);
  }

  private static StreamTable open(@Nullable StreamTable stream, byte[] key, byte[] name) {
    if (stream == null) {
      throw StreamGroups.noGroup(key, name, "");
    }
    return stream;
  }

  /** What is pending in a group. */
  public static Summary summary(Transaction transaction, int database, byte[] key, byte[] name) {
    StreamTable stream = open(StreamTable.find(transaction, database, key), key, name);
    GroupTable groups = groups(stream);
    StreamGroup group = require(groups, key, name);
    if (!group.pending.isAny()) {
      return new Summary(0, null, null);
    }
    StreamId[] first = new StreamId[1];
    groups.walkPending(
        group,
        StreamId.MIN,
        entry -> {
          first[0] = entry.id();
          return false;
        });
    long count = group.pendingCount();
    return new Summary(count, first[0], count == 1 ? first[0] : groups.lastPending(group));
  }

  /** Refuses a group that is not there. */
  public static void requireGroup(Transaction transaction, int database, byte[] key, byte[] name) {
    StreamTable stream = open(StreamTable.find(transaction, database, key), key, name);
    require(groups(stream), key, name);
  }

  /**
   * Hands out pending entries from one id to another, until {@code visitor} says no.
   *
   * @param consumer whose, or null for anybody's
   */
  public static void pending(
      Transaction transaction,
      int database,
      byte[] key,
      byte[] name,
      byte @Nullable [] consumer,
      StreamId from,
      StreamId to,
      Predicate<PendingEntry> visitor) {
    StreamTable stream = open(StreamTable.find(transaction, database, key), key, name);
    GroupTable groups = groups(stream);
    StreamGroup group = require(groups, key, name);
    if (consumer == null) {
      groups.walkPending(
          group, from, entry -> entry.id().compareTo(to) <= 0 && visitor.test(entry));
      return;
    }
    boolean[] goesOn = {true};
    groups.walkOwned(
        group,
        consumer,
        from,
        id -> {
          PendingEntry entry = groups.pending(group, id);
          goesOn[0] = entry == null || visitor.test(entry);
        },
        id -> goesOn[0] && id.compareTo(to) <= 0);
  }

  /** Gives a consumer pending entries of others; returns those it got. */
  public static List<StreamId> claim(
      Transaction transaction,
      int database,
      byte[] key,
      byte[] name,
      byte[] consumer,
      Terms terms,
      List<StreamId> ids) {
    StreamTable stream = open(StreamTable.findForWrite(transaction, database, key), key, name);
    GroupTable groups = groups(stream);
    StreamGroup group = require(groups, key, name);
    if (terms.lastId != null && terms.lastId.compareTo(group.last) > 0) {
      group.last = terms.lastId;
    }
    List<StreamId> claimed = new ArrayList<>();
    for (StreamId id : ids) {
      PendingEntry old = groups.pending(group, id);
      if (!stream.contains(id)) {
        groups.remove(group, id);
      } else if (old == null ? terms.isForced : isIdle(transaction, old, terms.idleMillisMin)) {
        take(groups, group, consumer, terms, old, id, claimed.isEmpty());
        claimed.add(id);
      }
    }
    groups.save(group);
    stream.save();
    if (transaction.effects().areWanted()) {
      List<StreamId> told = new ArrayList<>(claimed);
      ids.stream().filter(id -> groups.pending(group, id) == null).forEach(told::add);
      GroupEffects.handedOver(stream, groups, group, consumer, told);
      if (terms.lastId != null) {
        GroupEffects.movedOn(stream, group);
      }
    }
    return claimed;
  }

  private static boolean isIdle(Transaction transaction, PendingEntry entry, long idleMillisMin) {
    return idleMillisMin == 0 || transaction.nowMillis() - entry.deliveredMillis() >= idleMillisMin;
  }

  private static void take(
      GroupTable groups,
      StreamGroup group,
      byte[] consumer,
      Terms terms,
      @Nullable PendingEntry old,
      StreamId id,
      boolean isFirst) {
    if (isFirst) {
      groups.see(group, consumer);
    }
    long deliveries = terms.deliveries;
    if (deliveries < 0) {
      deliveries = (old == null ? 1 : old.deliveries()) + (terms.isQuiet ? 0 : 1);
    }
    groups.put(group, new PendingEntry(id, consumer, terms.deliveredMillis, deliveries), old);
  }

  /** Gives a consumer what is pending from an id on, up to {@code count} entries. */
  public static Claimed claimFrom(
      Transaction transaction,
      int database,
      byte[] key,
      byte[] name,
      byte[] consumer,
      Terms terms,
      StreamId from,
      long count) {
    StreamTable found = StreamTable.findForWrite(transaction, database, key);
    if (found == null) {
      transaction.missed(database, key);
    }
    StreamTable stream = open(found, key, name);
    GroupTable groups = groups(stream);
    StreamGroup group = require(groups, key, name);
    List<StreamId> claimed = new ArrayList<>();
    List<StreamId> deleted = new ArrayList<>();
    StreamId[] next = {StreamId.MIN};
    long looksMax = count > Long.MAX_VALUE / LOOKS_PER_CLAIM ? count : count * LOOKS_PER_CLAIM;
    long[] looks = new long[1];
    groups.walkPending(
        group,
        from,
        entry -> {
          if (looks[0]++ == looksMax || claimed.size() + deleted.size() == count) {
            next[0] = entry.id();
            return false;
          }
          if (!stream.contains(entry.id())) {
            groups.remove(group, entry.id());
            deleted.add(entry.id());
          } else if (isIdle(transaction, entry, terms.idleMillisMin)) {
            take(groups, group, consumer, terms, entry, entry.id(), claimed.isEmpty());
            claimed.add(entry.id());
          }
          return true;
        });
    groups.save(group);
    stream.save();
    if (transaction.effects().areWanted()) {
      List<StreamId> told = new ArrayList<>(claimed);
      told.addAll(deleted);
      GroupEffects.handedOver(stream, groups, group, consumer, told);
    }
    return new Claimed(next[0], claimed, deleted);
  }
}
