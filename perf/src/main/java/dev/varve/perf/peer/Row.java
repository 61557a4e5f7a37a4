package dev.varve.perf.peer;

import java.util.Comparator;
import java.util.List;

/**
 * What one run of a workload on a peer gave, or the median of several.
 *
 * @param pipeline requests under way per connection
 * @param p999Millis NaN where the generator does not tell
 * @param cpuMicros CPU time of the server's process per operation; NaN where nobody tells
 */
record Row(
    String workload,
    String server,
    int pipeline,
    double operationsPerSecond,
    double p50Millis,
    double p99Millis,
    double p999Millis,
    double cpuMicros) {

  /** The median of each figure by itself. */
  static Row median(List<Row> rounds) {
    Row first = rounds.get(0);
    return new Row(
        first.workload,
        first.server,
        first.pipeline,
        middle(rounds.stream().map(Row::operationsPerSecond).toList()),
        middle(rounds.stream().map(Row::p50Millis).toList()),
        middle(rounds.stream().map(Row::p99Millis).toList()),
        middle(rounds.stream().map(Row::p999Millis).toList()),
        middle(rounds.stream().map(Row::cpuMicros).toList()));
  }

  static double middle(List<Double> figures) {
    List<Double> sorted = figures.stream().sorted(Comparator.naturalOrder()).toList();
    int half = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }
}
