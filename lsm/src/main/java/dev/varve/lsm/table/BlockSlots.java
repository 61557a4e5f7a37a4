package dev.varve.lsm.table;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Where the blocks of one table are found that are in the cache: a place for each, so that a
 * look-up is one load. Read by any thread; changed under the cache's lock.
 */
final class BlockSlots {
  /** An odd number: multiplication by it is one-to-one, and spreads neighbours over a map. */
  private static final long KEY_SPREAD = 0x9E3779B97F4A7C15L;

  private static final int ORDINAL_BITS = 24;

  private final long table;
  private final AtomicReferenceArray<@Nullable Block> blocks;

  /**
   * @param table the table's number
   */
  BlockSlots(long table, int blockCount) {
    this.table = table;
    this.blocks = new AtomicReferenceArray<>(blockCount);
  }

  /** What a block is known by in pins and among loads. */
  long key(int ordinal) {
    return key(table, ordinal);
  }

  static long key(long table, int ordinal) {
    return (table << ORDINAL_BITS | ordinal) * KEY_SPREAD;
  }

  /** The table's number. */
  long table() {
    return table;
  }

  int count() {
    return blocks.length();
  }

  @Nullable Block get(int ordinal) {
    return blocks.get(ordinal);
  }

  /** Puts a block, or null, into its place; returns what was there. */
  @Nullable Block swap(int ordinal, @Nullable Block block) {
    return blocks.getAndSet(ordinal, block);
  }

  /** Empties a place if it has that block. */
  void clear(int ordinal, Block block) {
    blocks.compareAndSet(ordinal, block, null);
  }
}
