package dev.varve.codec.rank;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the entries of a spread sorted set begin and end: none is before {@code front}, none at
 * {@code back} or after it.
 *
 * <p>Bounds, not places of members: they may be wider than the set is. They are there because a
 * queue leaves tombstones at the end it is popped from, and each pop would walk over those of all
 * pops before it. Belongs to the thread of its transaction.
 */
public final class Edges {
  /*
   * front length:1 front back length:1 back; a length of 0 is no bound. Bounds are cut to BOUND_BYTES_MAX
   * so that long members do not swell the meta value: a cut front is still before, a cut back is
   * raised to stay behind.
   */
  static final int BOUND_BYTES_MAX = Double.BYTES + 64;

  private byte[] front = RankFormat.START;
  private byte @Nullable [] back;

  /** Reads both bounds at {@code offset}. */
  public static Edges read(byte[] stored, int offset) {
    Edges edges = new Edges();
    edges.front = bound(stored, offset);
    byte[] back = bound(stored, offset + 1 + edges.front.length);
    edges.back = back.length == 0 ? null : back;
    return edges;
  }

  private static byte[] bound(byte[] stored, int offset) {
    int length = offset < stored.length ? stored[offset] & 0xFF : Integer.MAX_VALUE;
    if (length > BOUND_BYTES_MAX || offset + 1 + length > stored.length) {
      throw new DamagedValueException("a sorted set whose edges are cut off");
    }
    return Arrays.copyOfRange(stored, offset + 1, offset + 1 + length);
  }

  /** Bytes that {@link #write} takes. */
  public int encodedBytes() {
    return 2 + front.length + (back == null ? 0 : back.length);
  }

  public void write(byte[] target, int offset) {
    target[offset] = (byte) front.length;
    System.arraycopy(front, 0, target, offset + 1, front.length);
    int at = offset + 1 + front.length;
    byte[] end = back == null ? RankFormat.START : back;
    target[at] = (byte) end.length;
    System.arraycopy(end, 0, target, at + 1, end.length);
  }

  /** Takes in a place that gets a member: {@code array} from {@code offset} on. */
  public void include(byte[] array, int offset) {
    if (compare(array, offset, front) < 0) {
      front = cut(Arrays.copyOfRange(array, offset, array.length));
    }
    byte[] end = back;
    if (end != null && compare(array, offset, end) >= 0) {
      back = behind(Arrays.copyOfRange(array, offset, array.length + 1));
    }
  }

  private static int compare(byte[] array, int offset, byte[] bound) {
    return Arrays.compareUnsigned(array, offset, array.length, bound, 0, bound.length);
  }

  /** Notes that the members from {@code from} up to and without {@code to} are gone. */
  public void exclude(byte[] from, byte[] to) {
    if (Arrays.compareUnsigned(from, front) <= 0) {
      nothingBefore(to);
    }
    // Without a bound there may be members after these.
    if (back != null && Arrays.compareUnsigned(to, back) >= 0) {
      nothingFrom(from);
    }
  }

  /** Notes that there is no member before {@code place}. */
  public void nothingBefore(byte[] place) {
    if (Arrays.compareUnsigned(place, front) > 0) {
      front = cut(place);
    }
  }

  /** Notes that there is no member at {@code place} or after it. */
  public void nothingFrom(byte[] place) {
    if (back == null || Arrays.compareUnsigned(place, back) < 0) {
      back = behind(place);
    }
  }

  /** The later one of {@code place} and the front: where a walk from {@code place} may begin. */
  public byte[] start(byte[] place) {
    return Arrays.compareUnsigned(place, front) < 0 ? front : place;
  }

  /** The earlier one of {@code place} and the back, where null is after everything. */
  public byte @Nullable [] end(byte @Nullable [] place) {
    return place == null || (back != null && Arrays.compareUnsigned(place, back) > 0)
        ? back
        : place;
  }

  /** The stored key of a keyspace at which entries before {@code place} have ended. */
  public byte[] end(CollectionKeys keys, byte tag, byte @Nullable [] place) {
    byte[] nearest = end(place);
    return nearest == null ? keys.end(tag) : keys.suffixed(tag, nearest);
  }

  /** Whether nothing is before {@code place}, which then is in the first bucket of each level. */
  public boolean isFirst(byte[] place) {
    return Arrays.compareUnsigned(place, front) <= 0;
  }

  /**
   * The stored key at which the second bucket of a level may start at the earliest: its first entry
   * comes after the front, which is in the first bucket. Merged buckets have left tombstones
   * before.
   */
  public byte[] secondBucket(CollectionKeys keys, int level) {
    byte[] stored = keys.rank(level, front);
    return Arrays.copyOf(stored, stored.length + 1);
  }

  private static byte[] cut(byte[] place) {
    return place.length <= BOUND_BYTES_MAX ? place : Arrays.copyOf(place, BOUND_BYTES_MAX);
  }

  /** A bound that is not before {@code place}; null if it is too long for one. */
  private static byte @Nullable [] behind(byte[] place) {
    if (place.length <= BOUND_BYTES_MAX) {
      return place;
    }
    byte[] bound = Arrays.copyOf(place, BOUND_BYTES_MAX);
    for (int i = bound.length - 1; i >= 0; i--) {
      if (++bound[i] != 0) {
        return bound;
      }
    }
    return null;
  }
}
