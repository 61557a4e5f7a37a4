package dev.varve.perf.engine;

import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What one run of a workload gave. Immutable but for the histogram, which nobody changes.
 *
 * @param workload its name in tables
 * @param engine the engine's name
 * @param operations how many operations (for walks: entries) there were
 * @param nanos how long all of them took
 * @param latencies nanoseconds of each operation
 * @param found how many keys were found, to see that engines did the same
 * @param figures what is measured besides the rate, by {@link Figure}
 */
record Measurement(
    String workload,
    String engine,
    long operations,
    long nanos,
    Histogram latencies,
    long found,
    Costs costs,
    Map<Figure, Double> figures) {

  Measurement {
    figures = Map.copyOf(figures);
  }

  double operationsPerSecond() {
    return operations * 1e9 / Math.max(1, nanos);
  }

  double percentileMicros(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1e3;
  }

  double heapBytesPerOperation() {
    return (double) costs.allocatedBytes() / Math.max(1, operations);
  }

  /** CPU time of the measuring thread. */
  double cpuMicrosPerOperation() {
    return costs.cpuNanos() / 1e3 / Math.max(1, operations);
  }
}
