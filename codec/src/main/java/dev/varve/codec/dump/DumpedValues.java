package dev.varve.codec.dump;

import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.list.ListEnd;
import dev.varve.codec.list.ListTable;
import dev.varve.codec.list.Lists;
import dev.varve.codec.member.HashExpiry;
import dev.varve.codec.member.Hashes;
import dev.varve.codec.member.MemberTable;
import dev.varve.codec.member.Sets;
import dev.varve.codec.string.StringValue;
import dev.varve.codec.zset.ScoredMember;
import dev.varve.codec.zset.ZAddCondition;
import dev.varve.codec.zset.ZMembers;
import dev.varve.codec.zset.ZSets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Makes values of what was read.
 *
 * <p>Pure functions of a transaction.
 */
final class DumpedValues {
  private DumpedValues() {}

  /**
   * Makes a value what {@code key} holds, which holds nothing.
   *
   * @param expiryMillis when it expires, or {@link Meta#NO_EXPIRY}
   * @return false, and nothing is stored, if that moment or those of all fields are not in the
   *     future
   */
  static boolean create(
      Transaction transaction, int database, byte[] key, long expiryMillis, DumpedValue value) {
    if (expiryMillis <= transaction.dueMillis()) {
      return false;
    }
    Meta meta = build(transaction, database, key, value);
    if (value.type() == ValueType.HASH && meta.count() == 0) {
      return false;
    }
    meta.setExpiryMillis(expiryMillis);
    transaction.save(database, key, meta);
    return true;
  }

  /** Adds a further piece to the collection that {@code key} holds, at its tail if it has one. */
  static void append(Transaction transaction, int database, byte[] key, DumpedValue piece) {
    List<byte[]> items = piece.items();
    byte[][] all = items.toArray(byte[][]::new);
    switch (piece.type()) {
      case LIST -> Lists.push(transaction, database, key, ListEnd.TAIL, all);
      case SET -> Sets.add(transaction, database, key, all);
      case HASH -> {
        if (piece.moments().length == 0) {
          Hashes.set(transaction, database, key, all);
        } else {
          HashExpiry.setAll(transaction, database, key, items, piece.moments());
        }
      }
      case ZSET ->
          ZSets.add(
              transaction, database, key, ZAddCondition.NONE, positive(piece.scores()), items);
      case STREAM ->
          StreamDumps.append(transaction, database, key, Objects.requireNonNull(piece.stream()));
      case STRING -> throw new IllegalStateException("a further piece of a string");
    }
  }

  /** Adding 0 makes -0 a 0, as stored scores are. */
  private static double[] positive(double[] scores) {
    return Arrays.stream(scores).map(score -> score + 0.0).toArray();
  }

  private static Meta build(Transaction transaction, int database, byte[] key, DumpedValue value) {
    List<byte[]> items = value.items();
    return switch (value.type()) {
      case STRING -> StringValue.build(transaction, database, key, items.get(0));
      case LIST -> {
        ListTable list = ListTable.findOrCreate(transaction, database, key);
        items.forEach(element -> list.push(ListEnd.TAIL, element));
        yield list.meta();
      }
      case SET -> {
        MemberTable set = new MemberTable(transaction, database, key, Meta.ofPacked(value.type()));
        Sets.addAll(set, items.size(), items::get);
        yield set.meta();
      }
      case HASH -> {
        MemberTable hash = new MemberTable(transaction, database, key, Meta.ofPacked(value.type()));
        if (value.moments().length == 0) {
          Hashes.putAll(hash, items);
        } else {
          HashExpiry.putAll(hash, items, value.moments(), transaction.dueMillis());
        }
        yield hash.meta();
      }
      case ZSET ->
          ZMembers.build(transaction, database, key, inOrder(items, positive(value.scores())));
      case STREAM ->
          StreamDumps.build(transaction, database, key, Objects.requireNonNull(value.stream()));
    };
  }

  private static List<ScoredMember> inOrder(List<byte[]> members, double[] scores) {
    List<ScoredMember> sorted = new ArrayList<>(members.size());
    for (int i = 0; i < scores.length; i++) {
      sorted.add(new ScoredMember(members.get(i), scores[i]));
    }
    sorted.sort(
        Comparator.comparingDouble(ScoredMember::score)
            .thenComparing(ScoredMember::member, Arrays::compareUnsigned));
    return sorted;
  }
}
