package dev.varve.lsm.table;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that stay in memory until this is closed, so that a read which unwound can run again on
 * them. For one thread at a time: hand it over with a happens-before edge.
 */
public final class BlockPins implements AutoCloseable {
  private final Map<Long, Block> blocks = new HashMap<>();

  /** Number of blocks pinned. */
  public int count() {
    return blocks.size();
  }

  /** Off-heap bytes pinned. */
  public long bytes() {
    long sum = 0;
    for (Block block : blocks.values()) {
      sum += block.bytes();
    }
    return sum;
  }

  /** The block of this key with a reference for the caller, or null. */
  @Nullable Block acquire(long key) {
    if (blocks.isEmpty()) {
      return null;
    }
    Block block = blocks.get(key);
    if (block != null && !block.tryRetain()) {
      throw new IllegalStateException("a pinned block was freed");
    }
    return block;
  }

  /** Keeps a block that the caller holds a reference to, by a reference of its own. */
  void pin(long key, Block block) {
    if (blocks.putIfAbsent(key, block) == null && !block.tryRetain()) {
      throw new IllegalStateException("a block was pinned after it was freed");
    }
  }

  /** Lets go of all blocks. Usable again afterwards. */
  @Override
  public void close() {
    blocks.values().forEach(Block::release);
    blocks.clear();
  }
}
