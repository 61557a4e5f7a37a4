package dev.varve.codec.zset;

import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.MemberOrder;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.rank.CountedBuckets;
import dev.varve.codec.rank.Edges;
import dev.varve.codec.rank.RankFormat;
import dev.varve.codec.store.StoreCursor;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A sorted set with two entries per member: 's' member → score to find a member, 'z' score member →
 * nothing to walk them in order, with counted buckets over the latter.
 *
 * <p>Used by the thread of its transaction.
 */
final class ZSpreadMembers extends ZMembers {
  private static final byte[] NOTHING = new byte[0];

  /** Up to so many members left out are walked over, more are counted. */
  private static final long SKIP_WALKED_MAX = 128;

  private final Transaction transaction;
  private final CollectionKeys keys;
  private final RankWriter ranks;
  private final Edges edges;

  // The member asked for last: whose score is asked for gets another one.
  private byte @Nullable [] lastMember;
  private byte[] lastKey = NOTHING;

  ZSpreadMembers(Transaction transaction, int database, byte[] key, Meta meta) {
    super(meta);
    this.transaction = transaction;
    edges = meta.edges();
    keys = meta.keys(transaction.databaseId(database), key);
    ranks = new RankWriter(transaction, keys, KeyFormat.INDEX, meta, RankFormat.SIZES);
  }

  /** Writes all members of a new set: first the index in its order, then the members in theirs. */
  void writeAll(List<ScoredMember> members) {
    RankBuilder builder = new RankBuilder(transaction, keys, RankFormat.SIZES);
    for (ScoredMember each : members) {
      transaction.insert(keys.index(each.score(), each.member()));
      meta.add(1, bytes(each.member().length));
      builder.add(place(each));
    }
    builder.finish(meta);
    MemberOrder order = MemberOrder.of(members.size(), number -> members.get(number).member());
    for (int i = 0; i < members.size(); i++) {
      ScoredMember each = members.get(order.at(i));
      transaction.put(keys.member(each.member()), ZPlace.before(each.score()));
    }
    if (!members.isEmpty()) {
      edges.nothingBefore(place(members.get(0)));
      edges.nothingFrom(ZPlace.justAfter(place(members.get(members.size() - 1))));
    }
  }

  private static byte[] place(ScoredMember each) {
    return ZPlace.of(each.score(), each.member());
  }

  /** Writes both entries of a member; returns the key of the one in the index. */
  private byte[] put(byte[] member, double score) {
    byte[] index = keys.index(score, member);
    edges.include(index, keys.suffixOffset());
    transaction.put(key(member), ZPlace.before(score));
    transaction.insert(index);
    return index;
  }

  private byte[] key(byte[] member) {
    if (member != lastMember) {
      lastMember = member;
      lastKey = keys.member(member);
    }
    return lastKey;
  }

  private static long bytes(int memberLength) {
    return memberLength + (long) Double.BYTES;
  }

  @Override
  double score(byte[] member) {
    byte[] value = transaction.get(key(member));
    return value == null ? NONE : scoreIn(value);
  }

  /** The score in the value of a member's entry. */
  static double scoreIn(byte[] value) {
    if (value.length != Double.BYTES) {
      throw new DamagedValueException("a score of " + value.length + " bytes");
    }
    return OrderedNumbers.getDouble(value, 0);
  }

  @Override
  void add(byte[] member, double score) {
    byte[] index = put(member, score);
    meta.add(1, bytes(member.length));
    ranks.added(index);
  }

  @Override
  void countAdded() {
    ranks.build();
  }

  @Override
  void move(byte[] member, double from, double to) {
    byte[] old = keys.index(from, member);
    transaction.delete(old);
    ranks.moved(old, put(member, to));
  }

  @Override
  void remove(byte[] member, double score) {
    byte[] index = keys.index(score, member);
    transaction.delete(key(member));
    transaction.delete(index);
    meta.add(-1, -bytes(member.length));
    ranks.removed(index, 1);
    byte[] place = keys.suffixOf(index);
    edges.exclude(place, ZPlace.justAfter(place));
  }

  @Override
  long removeBetween(byte[] from, byte[] to) {
    byte[] end = end(to);
    long removed = 0;
    try (StoreCursor cursor = transaction.cursor(end)) {
      boolean found = cursor.seek(start(from));
      while (found && Arrays.compareUnsigned(cursor.key(), end) < 0) {
        // Bucket by bucket: each is counted down once.
        byte[] first = cursor.key();
        byte[] place = keys.suffixOf(first);
        if (removed == 0 && edges.isFirst(from)) {
          edges.nothingBefore(place);
        }
        byte[] bucketEnd = ranks.bucketEnd(place);
        byte[] stop = bucketEnd == null ? end : keys.suffixed(KeyFormat.INDEX, bucketEnd);
        if (Arrays.compareUnsigned(end, stop) < 0) {
          stop = end;
        }
        long entries = 0;
        long bytes = 0;
        while (found && Arrays.compareUnsigned(cursor.key(), stop) < 0) {
          byte[] member = keys.scoredMemberOf(cursor.key());
          transaction.delete(keys.member(member));
          transaction.delete(cursor.key());
          entries++;
          bytes += bytes(member.length);
          found = cursor.next();
        }
        meta.add(-entries, -bytes);
        ranks.removed(first, entries);
        removed += entries;
      }
    }
    edges.exclude(from, to);
    return removed;
  }

