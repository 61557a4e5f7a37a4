package dev.varve.server.engine;

import java.util.Arrays;

/**
 * Where rows lie, by the hash of their keys: positions, each a number from one on.
 *
 * <p>Keyspace loop only.
 */
final class RowSlots {
  /*
   * A slot for each hash alone would lose three of ten keys that are read at random when there are as
   * many slots as keys and a third more: two of one slot displace each other for ever. So a hash has a
   * few slots beside each other, one line of the processor's caches or two, and the oldest row gives way.
   * Every write of whatever key looks in here, so that the table has to be small: it grows when rows in use
   * displace each other, and not before.
   */

  /** Slots of one hash. */
  static final int WAYS = 4;

  /** At first. */
  static final int SLOTS_MIN = 1 << 14;

  /** The table grows when it is not so many times that a row is found before one is displaced. */
  static final int HITS_WANTED = 64;

  /** That is looked at when one in so many slots has displaced a row. */
  private static final int WINDOW_SHARE = 8;

  // A slot: a position above, bits of the hash below. 0 is empty.
  private static final int TAG_BITS = 16;
  private static final long TAG_MASK = (1L << TAG_BITS) - 1;

  private final int slotsMax;
  private long[] slots = new long[SLOTS_MIN];
  private int mask = mask(SLOTS_MIN);
  private int displaced;
  private long hitsBefore;

  /**
   * An empty table.
   *
   * @param slotsMax from so many on it does not grow; it has {@link #SLOTS_MIN} at least
   */
  RowSlots(long slotsMax) {
    this.slotsMax = (int) Math.min(1 << 30, slotsMax);
  }

  private static int mask(int count) {
    return count - 1 & -WAYS;
  }

  /** The first of the slots of a hash; {@link #WAYS} of them follow each other. */
  int first(long hash) {
    return (int) hash & mask;
  }

  /**
   * Which of the slots of a hash may have the position of a key with it: a bit for each, the lowest
   * for the first.
   */
  int likely(long hash) {
    // Without branches, which nobody could foresee.
    int first = first(hash);
    long tag = tag(hash);
    int bits = 0;
    for (int way = 0; way < WAYS; way++) {
      long difference = (slots[first + way] ^ tag) & TAG_MASK;
      bits |= (int) (difference - 1 >>> Long.SIZE - 1) << way;
    }
    return bits;
  }

  /** What is in a slot; 0 if nothing is. */
  long position(int slot) {
    return slots[slot] >>> TAG_BITS;
  }

  /** Puts a position of a key with this hash in a slot. */
  void set(int slot, long hash, long position) {
    slots[slot] = position << TAG_BITS | tag(hash);
  }

  void clear(int slot) {
    slots[slot] = 0;
  }

  /**
   * A slot for one more position of a hash. May forget all others, when the table grows.
   *
   * @param oldest positions below are of rows that are gone
   * @param hits how many rows have ever been found
   */
  int room(long hash, long oldest, long hits) {
    int slot = least(hash);
    if (slots[slot] >>> TAG_BITS < oldest) {
      return slot;
    }
    displaced++;
    if (displaced >= slots.length / WINDOW_SHARE) {
      boolean isTooSmall = hits - hitsBefore < (long) HITS_WANTED * displaced;
      displaced = 0;
      hitsBefore = hits;
      if (isTooSmall && slots.length < slotsMax) {
        slots = new long[2 * slots.length];
        mask = mask(slots.length);
        return first(hash);
      }
    }
    return slot;
  }

  /** The one of the slots of a hash with the least position. */
  private int least(long hash) {
    int first = first(hash);
    int least = first;
    for (int slot = first + 1; slot < first + WAYS; slot++) {
      if (slots[slot] >>> TAG_BITS < slots[least] >>> TAG_BITS) {
        least = slot;
      }
    }
    return least;
  }

  /** Forgets all. */
  void clear() {
    Arrays.fill(slots, 0);
  }

  /** How many slots there are. */
  int count() {
    return slots.length;
  }

  private static long tag(long hash) {
    return hash >>> (Long.SIZE - TAG_BITS);
  }
}
