package dev.varve.compaction;

import dev.varve.lsm.MemtableFigures;
import java.util.concurrent.TimeUnit;

/**
 * Whether what is in memory should be flushed before it is much, so that space comes back. Pure but
 * for what it remembers; for one thread at a time.
 */
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

  /**
   * So many tombstones, if they are most of what is in memory, keep space of what they delete in
   * the tables, and cost who walks over them: keys that expired together, for instance.
   */
  static final long TOMBSTONES_MANY = 100_000;

  /** For how long there may be so many: more of them often come right behind. */
  static final long PATIENCE_TOMBSTONES_MILLIS = 10_000;

  private MemtableFigures memtables = new MemtableFigures(0, 0, 0);

  /** Since when there are many tombstones; of no meaning while there are not. */
  private long manySinceNanos;

  /** Says what is in memory. To be called often. */
  void tick(long nowNanos, MemtableFigures now) {
    if (!areTombstonesMany(memtables)) {
      manySinceNanos = nowNanos;
    }
    memtables = now;
  }

  /**
   * @param garbageInMemory whether a recorded death is not in a table yet
   * @param garbageRawBytes how much is recorded as dead; a little does not hurry, else somebody who
   *     deletes a small collection now and then would have a flush for each
   */
  boolean isDue(
      long nowNanos,
      boolean quiet,
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
    if (areTombstonesMany(memtables)
        && nowNanos - manySinceNanos >= TimeUnit.MILLISECONDS.toNanos(PATIENCE_TOMBSTONES_MILLIS)) {
      return true;
    }
    boolean isMuchDead = garbageInMemory && garbageRawBytes >= MEMTABLE_BYTES_QUIET;
    return quiet && (isMuchDead || memtables.bytes() >= MEMTABLE_BYTES_QUIET);
  }

  private static boolean areTombstonesMany(MemtableFigures memtables) {
    return memtables.tombstones() >= TOMBSTONES_MANY
        && 2 * memtables.tombstones() >= memtables.entries();
  }
}
