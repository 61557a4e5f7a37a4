package dev.varve.compaction;

import dev.varve.lsm.version.Version;
import java.util.ArrayList;
import java.util.List;

/** Says which dead ranges have nothing left on disk or in memory, so that their record can go. */
final class Retirement {

  private Retirement() {}

  /**
   * The first {@code max} recorded ranges that no table and no memtable can hold an entry of.
   *
   * @param oldestUnflushed the least sequence number that may be in a memtable. Read it before
   *     {@code version}: what is flushed in between is in the version.
   */
  static List<DeadRange> retirable(
      Version version,
      long oldestUnflushed,
      GarbageSource source,
      RangeEstimator estimator,
      int max) {
    List<DeadRange> retirable = new ArrayList<>();
    source.forEach(
        range -> {
          if (retirable.size() < max && isRetirable(version, oldestUnflushed, range, estimator)) {
            retirable.add(range);
          }
        });
    return retirable;
  }

  /** The same of one range. */
  static boolean isRetirable(
      Version version, long oldestUnflushed, DeadRange range, RangeEstimator estimator) {
    return oldestUnflushed > range.deathSequence() && !isHeld(version, range, estimator);
  }

  private static boolean isHeld(Version version, DeadRange range, RangeEstimator estimator) {
    boolean[] held = {false};
    RangeTables.forEach(
        version,
        range,
        table ->
            held[0] |= estimator.approximateBytes(table, range.start(), range.endExclusive()) > 0);
    return held[0];
  }
}
