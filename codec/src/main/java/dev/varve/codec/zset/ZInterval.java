package dev.varve.codec.zset;

import java.util.Arrays;

/**
 * A {@link ZRange} applied to the members of one sorted set: between two ranks or two places, the
 * first included, the second not.
 *
 * <p>Immutable; holds while the set does not change.
 */
abstract sealed class ZInterval {

  private ZInterval() {}

  /**
   * @param reverse whether ranks count from the end
   */
  static ZInterval of(ZMembers set, ZRange range, boolean reverse) {
    if (range instanceof ZRange.ByRank ranks) {
      return ofRanks(set.size(), ranks, reverse);
    }
    if (range instanceof ZRange.ByScore scores) {
      return new Places(
          scores.minExclusive() ? ZPlace.after(scores.min()) : ZPlace.before(scores.min()),
          scores.maxExclusive() ? ZPlace.before(scores.max()) : ZPlace.after(scores.max()));
    }
    return ofMembers(set, (ZRange.ByLex) range);
  }

  private static ZInterval ofRanks(long size, ZRange.ByRank ranks, boolean reverse) {
    long start = Math.max(0, ranks.start() < 0 ? size + ranks.start() : ranks.start());
    long stop = Math.min(size - 1, ranks.stop() < 0 ? size + ranks.stop() : ranks.stop());
    if (start > stop) {
      return new Ranks(0, 0);
    }
    return reverse ? new Ranks(size - 1 - stop, size - start) : new Ranks(start, stop + 1);
  }

  private static ZInterval ofMembers(ZMembers set, ZRange.ByLex range) {
    if (range.min() == ZLexBound.HIGHEST || range.max() == ZLexBound.LOWEST) {
      return new Ranks(0, 0);
    }
    byte[] lowest = set.placeAt(0);
    byte[] highest = set.placeAt(set.size() - 1);
    ZLexBound min = range.min();
    ZLexBound max = range.max();
    // Where scores differ the order is not that of the members, but as in Redis nothing is found
    // beyond the last member and before the first.
    if (isOutside(highest, min, false) || isOutside(lowest, max, true)) {
      return new Ranks(0, 0);
    }
    byte[] from = lowest;
    if (min.member != null) {
      from = ZPlace.of(ZPlace.scoreOf(lowest), min.member);
      from = min.exclusive ? ZPlace.justAfter(from) : from;
    }
    byte[] to = ZPlace.justAfter(highest);
    if (max.member != null) {
      to = ZPlace.of(ZPlace.scoreOf(highest), max.member);
      to = max.exclusive ? to : ZPlace.justAfter(to);
    }
    return new Places(from, to);
  }

  private static boolean isOutside(byte[] place, ZLexBound bound, boolean isUpper) {
    if (bound.member == null) {
      return false;
    }
    int order =
        Arrays.compareUnsigned(
            place, Double.BYTES, place.length, bound.member, 0, bound.member.length);
    return order == 0 ? bound.exclusive : (order > 0) == isUpper;
  }

  /** How many members are in it. */
  abstract long count(ZMembers set);

  /** The rank of the first of them, if there are any. */
  abstract long first(ZMembers set);

  /** Hands out members as {@link ZMembers#walk} does. */
  abstract long walk(
      ZMembers set, boolean reverse, long skip, long limit, ScoredMemberVisitor visitor);

  /** Removes its members; there are some, and others. */
  abstract void remove(ZMembers set);

  private static final class Ranks extends ZInterval {
    private final long from;
    private final long to;

    Ranks(long from, long to) {
      this.from = from;
      this.to = to;
    }

    @Override
    long count(ZMembers set) {
      return to - from;
    }

    @Override
    long first(ZMembers set) {
      return from;
    }

    @Override
    long walk(ZMembers set, boolean reverse, long skip, long limit, ScoredMemberVisitor visitor) {
      long handed = Math.min(limit, to - from - skip);
      if (handed <= 0) {
        return 0;
      }
      set.walkRanks(reverse ? to - 1 - skip : from + skip, handed, reverse, visitor);
      return handed;
    }

    @Override
    void remove(ZMembers set) {
      set.removeRanks(from, to);
    }
  }

  private static final class Places extends ZInterval {
    private final byte[] from;
    private final byte[] to;

    Places(byte[] from, byte[] to) {
      this.from = from;
      this.to = to;
    }

    @Override
    long count(ZMembers set) {
      return Arrays.compareUnsigned(from, to) < 0 ? set.before(to) - set.before(from) : 0;
    }

    @Override
    long first(ZMembers set) {
      return set.before(from);
    }

    @Override
    long walk(ZMembers set, boolean reverse, long skip, long limit, ScoredMemberVisitor visitor) {
      return set.walk(from, to, reverse, skip, limit, visitor);
    }

    @Override
    void remove(ZMembers set) {
      set.removeBetween(from, to);
    }
  }
}
