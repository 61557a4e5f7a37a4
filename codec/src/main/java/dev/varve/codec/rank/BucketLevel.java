package dev.varve.codec.rank;

import dev.varve.codec.format.OrderedNumbers;
import java.util.Arrays;

/**
 * The counted buckets of one level in their order, in memory.
 *
 * <p>Writer thread only.
 */
public final class BucketLevel {
  /*
   * Arrays beside each other: a search reads words of eight bytes, a sum of entries reads numbers, and
   * neither goes from object to object.
   */
  private static final int FIRST_BUCKETS = 8;

  /** Where the suffix starts in a stored key from which on a bucket counts. */
  private final int suffixAt;

  private byte[][] stored = new byte[FIRST_BUCKETS][];

  /** The first eight bytes of each suffix, zero-padded. */
  private long[] words = new long[FIRST_BUCKETS];

  private long[] entries = new long[FIRST_BUCKETS];
  private long[] children = new long[FIRST_BUCKETS];
  private boolean[] changed = new boolean[FIRST_BUCKETS];
  private int count;

  BucketLevel(int suffixAt) {
    this.suffixAt = suffixAt;
  }

  public int count() {
    return count;
  }

  /** The stored key of a bucket. */
  byte[] stored(int bucket) {
    return stored[bucket];
  }

  /** The suffix from which on a bucket counts. */
  public byte[] first(int bucket) {
    return Arrays.copyOfRange(stored[bucket], suffixAt, stored[bucket].length);
  }

  public long entries(int bucket) {
    return entries[bucket];
  }

  /** Entries on level 0, buckets of the level below above. */
  long children(int bucket) {
    return children[bucket];
  }

  /** How many entries the buckets {@code [from, to)} have. */
  long sum(int from, int to) {
    long sum = 0;
    for (int bucket = from; bucket < to; bucket++) {
      sum += entries[bucket];
    }
    return sum;
  }

  /** The bucket that {@code array[from, …)} is in, a suffix; -1 if it comes before all. */
  int find(byte[] array, int from) {
    long word = word(array, from);
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int order = Long.compareUnsigned(words[middle], word);
      if (order < 0 || (order == 0 && compareFirst(middle, array, from) <= 0)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /** Whether a bucket starts at the suffix {@code array[from, …)}. */
  boolean startsAt(int bucket, byte[] array, int from) {
    return bucket >= 0 && bucket < count && compareFirst(bucket, array, from) == 0;
  }

  private int compareFirst(int bucket, byte[] array, int from) {
    byte[] its = stored[bucket];
    return Arrays.compareUnsigned(its, suffixAt, its.length, array, from, array.length);
  }

  private static long word(byte[] array, int from) {
    int length = array.length - from;
    if (length >= Long.BYTES) {
      return OrderedNumbers.unsignedLong(array, from);
    }
    long word = 0;
    for (int i = 0; i < length; i++) {
      word |= (array[from + i] & 0xFFL) << (Long.BYTES - 1 - i) * Byte.SIZE;
    }
    return word;
  }

  /**
   * Adds to what a bucket counts; returns whether that is its first change since it was settled.
   */
  boolean add(int bucket, long more, boolean toChildren) {
    entries[bucket] += more;
    if (toChildren) {
      children[bucket] += more;
    }
    boolean isFirst = !changed[bucket];
    changed[bucket] = true;
    return isFirst;
  }

  boolean isChanged(int bucket) {
    return changed[bucket];
  }

  void settled(int bucket) {
    changed[bucket] = false;
  }

  void set(int bucket, long itsEntries, long itsChildren) {
    entries[bucket] = itsEntries;
    children[bucket] = itsChildren;
  }

  /** Puts a bucket where it belongs; none starts there. */
  void insert(byte[] key, long itsEntries, long itsChildren) {
    int at = find(key, suffixAt) + 1;
    if (count == stored.length) {
      int length = 2 * count;
      words = Arrays.copyOf(words, length);
      entries = Arrays.copyOf(entries, length);
      children = Arrays.copyOf(children, length);
      changed = Arrays.copyOf(changed, length);
      // Last, since its length is looked at: there may be no memory for all.
      stored = Arrays.copyOf(stored, length);
    }
    move(at, at + 1);
    stored[at] = key;
    words[at] = word(key, suffixAt);
    set(at, itsEntries, itsChildren);
    changed[at] = false;
    count++;
  }

  void remove(int bucket) {
    move(bucket + 1, bucket);
    stored[--count] = null;
  }

  @SuppressWarnings("SuspiciousSystemArraycopy") // several arrays of one length
  private void move(int from, int to) {
    for (Object array : new Object[] {stored, words, entries, children, changed}) {
      System.arraycopy(array, from, array, to, count - from);
    }
  }
}
