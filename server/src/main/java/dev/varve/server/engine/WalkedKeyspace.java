package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one keyspace of a collection: stretches that do not overlap, in order.
 *
 * <p>Keyspace loop only.
 */
final class WalkedKeyspace {
  /** The suffix at which a keyspace begins. */
  static final byte[] START = {};

  private final byte[] prefix;
  private final SortedStretches stretches = new SortedStretches();
  private final KeyspaceLoad load = new KeyspaceLoad();

  /** How many rows all stretches have, and how many one of them has had at most. */
  private long rows;

  private int rowsMax;

  /**
   * @param prefix what the keys of all rows begin with
   */
  WalkedKeyspace(byte[] prefix) {
    this.prefix = prefix;
  }

  byte[] prefix() {
    return prefix;
  }

  /** What brings all of it to hand. */
  KeyspaceLoad load() {
    return load;
  }

  /** The key of this keyspace that ends with {@code suffix}. */
  byte[] key(byte[] suffix) {
    byte[] key = Arrays.copyOf(prefix, prefix.length + suffix.length);
    System.arraycopy(suffix, 0, key, prefix.length, suffix.length);
    return key;
  }

  boolean isEmpty() {
    return stretches.isEmpty();
  }

  /** A stretch has so many rows more than before, or fewer if that is negative. */
  void count(int more, Stretch stretch) {
    rows += more;
    rowsMax = Math.max(rowsMax, stretch.rows());
  }

  /** How many rows all stretches have. */
  long rows() {
    return rows;
  }

  /** How many one stretch may have, at most. */
  int rowsMax() {
    return rowsMax;
  }

  /** As {@link SortedStretches#any}. */
  @Nullable Stretch anyStretch(RandomGenerator random) {
    return stretches.any(random);
  }

  /** The last stretch. There is one. */
  Stretch last() {
    return stretches.last();
  }

  /** Whether {@code key} is in this keyspace. */
  boolean owns(byte[] key) {
    return key.length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }

  /** The stretch that {@code key} lies in, or null. */
  @Nullable Stretch around(byte[] key) {
    Stretch its = stretches.lastFrom(key, prefix.length, true);
    return its != null && its.endsAfter(key, prefix.length) ? its : null;
  }

  /**
   * The stretch with everything just before {@code bound}, or null.
   *
   * @param bound a key, or null for the end of the keyspace
   */
  @Nullable Stretch before(byte @Nullable [] bound) {
    if (bound == null) {
      return isEmpty() || last().to() != null ? null : last();
    }
    Stretch its = stretches.lastFrom(bound, prefix.length, false);
    return its != null && its.endsAtOrAfter(bound, prefix.length) ? its : null;
  }

  /** The first stretch that begins after {@code key}, or null. */
  @Nullable Stretch after(byte[] key) {
    return stretches.firstAfter(key, prefix.length);
  }

  /** The last stretch that begins before {@code key}, or null. */
  @Nullable Stretch preceding(byte[] key) {
    return stretches.lastFrom(key, prefix.length, false);
  }

  /*
   * What the tree has dropped, since nobody asks for it, may still be kept: it is not empty there for
   * who looks in the tree alone, and two stretches must not overlap.
   */

  /**
   * Where what the tree was walked over in vain ends, forwards, null if with the keyspace: where
   * what is wanted does, or what is known begins.
   *
   * @param end of what is wanted, or what was met instead
   * @param after what is known behind where that began
   */
  byte @Nullable [] endOfNothing(byte[] end, @Nullable Stretch after) {
    boolean isWithin = owns(end);
    if (after != null && (!isWithin || after.startsBefore(end, prefix.length))) {
      return after.from();
    }
    return isWithin ? suffix(end) : null;
  }

  /**
   * Where that begins, backwards.
   *
   * @param from where what is wanted begins, or what was met instead
   * @param before a key up to which it reaches
   */
  byte[] startOfNothing(byte[] from, byte[] before) {
    boolean isWithin = owns(from);
    Stretch preceding = preceding(before);
    byte[] known = preceding == null ? null : preceding.to();
    if (known != null && (!isWithin || Arrays.compareUnsigned(key(known), from) > 0)) {
      return known;
    }
    return isWithin ? suffix(from) : START;
  }

  void add(Stretch stretch) {
    stretches.add(stretch);
  }

  void remove(Stretch stretch) {
    stretches.remove(stretch);
  }

  /** From now on a stretch begins with {@code suffix}; no other one begins or lies between. */
  void moveStart(Stretch stretch, byte[] suffix) {
    stretches.moveStart(stretch, suffix);
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

  /** What a key of this keyspace has after its prefix. */
  byte[] suffix(byte[] stored) {
    return suffix(stored, prefix.length);
  }

  /** What is after the prefix of a key. */
  static byte[] suffix(byte[] stored, int offset) {
    return Arrays.copyOfRange(stored, offset, stored.length);
  }

  /** The first row of a stretch of this that is not before a bound, or that after its last. */
  int behindWithin(Stretch its, byte[] bound) {
    if (!owns(bound)) {
      return Arrays.compareUnsigned(prefix, bound) < 0 ? its.behind() : its.first();
    }
    // Its rows lie elsewhere in memory: only the last stretch on the way is searched.
    return its.endsAfter(bound, prefix.length) ? its.rowFrom(bound, prefix.length) : its.behind();
  }

  /** The last row of a stretch of this that is before a bound, or going back, is not before it. */
  int lastWithin(Stretch its, byte[] bound, boolean isForward) {
    int firstNotBefore = behindWithin(its, bound);
    return isForward ? firstNotBefore - 1 : firstNotBefore;
  }
}
