package dev.varve.server.config;

/**
 * How the memory of {@code maxmemory} is shared out among the parts that live off the heap.
 *
 * @param memtableBytes size at which a memtable is rotated
 * @param immutableMemtables how many rotated ones may wait for their flush
 * @param blockCacheBytes for cached blocks
 */
public record MemoryPlan(long memtableBytes, int immutableMemtables, long blockCacheBytes) {
  private static final long MEBIBYTE = 1L << 20;

  /** Below this nothing works well: one block of each level, and a memtable to merge into. */
  public static final long BYTES_MIN = 16 * MEBIBYTE;

  /**
   * Larger ones are flushed less often where keys are written over and over, and after a kill there
   * is as much more log to read.
   */
  private static final long MEMTABLE_BYTES_MAX = 256 * MEBIBYTE;

  private static final int IMMUTABLE_MEMTABLES = 4;

  /** Of the machine's memory, when nothing is asked for. */
  private static final int DEFAULT_SHARE = 4;

  /*
   * All memtables together take a third at most: a half goes to the cache, and the sixth that is left
   * is for the indexes and filters of the tables, which grow with the data, and for log and merge
   * buffers.
   */
  private static final int MEMTABLES_SHARE = 3;

  private static final int CACHE_SHARE = 2;

  /**
   * What the smallest plan holds besides its cache: memtables, indexes, filters, buffers. None of
   * it can be given back, so that with a budget below this, used memory stands above the budget.
   */
  public static final long HELD_BYTES_MIN = BYTES_MIN - BYTES_MIN / CACHE_SHARE;

  /** Whether a budget is one that cannot be kept; 0 is none. */
  static boolean isTooSmall(long maxmemory) {
    return maxmemory > 0 && maxmemory < HELD_BYTES_MIN;
  }

  /**
   * Shares out {@code maxmemory} bytes.
   *
   * @param maxmemory 0 for a share of the machine
   * @param machineBytes what the machine, or its container, has
   */
  public static MemoryPlan of(long maxmemory, long machineBytes) {
    long bytes = maxmemory == 0 ? machineBytes / DEFAULT_SHARE : maxmemory;
    bytes = Math.max(bytes, BYTES_MIN);
    long memtable = bytes / MEMTABLES_SHARE / (1 + IMMUTABLE_MEMTABLES);
    return new MemoryPlan(
        Math.min(memtable, MEMTABLE_BYTES_MAX), IMMUTABLE_MEMTABLES, bytes / CACHE_SHARE);
  }
}
