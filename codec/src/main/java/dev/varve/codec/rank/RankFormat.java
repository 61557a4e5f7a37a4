package dev.varve.codec.rank;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.store.StoreCursor;

/**
 * The layout of counted buckets: how many entries of a spread collection are where, so that a rank
 * is counted and not walked.
 *
 * <p>Pure functions, for any thread.
 */
public final class RankFormat {
  /*
   * The entries of a collection in one keyspace ('z' of a sorted set; 's' would do for a set) are
   * told apart by their suffix, the part of the stored key after the version, and ordered by it.
   * While they are few, nothing is stored: the count in the meta is that of the one bucket. Beyond 512
   * they are divided into the buckets of level 0; when a level has more than 128 buckets, the next
   * level divides those alike. The meta holds the number of levels.
   *
   *   key    'r' ... level:1 first           first: the suffix from which on the bucket counts; the
   *                                          first bucket of each level has none
   *   value  entries:8                       of level 0
   *   value  entries:8 children:4            above: children are buckets of the level below
   *
   * A bucket ends where the next one of its level starts. Each bucket above level 0 starts where one
   * of the level below starts, so buckets nest. Up to about 40 thousand entries a change touches
   * one bucket, up to about 6 million two.
   *
   * docs/formats/sorted-sets.md has worked examples.
   */

  /**
   * How large buckets are. The format holds any: readers do not look at these.
   *
   * @param entriesMax a bucket of level 0 with more entries is split
   * @param entriesMin one with fewer is merged with a neighbour if both fit into one
   * @param childrenMax a bucket above level 0 with more children is split
   * @param childrenMin one with fewer is merged with a neighbour if both fit into one
   */
  public record Sizes(int entriesMax, int entriesMin, int childrenMax, int childrenMin) {

    /** How full a bucket of level 0 is that is built at once: it can take more and lose some. */
    public int entriesBuilt() {
      return entriesMax * 3 / 4;
    }

    /** How many children a bucket above level 0 gets when it is built at once. */
    public int childrenBuilt() {
      return childrenMax * 3 / 4;
    }
  }

  /**
   * Larger ones are fewer: more of the changes of a pass meet in one, which is written once. A rank
   * is no dearer for it, since the entries of a bucket are passed over by what is kept of them.
   */
  public static final Sizes SIZES = new Sizes(512, 128, 128, 32);

  /** More than any number of entries needs. */
  public static final int LEVELS_MAX = 15;

  /** Where the first bucket of a level starts: before every suffix. */
  public static final byte[] START = new byte[0];

  /** Counts the entries of buckets. */
  public static final StoreCursor.Weight ENTRIES = OrderedNumbers::leading;

  private static final int LEAF_BYTES = Long.BYTES;
  private static final int INNER_BYTES = Long.BYTES + Integer.BYTES;

  private RankFormat() {}

  public static byte[] value(int level, long entries, int children) {
    byte[] value = new byte[level == 0 ? LEAF_BYTES : INNER_BYTES];
    OrderedNumbers.putUnsignedLong(value, 0, entries);
    if (level != 0) {
      OrderedNumbers.putUnsignedInt(value, LEAF_BYTES, children);
    }
    return value;
  }

  public static long entries(byte[] value) {
    return OrderedNumbers.leading(value, 0, value.length);
  }

  /** How many entries the bucket that {@code cursor} is on has. */
  public static long entries(StoreCursor cursor) {
    return ENTRIES.of(cursor.valueArray(), cursor.valueOffset(), cursor.valueLength());
  }

  /** How many children the bucket with that value has: entries on level 0, buckets above. */
  public static long children(int level, byte[] value) {
    if (level == 0) {
      return entries(value);
    }
    requireLength(value.length, INNER_BYTES);
    return OrderedNumbers.unsignedInt(value, LEAF_BYTES);
  }

  private static void requireLength(int length, int bytes) {
    if (length < bytes) {
      throw new DamagedValueException("a counted bucket of only " + length + " bytes");
    }
  }
}
