package dev.varve.lsm.table;

import dev.varve.lsm.entry.ReadMode;
import org.jspecify.annotations.Nullable;

/**
 * How one read may get at blocks. Immutable; with pins it is for one thread at a time, as they are.
 */
public final class ReadContext {
  /** {@link ReadMode#MEMORY_ONLY} without pins. */
  public static final ReadContext MEMORY_ONLY = new ReadContext(ReadMode.MEMORY_ONLY, null);

  /** {@link ReadMode#MEMORY_ONLY_AHEAD}. */
  public static final ReadContext MEMORY_ONLY_AHEAD =
      new ReadContext(ReadMode.MEMORY_ONLY_AHEAD, null);

  /** {@link ReadMode#MAY_BLOCK} without pins. */
  public static final ReadContext MAY_BLOCK = new ReadContext(ReadMode.MAY_BLOCK, null);

  /** {@link ReadMode#MAY_BLOCK_AHEAD}. */
  public static final ReadContext MAY_BLOCK_AHEAD = new ReadContext(ReadMode.MAY_BLOCK_AHEAD, null);

  /** {@link ReadMode#MAY_BLOCK_UNCACHED}. */
  public static final ReadContext MAY_BLOCK_UNCACHED =
      new ReadContext(ReadMode.MAY_BLOCK_UNCACHED, null);

  private final ReadMode mode;
  private final @Nullable BlockPins pins;

  /**
   * A context whose reads find blocks in {@code pins} too. With {@link ReadMode#MAY_BLOCK} they
   * leave every block they used there, so that the same reads with the same pins and {@link
   * ReadMode#MEMORY_ONLY} find all of them, whatever the cache has dropped since.
   */
  public ReadContext(ReadMode mode, @Nullable BlockPins pins) {
    this.mode = mode;
    this.pins = pins;
  }

  public ReadMode mode() {
    return mode;
  }

  public @Nullable BlockPins pins() {
    return pins;
  }
}
