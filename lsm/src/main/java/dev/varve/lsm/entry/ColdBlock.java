package dev.varve.lsm.entry;

import org.jspecify.annotations.Nullable;

/** A block that a read needed and that is not in memory. Any thread. */
public interface ColdBlock {

  /** The same for the same block of a tree, and for no other. */
  long id();

  /**
   * Begins to bring it into memory. Does not block.
   *
   * @return what the caller has to read and to finish; null where only a read that may block gets
   *     at it
   */
  @Nullable BlockLoad load();
}
