package dev.varve.codec.zset;

import dev.varve.codec.format.OrderedNumbers;
import java.util.Arrays;

/**
 * Places among the members of sorted sets, as bytes in their order: the score, then the member.
 *
 * <p>It is what the stored keys of keyspace 'z' have after the version. A place need not be that of
 * a member: a range goes from one place up to and without another. Pure functions, for any thread.
 */
public final class ZPlace {

  private ZPlace() {}

  /** The place of a member with that score. */
  public static byte[] of(double score, byte[] member) {
    byte[] place = new byte[Double.BYTES + member.length];
    OrderedNumbers.putDouble(place, 0, score);
    System.arraycopy(member, 0, place, Double.BYTES, member.length);
    return place;
  }

  /** The place before all members with that score. */
  public static byte[] before(double score) {
    byte[] place = new byte[Double.BYTES];
    OrderedNumbers.putDouble(place, 0, score);
    return place;
  }

  /** The place after all members with that score. */
  static byte[] after(double score) {
    byte[] place = before(score);
    // The bytes of infinity are not the last ones there are, so this never overflows.
    OrderedNumbers.putUnsignedLong(place, 0, OrderedNumbers.unsignedLong(place, 0) + 1);
    return place;
  }

  /** The score of a place. */
  static double scoreOf(byte[] place) {
    return OrderedNumbers.getDouble(place, 0);
  }

  /** The first place after that one. */
  public static byte[] justAfter(byte[] place) {
    return Arrays.copyOf(place, place.length + 1);
  }
}
