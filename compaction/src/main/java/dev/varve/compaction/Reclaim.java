package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;

/** How much dead weight makes a rewrite worth its cost. Pure. */
final class Reclaim {
  /*
   * A pass that drops the share s of what it reads writes (1-s)/s bytes per byte it frees: 3 at a
   * quarter. While nothing is written that price may be higher. And the longer garbage has waited,
   * the less of it suffices, in inverse proportion: so every byte comes back some day, and the rate
   * of rewriting stays bounded by the rate of dying.
   */

  private static final long PATIENCE_MILLIS = 30_000;
  private static final long PATIENCE_QUIET_MILLIS = 10_000;

  /** A table of at most this part of a whole one is rewritten for any garbage while quiet. */
  private static final int SMALL_TABLE_PART = 16;

  private Reclaim() {}

  /** The share of a table that must be dead for a rewrite to pay. */
  static double requiredShare(
      TableMeta table, long oldestAgeMillis, boolean quiet, CompactionOptions options) {
    if (quiet && table.fileBytes() <= options.tableBytes() / SMALL_TABLE_PART) {
      return Double.MIN_VALUE;
    }
    double share = quiet ? options.reclaimShareQuiet() : options.reclaimShare();
    double patience = quiet ? PATIENCE_QUIET_MILLIS : PATIENCE_MILLIS;
    return oldestAgeMillis <= patience ? share : share * patience / oldestAgeMillis;
  }

  /** Whether a table is better rewritten than moved as it is. */
  static boolean isWorthRewriting(Shape shape, TableMeta table, CompactionOptions options) {
    double dead = (double) shape.input.garbage().deadBytes(table) / Math.max(1, table.fileBytes());
    double tombstones = (double) table.tombstones() / Math.max(1, table.entries());
    return Math.max(dead, tombstones) >= options.reclaimShare();
  }
}
