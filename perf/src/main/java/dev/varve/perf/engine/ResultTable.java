package dev.varve.perf.engine;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Measurements as a table of medians, for a terminal. */
final class ResultTable {

  /**
   * Prints a row per workload and engine.
   *
   * @param measured by "workload/engine", one measurement a round
   */
  static void print(PrintStream out, Map<String, List<Measurement>> measured, int rounds) {
    out.printf("%nmedians of %d round(s)%n", rounds);
    out.printf(
        "%-20s %-9s %13s %9s %9s %9s %s%n",
        "workload", "engine", "ops/s", "p50 µs", "p99 µs", "p99.9 µs", "varve/rocksdb");
    for (EngineWorkload workload : EngineWorkload.values()) {
      List<Measurement> own = measured.get(workload.label() + "/varve");
      List<Measurement> rival = measured.get(workload.label() + "/rocksdb");
      row(out, own, rival);
      row(out, rival, null);
    }
  }

  private static void row(
      PrintStream out,
      @Nullable List<Measurement> measurements,
      @Nullable List<Measurement> comparedTo) {
    if (measurements == null) {
      return;
    }
    Measurement median = median(measurements);
    String ratio =
        comparedTo == null
            ? ""
            : String.format(
                Locale.ROOT,
                "%.2f",
                median.operationsPerSecond() / median(comparedTo).operationsPerSecond());
    out.printf(
        Locale.ROOT,
        "%-20s %-9s %,13.0f %9.1f %9.1f %9.1f %s%n",
        median.workload().label(),
        median.engine(),
        median.operationsPerSecond(),
        median.percentileMicros(50),
        median.percentileMicros(99),
        median.percentileMicros(99.9),
        ratio);
  }

  private static Measurement median(List<Measurement> measurements) {
    List<Measurement> sorted =
        measurements.stream()
            .sorted((a, b) -> Double.compare(a.operationsPerSecond(), b.operationsPerSecond()))
            .toList();
    return sorted.get(sorted.size() / 2);
  }

  private ResultTable() {}
}
