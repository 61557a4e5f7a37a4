package dev.varve.perf.engine;

import java.util.Map;
import org.HdrHistogram.Histogram;

/** Measurements made up for tests. */
final class Measured {
  static Measurement of(String workload, String engine, double operationsPerSecond) {
    return of(workload, engine, operationsPerSecond, Map.of());
  }

  static Measurement of(
      String workload, String engine, double operationsPerSecond, Map<Figure, Double> figures) {
    Histogram latencies = new Histogram(EngineRun.TRACKED_NANOS_MAX, 3);
    latencies.recordValue((long) (1e9 / operationsPerSecond));
    long operations = 1_000;
    long nanos = (long) (operations * 1e9 / operationsPerSecond);
    Costs costs =
        new Costs(
            new ProcessIo(0, 0),
            nanos,
            nanos,
            operations * 100,
            0,
            1,
            2,
            3,
            Map.of("memtable", 64L, "block_cache", 32L),
            0,
            0);
    return new Measurement(
        workload, engine, operations, nanos, latencies, operations, costs, figures);
  }

  private Measured() {}
}
