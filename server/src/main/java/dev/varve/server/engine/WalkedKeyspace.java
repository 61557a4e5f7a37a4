package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one keyspace of a collection: stretches that do not overlap, in order.
 *
 * <p>Keyspace loop only.
 */
final class WalkedKeyspace {
  private static final int FIRST_STRETCHES = 2;

  private final byte[] prefix;
  private Stretch[] stretches = new Stretch[FIRST_STRETCHES];
  private int count;

  /**
   * @param prefix what the keys of all rows begin with
   */
  WalkedKeyspace(byte[] prefix) {
    this.prefix = prefix;
  }

  byte[] prefix() {
    return prefix;
  }

  /** The key of this keyspace that ends with {@code suffix}. */
  byte[] key(byte[] suffix) {
    byte[] key = Arrays.copyOf(prefix, prefix.length + suffix.length);
    System.arraycopy(suffix, 0, key, prefix.length, suffix.length);
    return key;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Whether {@code key} is in this keyspace. */
  boolean owns(byte[] key) {
    return key.length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }

  /** The stretch that {@code key} lies in, or null. */
  @Nullable Stretch around(byte[] key) {
    int at = lastFrom(key, true);
    return at >= 0 && stretches[at].endsAfter(key, prefix.length) ? stretches[at] : null;
  }

  /**
   * The stretch with everything just before {@code bound}, or null.
   *
   * @param bound a key, or null for the end of the keyspace
   */
  @Nullable Stretch before(byte @Nullable [] bound) {
    int at = bound == null ? count - 1 : lastFrom(bound, false);
    if (at < 0) {
      return null;
    }
    Stretch its = stretches[at];
    boolean reaches = bound == null ? its.to() == null : its.endsAtOrAfter(bound, prefix.length);
    return reaches ? its : null;
  }

  /** The first stretch that begins after {@code key}, or null. */
  @Nullable Stretch after(byte[] key) {
    int at = lastFrom(key, true) + 1;
    return at < count ? stretches[at] : null;
  }

  /** The last stretch that begins before {@code key}, or null. */
  @Nullable Stretch preceding(byte[] key) {
    int at = lastFrom(key, false);
    return at < 0 ? null : stretches[at];
  }

  /** The last stretch that begins at {@code key} or before, or just before; -1 if none does. */
  private int lastFrom(byte[] key, boolean orAt) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      Stretch its = stretches[middle];
      if (orAt ? its.startsAtOrBefore(key, prefix.length) : its.startsBefore(key, prefix.length)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  void add(Stretch stretch) {
    int at = place(stretch.from());
    if (count == stretches.length) {
      stretches = Arrays.copyOf(stretches, 2 * count);
    }
    System.arraycopy(stretches, at, stretches, at + 1, count - at);
    stretches[at] = stretch;
    count++;
  }

  void remove(Stretch stretch) {
    int at = place(stretch.from());
    if (at < count && stretches[at] == stretch) {
      System.arraycopy(stretches, at + 1, stretches, at, count - at - 1);
      stretches[--count] = null;
    }
  }

  /** Where the first stretch is that begins at {@code suffix} or after. */
  private int place(byte[] suffix) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (stretches[middle].startsBefore(suffix, 0)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Of an end of a keyspace, a key in that keyspace; any other is what it is. */
  static byte[] placeOfEnd(byte[] bound) {
    if (!WalkedKeyspaces.areKept(bound) || KeyFormat.collectionPrefixBytes(bound) != bound.length) {
      return bound;
    }
    return KeyFormat.versionBefore(bound);
  }

  /** Whether two keys are of the same keyspace of one collection, one that walks are kept of. */
  static boolean isSame(byte[] one, byte[] other) {
    if (!WalkedKeyspaces.areKept(one)) {
      return false;
    }
    int length = KeyFormat.collectionPrefixBytes(one);
    return length >= 0 && other.length >= length && Arrays.equals(one, 0, length, other, 0, length);
  }

  /** What is after the prefix of a key. */
  static byte[] suffix(byte[] stored, int offset) {
    return Arrays.copyOfRange(stored, offset, stored.length);
  }

  /** The last row of a stretch of this that is before a bound, or going back, is not before it. */
  int lastWithin(Stretch its, byte[] bound, boolean isForward) {
    int firstNotBefore;
    if (owns(bound)) {
      firstNotBefore = its.rowFrom(bound, prefix.length);
    } else {
      firstNotBefore = Arrays.compareUnsigned(prefix, bound) < 0 ? its.behind() : its.first();
    }
    return isForward ? firstNotBefore - 1 : firstNotBefore;
  }
}
