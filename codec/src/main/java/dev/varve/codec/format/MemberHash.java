package dev.varve.codec.format;

/**
 * The number that members are filed by within their collection: evenly spread, whatever they are.
 *
 * <p>Pure functions, for any thread.
 */
public final class MemberHash {
  /*
   * Members in the order of a hash lie at random along the whole range of hashes, at a density that
   * the count tells. So a random hash leads to a random member (see RandomMembers), and a hash is all
   * that a scan needs to know to go on: no list of cursors is kept. Neither is true of their own
   * order, where names that start alike crowd together.
   *
   * Eight bytes at a time, big-endian, are mixed in by xor and a multiplication; the last ones count
   * as if zeros stood before them. The end is the finalizer of MurmurHash3 (Appleby, 2011), of which
   * the high half is taken. Part of the stored format: it never changes. An attacker can find members
   * of one hash; they make random choices and scans of that one collection uneven, and nothing wrong.
   */
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final long FINAL_MULTIPLIER_1 = 0xFF51AFD7ED558CCDL;
  private static final long FINAL_MULTIPLIER_2 = 0xC4CEB9FE1A85EC53L;

  private MemberHash() {}

  /** The hash of these bytes, an unsigned int. */
  public static int of(byte[] array, int offset, int length) {
    long hash = (length + 1L) * MULTIPLIER;
    int at = offset;
    int end = offset + length;
    for (; end - at >= Long.BYTES; at += Long.BYTES) {
      hash = mix(hash, OrderedNumbers.unsignedLong(array, at));
    }
    if (at < end) {
      long rest = 0;
      for (; at < end; at++) {
        rest = rest << Byte.SIZE | (array[at] & 0xFF);
      }
      hash = mix(hash, rest);
    }
    hash ^= hash >>> 33;
    hash *= FINAL_MULTIPLIER_1;
    hash ^= hash >>> 33;
    hash *= FINAL_MULTIPLIER_2;
    return (int) (hash >>> Integer.SIZE);
  }

  private static long mix(long hash, long bytes) {
    long mixed = (hash ^ bytes) * MULTIPLIER;
    return mixed ^ (mixed >>> Integer.SIZE);
  }
}
