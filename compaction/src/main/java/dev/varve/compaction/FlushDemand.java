package dev.varve.compaction;

/** Whether a memtable should be flushed before it is full, so that space comes back. Pure. */
final class FlushDemand {
  /**
   * While nothing is written, this much in memory goes to disk: it may be tombstones, and readers
   * would have to step over them until they have sunk. It is some times what a memtable takes with
   * its first entry, else a write a second would be a flush a second.
   */
  static final long MEMTABLE_BYTES_QUIET = 4 << 20;

  /** Garbage that has waited so long is not held up by a memtable that fills slowly. */
  static final long PATIENCE_MILLIS = 30_000;

  /** The same while nothing is written. */
  static final long PATIENCE_QUIET_MILLIS = 10_000;

  /** The same if much has died: then a flush is little beside what was written of it. */
  static final long PATIENCE_MUCH_MILLIS = 5_000;

  static final long MUCH_DEAD_BYTES = 64 << 20;

  private FlushDemand() {}

  /**
   * @param memtableBytes bytes of the active memtable
   * @param garbageInMemory whether a recorded death is not in a table yet
   * @param garbageRawBytes how much is recorded as dead; a little does not hurry, else somebody who
   *     deletes a small collection now and then would have a flush for each
   */
  static boolean isDue(
      boolean quiet,
      long memtableBytes,
      boolean garbageInMemory,
      long garbageRawBytes,
      long oldestGarbageAgeMillis) {
    long patienceMillis = quiet ? PATIENCE_QUIET_MILLIS : PATIENCE_MILLIS;
    if (garbageInMemory && oldestGarbageAgeMillis >= patienceMillis) {
      return true;
    }
    if (garbageInMemory
        && garbageRawBytes >= MUCH_DEAD_BYTES
        && oldestGarbageAgeMillis >= PATIENCE_MUCH_MILLIS) {
      return true;
    }
    boolean isMuchDead = garbageInMemory && garbageRawBytes >= MEMTABLE_BYTES_QUIET;
    return quiet && (isMuchDead || memtableBytes >= MEMTABLE_BYTES_QUIET);
  }
}
