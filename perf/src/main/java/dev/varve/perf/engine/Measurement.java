package dev.varve.perf.engine;

import org.HdrHistogram.Histogram;

/**
 * What one run of a workload gave.
 *
 * @param operations how many operations (for walks: entries) there were
 * @param nanos how long all of them took
 * @param latencies nanoseconds of each operation
 * @param found how many keys were found, to see that engines did the same
 */
record Measurement(
    EngineWorkload workload,
    String engine,
    long operations,
    long nanos,
    Histogram latencies,
    long found) {

  double operationsPerSecond() {
    return operations * 1e9 / Math.max(1, nanos);
  }

  double percentileMicros(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1e3;
  }
}
