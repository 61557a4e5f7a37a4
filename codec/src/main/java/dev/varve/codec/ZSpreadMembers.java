package dev.varve.codec;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.store.StoreCursor;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

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

  ZSpreadMembers(Transaction transaction, int database, byte[] key, Meta meta) {
    super(meta);
    this.transaction = transaction;
    edges = meta.edges();
    keys = meta.keys(transaction.databaseId(database), key);
    ranks = new RankWriter(transaction, keys, KeyFormat.INDEX, meta, RankFormat.SIZES);
  }

  /** Writes all members of a new set. */
  void writeAll(List<ScoredMember> members) {
    RankBuilder builder = new RankBuilder(transaction, keys, RankFormat.SIZES);
    for (ScoredMember each : members) {
      byte[] place = place(each);
      put(each.member(), place);
      meta.add(1, bytes(each.member().length));
      builder.add(place);
    }
    builder.finish(meta);
    if (!members.isEmpty()) {
      edges.nothingBefore(place(members.get(0)));
      edges.nothingFrom(ZPlace.justAfter(place(members.get(members.size() - 1))));
    }
  }

  private static byte[] place(ScoredMember each) {
    return ZPlace.of(each.score(), each.member());
  }

  private void put(byte[] member, byte[] place) {
    edges.include(place);
    transaction.put(keys.member(member), Arrays.copyOf(place, Double.BYTES));
    transaction.put(keys.suffixed(KeyFormat.INDEX, place), NOTHING);
  }

  private static long bytes(int memberLength) {
    return memberLength + (long) Double.BYTES;
  }

  @Override
  double score(byte[] member) {
    byte[] value = transaction.get(keys.member(member));
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
    byte[] place = ZPlace.of(score, member);
    put(member, place);
    meta.add(1, bytes(member.length));
    ranks.added(place);
  }

  @Override
  void move(byte[] member, double from, double to) {
    byte[] old = ZPlace.of(from, member);
    transaction.delete(keys.suffixed(KeyFormat.INDEX, old));
    byte[] place = ZPlace.of(to, member);
    put(member, place);
    ranks.moved(old, place);
  }

  @Override
  void remove(byte[] member, double score) {
    byte[] place = ZPlace.of(score, member);
    transaction.delete(keys.member(member));
    transaction.delete(keys.suffixed(KeyFormat.INDEX, place));
    meta.add(-1, -bytes(member.length));
    ranks.removed(place, 1);
    edges.exclude(place, ZPlace.justAfter(place));
  }

  @Override
  long removeBetween(byte[] from, byte[] to) {
    byte[] end = end(to);
    long removed = 0;
    try (StoreCursor cursor = transaction.cursor()) {
      boolean found = cursor.seek(start(from));
      while (found && Arrays.compareUnsigned(cursor.key(), end) < 0) {
        // Bucket by bucket: each is counted down once.
        byte[] place = keys.suffixOf(cursor.key());
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
        ranks.removed(place, entries);
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
    try (StoreCursor cursor = transaction.cursor()) {
      return reader(cursor).before(place);
    }
  }

  @Override
  byte[] placeAt(long rank) {
    try (StoreCursor cursor = transaction.cursor()) {
      reader(cursor).seek(rank, size());
      return keys.suffixOf(cursor.key());
    }
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
    try (StoreCursor cursor = transaction.cursor()) {
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
    return keys.suffixed(KeyFormat.INDEX, Objects.requireNonNull(edges.end(place)));
  }

  @Override
  void walkRanks(long rank, long count, boolean reverse, ScoredMemberVisitor visitor) {
    if (count == 0) {
      return;
    }
    try (StoreCursor cursor = transaction.cursor()) {
      reader(cursor).seek(rank, size());
      noteEnd(rank, keys.suffixOf(cursor.key()));
      byte[] bound = reverse ? keys.prefix(KeyFormat.INDEX) : keys.end(KeyFormat.INDEX);
      long handed = hand(cursor, bound, count, reverse, visitor);
      if (handed < count) {
        throw new DamagedValueException("a sorted set has fewer members than it says");
      }
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
