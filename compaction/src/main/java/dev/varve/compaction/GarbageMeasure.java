package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/** Estimates from the recorded deaths how much of each table is dead. For one measurement. */
final class GarbageMeasure {
  private final Version version;
  private final RangeEstimator estimator;
  private final LongUnaryOperator ageMillis;
  private final Map<Long, TableGarbage.InTable> tables = new HashMap<>();
  private long deaths;
  private long rawBytes;
  private long oldestAgeMillis;
  private long newestDeath = -1;

  private GarbageMeasure(Version version, RangeEstimator estimator, LongUnaryOperator ageMillis) {
    this.version = version;
    this.estimator = estimator;
    this.ageMillis = ageMillis;
  }

  /**
   * Walks all recorded deaths once.
   *
   * @param ageMillis how long ago a sequence number was published, at least
   */
  static TableGarbage of(
      Version version,
      GarbageSource source,
      RangeEstimator estimator,
      LongUnaryOperator ageMillis) {
    GarbageMeasure measure = new GarbageMeasure(version, estimator, ageMillis);
    source.forEach(measure::add);
    return new TableGarbage(
        measure.tables,
        measure.deaths,
        measure.rawBytes,
        measure.oldestAgeMillis,
        measure.newestDeath);
  }

  private record Part(TableMeta table, long estimate, boolean whole) {}

  private void add(Death death) {
    long age = ageMillis.applyAsLong(death.sequence());
    if (!death.isPart()) {
      deaths++;
      rawBytes += death.rawBytes() == Death.UNKNOWN ? 0 : death.rawBytes();
      oldestAgeMillis = Math.max(oldestAgeMillis, age);
      newestDeath = Math.max(newestDeath, death.sequence());
    }

    List<Part> parts = new ArrayList<>();
    double sum = 0;
    for (KeyRange range : death.ranges()) {
      RangeTables.forEach(version, death, range, table -> parts.add(part(death, range, table)));
    }
    for (Part part : parts) {
      sum += part.estimate();
    }
    // Estimates count whole blocks: a small collection must not seem to fill each block it is in.
    double scale = sum > death.rawBytes() ? death.rawBytes() / sum : 1;
    for (Part part : parts) {
      if (part.whole() || part.estimate() > 0) {
        TableMeta table = part.table();
        long dead = part.whole() ? table.fileBytes() : (long) Math.ceil(part.estimate() * scale);
        tables.merge(
            table.number(), new TableGarbage.InTable(dead, age, part.whole()), GarbageMeasure::sum);
      }
    }
  }

  private Part part(Death death, KeyRange range, TableMeta table) {
    return new Part(
        table,
        estimator.approximateBytes(table, range.start(), range.endExclusive()),
        RangeTables.isWhole(version, death, range, table));
  }

  private static TableGarbage.InTable sum(TableGarbage.InTable a, TableGarbage.InTable b) {
    return new TableGarbage.InTable(
        a.deadBytes() + b.deadBytes(),
        Math.max(a.oldestAgeMillis(), b.oldestAgeMillis()),
        a.whole() || b.whole());
  }
}
