package dev.varve.lsm.memtable;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Values that were inserted and deleted again within one memtable, each with its tombstone, until
 * no reader looks between the two: then both leave their leaf. Neither hides anything from anybody,
 * for the key had no value before. Where that is so when the tombstone comes the value leaves at
 * once, and there is no pair.
 *
 * <p>For the writer.
 */
final class SpentPairs {
  /*
   * The index of a sorted set is written so: a member that gets another score is deleted at one
   * place and inserted at another. Its leaves would hold two entries for each such move until the
   * flush, which would walk over all of them to write none, and would be more than the caches of a
   * processor hold. RocksDB has SingleDelete for the same, which compactions heed.
   *
   * When the tombstone comes its value is still what readers see, so the pair waits for the next
   * publication. The pairs of a pass or two are in the processor's caches still. One that has moved
   * to another leaf by then, or that a reader still looks between, stays as it is.
   */
  private static final int PAIRS_MIN = 64;

  /** More than passes of the writer make; who writes more at once has the others stay. */
  private static final int PAIRS_MAX = 1 << 13;

  private final EntryArena arena;

  private int[] leaves = new int[PAIRS_MIN];
  private int[] slots = new int[PAIRS_MIN];
  private int[] tombstones = new int[PAIRS_MIN];
  private int[] values = new int[PAIRS_MIN];
  private long[] deletedAt = new long[PAIRS_MIN];
  private long[] insertedAt = new long[PAIRS_MIN];
  private int count;

  SpentPairs(EntryArena arena) {
    this.arena = arena;
  }

  /**
   * Notes a pair.
   *
   * @param slot where the tombstone stands in its leaf now
   * @param deleted its sequence number, no smaller than those before
   * @param inserted that of the value
   */
  void add(int leaf, int slot, int tombstone, long deleted, int value, long inserted) {
    if (count == PAIRS_MAX) {
      return;
    }
    if (count == leaves.length) {
      int length = 2 * count;
      leaves = Arrays.copyOf(leaves, length);
      slots = Arrays.copyOf(slots, length);
      tombstones = Arrays.copyOf(tombstones, length);
      values = Arrays.copyOf(values, length);
      deletedAt = Arrays.copyOf(deletedAt, length);
      insertedAt = Arrays.copyOf(insertedAt, length);
    }
    leaves[count] = leaf;
    slots[count] = slot;
    tombstones[count] = tombstone;
    values[count] = value;
    deletedAt[count] = deleted;
    insertedAt[count++] = inserted;
  }

  /**
   * Lets those go whose tombstone every reader to come sees; returns how many have left.
   *
   * @param published no reader to come looks at a smaller sequence number
   */
  int drop(long published, ReadPoints readPoints) {
    int due = 0;
    int dropped = 0;
    while (due < count && deletedAt[due] <= published) {
      dropped += drop(due++, readPoints) ? 1 : 0;
    }
    if (due > 0) {
      forget(due);
    }
    return dropped;
  }

  private void forget(int due) {
    int left = count - due;
    System.arraycopy(leaves, due, leaves, 0, left);
    System.arraycopy(slots, due, slots, 0, left);
    System.arraycopy(tombstones, due, tombstones, 0, left);
    System.arraycopy(values, due, values, 0, left);
    System.arraycopy(deletedAt, due, deletedAt, 0, left);
    System.arraycopy(insertedAt, due, insertedAt, 0, left);
    count = left;
  }

  private boolean drop(int pair, ReadPoints readPoints) {
    ByteBuffer memory = arena.chunk(leaves[pair]);
    int leaf = arena.offset(leaves[pair]);
    int entries = LeafFormat.count(memory, leaf);
    // A leaf is never empty: walks count on it.
    if (entries <= 2) {
      return false;
    }
    int slot = LeafFormat.slotOf(memory, leaf, entries, tombstones[pair], slots[pair]);
    if (slot < 0
        || slot + 1 == entries
        || LeafFormat.reference(memory, leaf, slot + 1) != values[pair]
        || readPoints.isAny(insertedAt[pair], deletedAt[pair])) {
      return false;
    }
    LeafFormat.remove(memory, leaf, slot, 2, entries);
    return true;
  }
}
