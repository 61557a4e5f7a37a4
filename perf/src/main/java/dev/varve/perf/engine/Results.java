package dev.varve.perf.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** The measurements of all rounds, and what they come to. For one thread. */
final class Results {
  private record Row(String workload, String engine) {}

  private final Map<Row, List<Measurement>> measured = new HashMap<>();
  private final List<String> engines;

  /**
   * @param engines in the order of tables
   */
  Results(List<String> engines) {
    this.engines = List.copyOf(engines);
  }

  void add(Measurement measurement) {
    Row row = new Row(measurement.workload(), measurement.engine());
    measured.computeIfAbsent(row, key -> new ArrayList<>()).add(measurement);
  }

  List<String> engines() {
    return engines;
  }

  /** Workloads that some engine was measured on, in the order of tables. */
  List<String> workloads() {
    return RoundPlan.rows().stream()
        .filter(workload -> engines.stream().anyMatch(engine -> has(workload, engine)))
        .toList();
  }

  boolean has(String workload, String engine) {
    return measured.containsKey(new Row(workload, engine));
  }

  /** The round with the median rate (of an even number the better of the two), or null. */
  @Nullable Measurement median(String workload, String engine) {
    List<Measurement> rounds = measured.get(new Row(workload, engine));
    if (rounds == null) {
      return null;
    }
    List<Measurement> sorted =
        rounds.stream()
            .sorted(Comparator.comparingDouble(Measurement::operationsPerSecond))
            .toList();
    return sorted.get(sorted.size() / 2);
  }

  /** The median of a figure over all rounds, if the workload has it. */
  OptionalDouble median(String workload, String engine, Figure figure) {
    List<Double> values = new ArrayList<>();
    for (Measurement each : measured.getOrDefault(new Row(workload, engine), List.of())) {
      Double value = each.figures().get(figure);
      if (value != null) {
        values.add(value);
      }
    }
    if (values.isEmpty()) {
      return OptionalDouble.empty();
    }
    values.sort(null);
    return OptionalDouble.of(values.get(values.size() / 2));
  }

  /** Rate of one engine over that of another, medians both; empty if one was not measured. */
  OptionalDouble ratio(String workload, String engine, String over) {
    Measurement mine = median(workload, engine);
    Measurement theirs = median(workload, over);
    if (mine == null || theirs == null) {
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(mine.operationsPerSecond() / theirs.operationsPerSecond());
  }

  /**
   * How many times the operations that one engine's measuring thread does in a second of CPU time
   * are those of another. A busy machine changes it less than {@link #ratio}; what engines do in
   * threads of their own is not in it.
   */
  OptionalDouble cpuRatio(String workload, String engine, String over) {
    Measurement mine = median(workload, engine);
    Measurement theirs = median(workload, over);
    if (mine == null || theirs == null || mine.cpuMicrosPerOperation() == 0) {
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(theirs.cpuMicrosPerOperation() / mine.cpuMicrosPerOperation());
  }
}
