package dev.varve.lsm.table;

/**
 * Some of the keys that were added lately, about as many as a cache has blocks. A key pushes out
 * the one that has its place, so nothing has to be kept in order. For one thread at a time.
 */
final class GhostKeys {
  private static final long BYTES_PER_BLOCK = 16 << 10;
  private static final int COUNT_MIN = 1 << 6;
  private static final int COUNT_MAX = 1 << 16;

  /** A key of its own that no block has: keys are products with an odd number, of what is not 0. */
  private static final long NONE = 0;

  private final long[] keys;

  private GhostKeys(int count) {
    keys = new long[count];
  }

  /** For a cache of so many bytes. */
  static GhostKeys forBytes(long bytes) {
    long blocks = Math.max(COUNT_MIN, Math.min(COUNT_MAX, bytes / BYTES_PER_BLOCK));
    return new GhostKeys((int) Long.highestOneBit(blocks));
  }

  void add(long key) {
    keys[placeOf(key)] = key;
  }

  /** Forgets a key; whether it was there. */
  boolean remove(long key) {
    int place = placeOf(key);
    boolean found = key != NONE && keys[place] == key;
    if (found) {
      keys[place] = NONE;
    }
    return found;
  }

  private int placeOf(long key) {
    return (int) (key >>> 32) & keys.length - 1;
  }
}
