package dev.varve.perf.engine;

/**
 * What is set alike for all engines that know such a setting. Immutable.
 *
 * @param cacheBytes block cache
 * @param memtableBytes write buffer
 */
record EngineOptions(long cacheBytes, long memtableBytes) {
  private static final long MEMTABLE_BYTES = 64L << 20;

  static EngineOptions withCache(long bytes) {
    return new EngineOptions(bytes, MEMTABLE_BYTES);
  }

  EngineOptions withMemtable(long bytes) {
    return new EngineOptions(cacheBytes, bytes);
  }
}
