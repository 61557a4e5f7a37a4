package dev.varve.lsm.table;

import dev.varve.lsm.entry.ReadFailure;
import dev.varve.wal.CorruptionException;

/**
 * Reads a whole table. Holds no state; the table's thread rule.
 *
 * <p>Filter, index, properties and footer are checked when a table is opened; what is left is its
 * data blocks.
 */
public final class TableCheck {
  private TableCheck() {}

  /**
   * Reads every data block, and tells the table's {@link CorruptionListener} of each that is
   * damaged.
   *
   * @throws CorruptionException when the blocks are sound, but do not hold what the table says
   * @throws ReadFailure when a block cannot be read at all
   */
  public static void readAll(TableReader table) throws CorruptionException {
    long entries = 0;
    boolean allRead = true;
    for (int ordinal = 0; ordinal < table.blocks(); ordinal++) {
      try {
        Block block = table.block(ordinal, ReadContext.MAY_BLOCK_UNCACHED);
        entries += block.entries();
        block.release();
      } catch (ReadFailure failure) {
        if (!(failure.getCause() instanceof CorruptionException)) {
          throw failure;
        }
        allRead = false;
      }
    }
    if (allRead && entries != table.meta().entries()) {
      throw new CorruptionException(
          table.meta().fileName(),
          0,
          "has " + entries + " entries in its blocks, not " + table.meta().entries());
    }
  }
}
