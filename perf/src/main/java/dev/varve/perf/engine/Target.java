package dev.varve.perf.engine;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What Varve has promised, for five million pairs. Immutable.
 *
 * @param workload the row
 * @param figure what of the row; null for the ratio of its rate to RocksDB's
 * @param commit what must be reached
 * @param stretch what is hoped for
 */
record Target(String workload, @Nullable Figure figure, double commit, double stretch) {
  private static final String CACHED = RoundPlan.CACHED;

  static final List<Target> ALL =
      List.of(
          ratio("fillseq", 1.7, 2.5),
          ratio("fillrandom", 1.5, 2.2),
          ratio("readrandom", 1.3, 1.6),
          ratio("readrandom" + CACHED, 2.0, 2.5),
          ratio("readmissing", 3, 5),
          ratio("readmissing" + CACHED, 3, 5),
          ratio("seekrandom+next10", 1.5, 1.8),
          ratio("seekrandom+prev10", 1.5, 1.8),
          ratio("seekrandom+next10" + CACHED, 2.5, 3.3),
          ratio("seekrandom+prev10" + CACHED, 2.5, 3.3),
          ratio("readseq", 3, 4.5),
          ratio("readreverse", 3, 4.5),
          ratio("readseq" + CACHED, 3, 4.5),
          ratio("readreverse" + CACHED, 3, 4.5),
          ratio("readwhilewriting+reader", 1.5, 2),
          ratio("readwhilewriting+writer", 1.5, 2),
          ratio("overwrite", 1.5, 2.2),
          ratio("fillsync", 1.0, 1.2),
          new Target("recovery", Figure.RECOVERY_SECONDS, 3, 1.5),
          new Target("overwrite", Figure.WRITE_AMPLIFICATION, 3.5, 2.8),
          new Target("overwrite", Figure.DISK_OVER_COMPACTED, 1.5, 1.2),
          new Target("deleterandom", Figure.FIRST_SEEK_MILLIS, 5, 1),
          new Target("deleterandom", Figure.DISK_OVER_COMPACTED, 1.3, 1.1));

  private static Target ratio(String workload, double commit, double stretch) {
    return new Target(workload, null, commit, stretch);
  }

  /** What was measured, if it was. */
  OptionalDouble measured(Results results) {
    String varve = EngineKind.VARVE.label();
    return figure == null
        ? results.ratio(workload, varve, EngineKind.ROCKSDB.label())
        : results.median(workload, varve, figure);
  }

  /** What to think of a measured value: of a ratio more is better, of a figure less. */
  String verdict(double value) {
    return reaches(value, stretch) ? "stretch" : reaches(value, commit) ? "held" : "SHORT";
  }

  private boolean reaches(double value, double wanted) {
    return figure == null ? value >= wanted : value <= wanted;
  }

  /** As tables say it. */
  String label() {
    Figure of = figure;
    return of == null
        ? workload + " over rocksdb"
        : workload + " " + of.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
