package dev.varve.codec.zset;

/**
 * Which members of a sorted set are meant: by rank, by score, or by their bytes.
 *
 * <p>Immutable, for any thread.
 */
public sealed interface ZRange {

  /**
   * By rank, both ends included; negative ranks count from the end, -1 being the last member. Read
   * in reverse, ranks count from the other end.
   */
  record ByRank(long start, long stop) implements ZRange {}

  /** By score. Neither end is NaN. */
  record ByScore(double min, boolean minExclusive, double max, boolean maxExclusive)
      implements ZRange {}

  /**
   * By the bytes of members that all have the same score. Where they have not, it goes from {@code
   * min} among those with the lowest score to {@code max} among those with the highest.
   */
  record ByLex(ZLexBound min, ZLexBound max) implements ZRange {}
}
