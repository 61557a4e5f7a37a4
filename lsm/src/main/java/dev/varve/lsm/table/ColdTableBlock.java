package dev.varve.lsm.table;

import dev.varve.lsm.entry.BlockLoad;
import dev.varve.lsm.entry.ColdBlock;
import org.jspecify.annotations.Nullable;

/** A data block of a table that is not in memory. */
record ColdTableBlock(TableReader table, int ordinal) implements ColdBlock {
  @Override
  public long id() {
    return table.blockId(ordinal);
  }

  @Override
  public @Nullable BlockLoad load() {
    return table.beginLoad(ordinal);
  }
}
