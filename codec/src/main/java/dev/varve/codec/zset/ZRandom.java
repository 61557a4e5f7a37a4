package dev.varve.codec.zset;

import dev.varve.codec.Transaction;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Random members of sorted sets, each with the same chance.
 *
 * <p>Pure functions of a transaction, its random source included.
 */
public final class ZRandom {
  /** Finding a member by its rank costs about as much as walking over so many. */
  private static final long SEEK_STEPS = 64;

  private ZRandom() {}

  /**
   * Hands out {@code count} different members, or all if there are fewer.
   *
   * @param count from 0 up
   * @return how many were handed out
   */
  public static long distinct(
      Transaction transaction, int database, byte[] key, long count, ScoredMemberVisitor visitor) {
    ZMembers set = ZSets.open(transaction, database, key);
    if (set == null || count == 0) {
      return 0;
    }
    long size = set.size();
    long drawn = Math.min(count, size);
    if (drawn >= size / SEEK_STEPS) {
      set.walkRanks(0, size, false, sample(transaction, size, drawn, visitor));
      return drawn;
    }
    for (long rank : distinctRanks(transaction.random(), size, (int) drawn)) {
      set.walkRanks(rank, 1, false, visitor);
    }
    return drawn;
  }

  /** Lets each of {@code size} members through with the chance that {@code drawn} are, in all. */
  private static ScoredMemberVisitor sample(
      Transaction transaction, long size, long drawn, ScoredMemberVisitor visitor) {
    RandomGenerator random = transaction.random();
    long[] left = {size, drawn};
    return (array, offset, length, score) -> {
      if (random.nextLong(left[0]) < left[1]) {
        visitor.member(array, offset, length, score);
        left[1]--;
      }
      left[0]--;
    };
  }

  /** Far fewer different ranks than there are, in order. */
  private static long[] distinctRanks(RandomGenerator random, long size, int count) {
    long[] ranks = new long[count];
    int distinct = 0;
    while (distinct < count) {
      for (int i = distinct; i < count; i++) {
        ranks[i] = random.nextLong(size);
      }
      Arrays.sort(ranks);
      distinct = 1;
      for (int i = 1; i < count; i++) {
        if (ranks[i] != ranks[distinct - 1]) {
          ranks[distinct++] = ranks[i];
        }
      }
    }
    return ranks;
  }

  /**
   * Hands out {@code count} members, each drawn from all.
   *
   * @param count from 0 up
   * @return how many were handed out: none if there is no such key
   */
  public static long any(
      Transaction transaction, int database, byte[] key, long count, ScoredMemberVisitor visitor) {
    ZMembers set = ZSets.open(transaction, database, key);
    if (set == null) {
      return 0;
    }
    for (long i = 0; i < count; i++) {
      set.walkRanks(transaction.random().nextLong(set.size()), 1, false, visitor);
    }
    return count;
  }
}
