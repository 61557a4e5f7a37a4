package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;

/** Says how much of a table lies in a key range. Safe for use by several threads. */
@FunctionalInterface
interface RangeEstimator {

  /**
   * About how many bytes of the table's file hold keys in {@code [start, endExclusive)}, from what
   * is resident in memory. Zero only when the table surely holds none.
   */
  long approximateBytes(TableMeta table, byte[] start, byte[] endExclusive);
}
