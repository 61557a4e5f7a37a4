package dev.varve.codec.check;

/**
 * What two walks over the same things in different orders have in common: a number made of all of
 * them, which their order does not change.
 *
 * <p>To look each up from the other side would be a read at a random place of the disk for each.
 * Who gets two different numbers does so, to say what is wrong. That two sets that differ get the
 * same happens by chance alone, once in 2^64.
 */
final class EntryDigest {
  /** The multipliers of SplittableRandom's finisher (Steele, Lea and Flood 2014). */
  private static final long FIRST = 0xbf58476d1ce4e5b9L;

  private static final long SECOND = 0x94d049bb133111ebL;
  private static final long BYTE = 0x100000001b3L;

  private long sum;

  /** Adds one thing. */
  void add(byte[] bytes) {
    long hash = bytes.length;
    for (byte each : bytes) {
      hash = (hash ^ each & 0xFF) * BYTE;
      hash ^= hash >>> 29;
    }
    hash = (hash ^ hash >>> 30) * FIRST;
    hash = (hash ^ hash >>> 27) * SECOND;
    sum += hash ^ hash >>> 31;
  }

  boolean isSame(EntryDigest other) {
    return sum == other.sum;
  }
}