  @Override
  void removeRanks(long from, long to) {
    byte[] last = placeAt(to - 1);
    byte[] first = from == to - 1 ? last : placeAt(from);
    noteEnd(from, first);
    noteEnd(to - 1, last);
    removeBetween(first, ZPlace.justAfter(last));
  }

  @Override
  long before(byte[] place) {
    try (StoreCursor cursor = cursor()) {
      return reader(cursor).before(place);
    }
  }

  @Override
  byte[] placeAt(long rank) {
    try (StoreCursor cursor = cursor()) {
      reader(cursor).seek(rank, size());
      return keys.suffixOf(cursor.key());
    }
  }

  /** Over the index, and no further than there are members. */
  private StoreCursor cursor() {
    return transaction.cursorOverAll(
        start(RankFormat.START), edges.end(keys, KeyFormat.INDEX, null));
  }

  private RankReader reader(StoreCursor cursor) {
    int levels = meta.rankLevels();
    CountedBuckets buckets = levels == 0 ? null : transaction.buckets().toRead(keys, levels);
    return new RankReader(cursor, buckets, keys, KeyFormat.INDEX, meta);
  }

  @Override
  long walk(
      byte[] from, byte[] to, boolean reverse, long skip, long limit, ScoredMemberVisitor visitor) {
    if (skip > SKIP_WALKED_MAX) {
      return walkCounted(from, to, reverse, skip, limit, visitor);
    }
    byte[] start = start(from);
    byte[] end = end(to);
    byte[] bound = reverse ? start : end;
    try (StoreCursor cursor = transaction.cursor(start, end)) {
      boolean found = reverse ? cursor.seekBefore(end) : cursor.seek(start);
      for (long i = 0; i < skip && found && cursor.compareKey(bound) < 0 != reverse; i++) {
        found = reverse ? cursor.previous() : cursor.next();
      }
      return found ? hand(cursor, bound, limit, reverse, visitor) : 0;
    }
  }

  /** Hands over the member that the cursor is on, and those up to a bound. */
  private long hand(
      StoreCursor cursor, byte[] bound, long max, boolean reverse, ScoredMemberVisitor visitor) {
    return cursor.hand(
        keys.suffixOffset(),
        bound,
        max,
        !reverse,
        (array, score, length, values, value, valueLength) ->
            visitor.member(
                array,
                score + Double.BYTES,
                length - Double.BYTES,
                OrderedNumbers.getDouble(array, score)));
  }

  /** The stored key at which entries from {@code place} on begin. */
  private byte[] start(byte[] place) {
    return keys.suffixed(KeyFormat.INDEX, edges.start(place));
  }

  /** The stored key at which entries before {@code place} have ended. */
  private byte[] end(byte[] place) {
    return edges.end(keys, KeyFormat.INDEX, place);
  }

  @Override
  public void walkRanks(long rank, long count, boolean reverse, ScoredMemberVisitor visitor) {
    if (count == 0) {
      return;
    }
    try (StoreCursor cursor = cursor()) {
      walkRanks(cursor, rank, count, reverse, visitor);
    }
  }

  @Override
  public void walkEnd(boolean highest, long count, ScoredMemberVisitor visitor) {
    try (StoreCursor cursor = cursor()) {
      walkRanks(cursor, highest ? size() - 1 : 0, count, highest, visitor);
      cursor.foresee(!highest);
    }
  }

  private void walkRanks(
      StoreCursor cursor, long rank, long count, boolean reverse, ScoredMemberVisitor visitor) {
    reader(cursor).seek(rank, size());
    noteEnd(rank, keys.suffixOf(cursor.key()));
    byte[] bound = reverse ? keys.prefix(KeyFormat.INDEX) : keys.end(KeyFormat.INDEX);
    long handed = hand(cursor, bound, count, reverse, visitor);
    if (handed < count) {
      throw new DamagedValueException("a sorted set has fewer members than it says");
    }
  }

  /** The first and the last member are the edges, however far those have been left behind. */
  private void noteEnd(long rank, byte[] place) {
    if (rank == 0) {
      edges.nothingBefore(place);
    }
    if (rank == size() - 1) {
      edges.nothingFrom(ZPlace.justAfter(place));
    }
  }
}
