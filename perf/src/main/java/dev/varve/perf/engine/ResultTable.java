package dev.varve.perf.engine;

import java.io.PrintStream;
import java.util.Locale;
import java.util.OptionalDouble;

/** Results as tables of medians, for a terminal. */
final class ResultTable {
  private static final double MEBIBYTE = 1 << 20;

  static void print(PrintStream out, Results results, int rounds) {
    out.printf("%nmedians of %d round(s)%n", rounds);
    out.printf(
        "%-25s %-8s %12s %7s %8s %7s %9s %9s %9s %9s %7s %9s%n",
        "workload",
        "engine",
        "ops/s",
        "/rocks",
        "cpu µs",
        "/rocks",
        "p50 µs",
        "p99 µs",
        "p99.9 µs",
        "heap B/op",
        "gc ms",
        "off heap");
    for (String workload : results.workloads()) {
      for (String engine : results.engines()) {
        Measurement median = results.median(workload, engine);
        if (median != null) {
          String rocks = EngineKind.ROCKSDB.label();
          row(
              out,
              median,
              results.ratio(workload, engine, rocks),
              results.cpuRatio(workload, engine, rocks));
        }
      }
    }
    figures(out, results);
    targets(out, results);
  }

  private static void row(
      PrintStream out, Measurement median, OptionalDouble ratio, OptionalDouble cpuRatio) {
    long offHeap = median.costs().offHeapBytes().values().stream().mapToLong(v -> v).sum();
    out.printf(
        Locale.ROOT,
        "%-25s %-8s %,12.0f %7s %8.2f %7s %9.1f %9.1f %9.1f %9.0f %7d %6.0f MB%n",
        median.workload(),
        median.engine(),
        median.operationsPerSecond(),
        shown(ratio),
        median.cpuMicrosPerOperation(),
        shown(cpuRatio),
        median.percentileMicros(50),
        median.percentileMicros(99),
        median.percentileMicros(99.9),
        median.heapBytesPerOperation(),
        median.costs().gcMillis(),
        offHeap / MEBIBYTE);
  }

  private static String shown(OptionalDouble ratio) {
    return ratio.isPresent() ? String.format(Locale.ROOT, "%.2f", ratio.getAsDouble()) : "";
  }

  private static void figures(PrintStream out, Results results) {
    out.printf("%n%-25s %-22s", "workload", "figure");
    results.engines().forEach(engine -> out.printf(" %10s", engine));
    out.println();
    for (String workload : results.workloads()) {
      for (Figure figure : Figure.values()) {
        boolean any =
            results.engines().stream()
                .anyMatch(engine -> results.median(workload, engine, figure).isPresent());
        if (any) {
          out.printf("%-25s %-22s", workload, figure.label());
          for (String engine : results.engines()) {
            OptionalDouble value = results.median(workload, engine, figure);
            out.printf(
                " %10s",
                value.isPresent() ? String.format(Locale.ROOT, "%.2f", value.getAsDouble()) : "-");
          }
          out.println();
        }
      }
    }
  }

  private static void targets(PrintStream out, Results results) {
    out.printf("%n%-42s %8s %8s %8s%n", "target (for 5 million pairs)", "is", "commit", "stretch");
    for (Target target : Target.ALL) {
      OptionalDouble value = target.measured(results);
      if (value.isPresent()) {
        out.printf(
            Locale.ROOT,
            "%-42s %8.2f %8.1f %8.1f  %s%n",
            target.label(),
            value.getAsDouble(),
            target.commit(),
            target.stretch(),
            target.verdict(value.getAsDouble()));
      }
    }
    String varve = EngineKind.VARVE.label();
    Measurement forward = results.median(EngineWorkload.READSEQ.label(), varve);
    Measurement reverse = results.median(EngineWorkload.READREVERSE.label(), varve);
    if (forward != null && reverse != null) {
      out.printf(
          Locale.ROOT,
          "%-42s %8.2f %8.1f %8.2f%n",
          "own readreverse over own readseq",
          reverse.operationsPerSecond() / forward.operationsPerSecond(),
          0.8,
          0.95);
    }
  }

  private ResultTable() {}
}
