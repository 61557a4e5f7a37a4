package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/** Estimates from the recorded dead ranges how much of each table is dead. For one measurement. */
final class GarbageMeasure {
  private final Version version;
  private final RangeEstimator estimator;
  private final LongUnaryOperator ageMillis;
  private final Map<Long, Garbage.InTable> tables = new HashMap<>();
  private long ranges;
  private long rawBytes;
  private long oldestAgeMillis;
  private long newestDeath = -1;

  private GarbageMeasure(Version version, RangeEstimator estimator, LongUnaryOperator ageMillis) {
    this.version = version;
    this.estimator = estimator;
    this.ageMillis = ageMillis;
  }

  /**
   * Walks all recorded ranges once.
   *
   * @param ageMillis how long ago a sequence number was published, at least
   */
  static Garbage of(
      Version version,
      GarbageSource source,
      RangeEstimator estimator,
      LongUnaryOperator ageMillis) {
    GarbageMeasure measure = new GarbageMeasure(version, estimator, ageMillis);
    source.forEach(measure::add);
    return new Garbage(
        measure.tables,
        measure.ranges,
        measure.rawBytes,
        measure.oldestAgeMillis,
        measure.newestDeath);
  }

  private void add(DeadRange range) {
    long age = ageMillis.applyAsLong(range.deathSequence());
    ranges++;
    rawBytes += range.rawBytes() == Long.MAX_VALUE ? 0 : range.rawBytes();
    oldestAgeMillis = Math.max(oldestAgeMillis, age);
    newestDeath = Math.max(newestDeath, range.deathSequence());

    List<TableMeta> concerned = new ArrayList<>();
    RangeTables.forEach(version, range, concerned::add);
    long[] estimates = new long[concerned.size()];
    double sum = 0;
    for (int i = 0; i < estimates.length; i++) {
      TableMeta table = concerned.get(i);
      estimates[i] = estimator.approximateBytes(table, range.start(), range.endExclusive());
      sum += estimates[i];
    }
    // Estimates count whole blocks: a small collection must not seem to fill each block it is in.
    double scale = sum > range.rawBytes() ? range.rawBytes() / sum : 1;
    for (int i = 0; i < estimates.length; i++) {
      TableMeta table = concerned.get(i);
      boolean whole = RangeTables.isWhole(version, range, table);
      if (whole || estimates[i] > 0) {
        long dead = whole ? table.fileBytes() : (long) Math.ceil(estimates[i] * scale);
        tables.merge(table.number(), new Garbage.InTable(dead, age, whole), GarbageMeasure::sum);
      }
    }
  }

  private static Garbage.InTable sum(Garbage.InTable a, Garbage.InTable b) {
    return new Garbage.InTable(
        a.deadBytes() + b.deadBytes(),
        Math.max(a.oldestAgeMillis(), b.oldestAgeMillis()),
        a.whole() || b.whole());
  }
}
