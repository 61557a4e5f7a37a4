package dev.varve.lsm.memtable;

/**
 * Where in a memtable the newest entry of a key stands, as two numbers that {@link Memtable#add}
 * gives: the <em>place</em>, which is the reference of its leaf above that of the entry, and the
 * <em>mark</em>, which is its sequence number, the slot in the leaf, and what is behind it there.
 * With both, the next entry of the key takes its place without a look at any entry.
 *
 * <p>The place is a hint, for entries move to other slots and leaves; what is behind an entry stays
 * true as long as it is the newest of its key and in that leaf. Stateless, for any thread.
 */
public final class EntryPlace {
  /** The place when nobody knows where the entry stands. */
  public static final long NONE = 0;

  /** The place when it is known that the key has no value, here or in what is older. */
  public static final long ABSENT = 1;

  private static final int SEQUENCE_SHIFT = Byte.SIZE;
  private static final int BEHIND_BITS = 2;
  private static final int SLOT_MASK = (1 << (SEQUENCE_SHIFT - BEHIND_BITS)) - 1;

  // What is behind an entry in its leaf.
  static final int UNKNOWN = 0;

  /** It is a value, and there is no older version of its key. */
  static final int NONE_OLDER = 1;

  /** It is a value, and there is one older version of its key, a value too. */
  static final int ONE_OLDER = 2;

  private EntryPlace() {}

  static long of(int leaf, int entry) {
    return (long) leaf << Integer.SIZE | entry & 0xFFFFFFFFL;
  }

  static int leaf(long place) {
    return (int) (place >>> Integer.SIZE);
  }

  static int entry(long place) {
    return (int) place;
  }

  static long mark(long sequence, int slot, int behind) {
    return sequence << SEQUENCE_SHIFT | (long) slot << BEHIND_BITS | behind;
  }

  /** The sequence number of the entry. */
  public static long sequence(long mark) {
    return mark >>> SEQUENCE_SHIFT;
  }

  /** The slot that it had; always below the number of slots. */
  static int slot(long mark) {
    return (int) (mark >>> BEHIND_BITS) & SLOT_MASK;
  }

  /** What is behind it. */
  static int behind(long mark) {
    return (int) mark & ((1 << BEHIND_BITS) - 1);
  }
}
