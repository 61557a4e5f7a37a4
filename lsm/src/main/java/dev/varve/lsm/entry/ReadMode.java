package dev.varve.lsm.entry;

/** Whether a read may wait for the disk. */
public enum ReadMode {
  /**
   * Never: a block that is not in memory ends the read by {@link ColdBlockSignal}. For event loops.
   */
  MEMORY_ONLY,

  /**
   * The same, to look what somebody will lack who reads the same in a moment: of both only that
   * read counts as a use of a block.
   */
  MEMORY_ONLY_AHEAD,

  /** Yes, and blocks that are read stay in the cache. For workers. */
  MAY_BLOCK,

  /**
   * The same, ahead of somebody who will read the same in a moment: of both only that read counts
   * as a use of a block.
   */
  MAY_BLOCK_AHEAD,

  /**
   * Yes, but blocks that are read do not enter the cache, so that one long walk does not push out
   * what is in use. For compaction and other passes.
   */
  MAY_BLOCK_UNCACHED
}
