package dev.varve.codec.zset;

import dev.varve.codec.Transaction;

/** The ranks of members without their scores. */
public final class Ranks {
  /** The rank of no member. */
  public static final long NO_RANK = -1;

  private Ranks() {}

  /**
   * How many members are before one, or {@link #NO_RANK}.
   *
   * @param reverse whether to count those after it instead
   */
  public static long rank(
      Transaction transaction, int database, byte[] key, byte[] member, boolean reverse) {
    ZSets.Ranked ranked = ZSets.ranked(transaction, database, key, member, reverse);
    return ranked == null ? NO_RANK : ranked.rank();
  }
}
