package dev.varve.codec.stream;

import dev.varve.codec.PackedLimits;
import dev.varve.codec.format.StreamId;

/**
 * Which entries a stream loses at its front.
 *
 * <p>Immutable, for any thread.
 *
 * @param lengthMax how many entries may stay, or -1 where ids decide
 * @param idMin the first id that may stay
 * @param isApproximate whether more may stay, so that only whole nodes go
 * @param limit how many may go at most if it is approximate; 0 for any number, -1 for the usual one
 */
public record StreamTrim(long lengthMax, StreamId idMin, boolean isApproximate, long limit) {
  /** What {@link #limit} is where none is given. */
  public static final long USUAL = -1;

  private static final int USUAL_NODES = 100;

  /** Where nodes may have any number of entries. */
  private static final long USUAL_OF_ANY = 10_000;

  private static final long USUAL_MAX = 1_000_000;

  /** All but the last {@code lengthMax}. */
  public static StreamTrim toLength(long lengthMax, boolean isApproximate, long limit) {
    return new StreamTrim(lengthMax, StreamId.MIN, isApproximate, limit);
  }

  /** All before {@code idMin}. */
  public static StreamTrim toId(StreamId idMin, boolean isApproximate, long limit) {
    return new StreamTrim(-1, idMin, isApproximate, limit);
  }

  /** How many may go at most; 0 for any number. */
  long limit(PackedLimits limits) {
    if (!isApproximate) {
      return 0;
    }
    if (limit != USUAL) {
      return limit;
    }
    int entriesMax = limits.streamNodeEntriesMax();
    return entriesMax == PackedLimits.ANY_NUMBER
        ? USUAL_OF_ANY
        : Math.min(USUAL_MAX, (long) USUAL_NODES * entriesMax);
  }

  boolean isWanted(long length) {
    return lengthMax < 0 || length > lengthMax;
  }

  /** Whether a node of so many entries, which has reached to that id, may go as a whole. */
  boolean allowsWhole(long length, long entries, StreamId reach) {
    return lengthMax >= 0 ? length - entries >= lengthMax : reach.compareTo(idMin) < 0;
  }

  boolean allows(long length, StreamId id) {
    return lengthMax >= 0 ? length > lengthMax : id.compareTo(idMin) < 0;
  }
}
