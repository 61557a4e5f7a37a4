package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.lsm.entry.KeyWords;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one keyspace of a collection: stretches that do not overlap, in order.
 *
 * <p>Keyspace loop only.
 */
final class WalkedKeyspace {
  /*
   * A search among a hundred thousand stretches that looked at the start of each would wait for
   * three fetches a step, one behind the other: the first words of all starts lie side by side.
   */
  private static final int FIRST_STRETCHES = 2;

  private final byte[] prefix;
  private Stretch[] stretches = new Stretch[FIRST_STRETCHES];

  /** The first word of each one's start, as {@link KeyWords} has it. */
  private long[] startWords = new long[FIRST_STRETCHES];

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

  /** The last stretch. There is one. */
  Stretch last() {
    return stretches[count - 1];
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
    return starting(key, prefix.length, orAt) - 1;
  }

  /**
   * How many stretches begin before a suffix, all of {@code key} from {@code offset} on; or at it,
   * if they count as well.
   */
  private int starting(byte[] key, int offset, boolean orAt) {
    long word = KeyWords.first(key, offset);
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int order = Long.compareUnsigned(startWords[middle], word);
      if (order == 0 ? starts(stretches[middle], key, offset, orAt) : order < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static boolean starts(Stretch its, byte[] key, int offset, boolean orAt) {
    return orAt ? its.startsAtOrBefore(key, offset) : its.startsBefore(key, offset);
  }

  void add(Stretch stretch) {
    int at = place(stretch);
    if (count == stretches.length) {
      stretches = Arrays.copyOf(stretches, 2 * count);
      startWords = Arrays.copyOf(startWords, 2 * count);
    }
    System.arraycopy(stretches, at, stretches, at + 1, count - at);
    System.arraycopy(startWords, at, startWords, at + 1, count - at);
    stretches[at] = stretch;
    startWords[at] = startWord(stretch);
    count++;
  }

  void remove(Stretch stretch) {
    int at = place(stretch);
    if (isAt(at, stretch)) {
      System.arraycopy(stretches, at + 1, stretches, at, count - at - 1);
      System.arraycopy(startWords, at + 1, startWords, at, count - at - 1);
      stretches[--count] = null;
    }
  }

  /** From now on a stretch begins with {@code suffix}; no other one begins or lies between. */
  void moveStart(Stretch stretch, byte[] suffix) {
    int at = place(stretch);
    stretch.setFrom(suffix);
    if (isAt(at, stretch)) {
      startWords[at] = startWord(stretch);
    }
  }

  /** Where the first stretch is that does not begin before this one. */
  private int place(Stretch stretch) {
    return starting(stretch.from(), 0, false);
  }

  private boolean isAt(int at, Stretch stretch) {
    return at < count && stretches[at] == stretch;
  }

  private static long startWord(Stretch stretch) {
    return KeyWords.first(stretch.from(), 0);
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
