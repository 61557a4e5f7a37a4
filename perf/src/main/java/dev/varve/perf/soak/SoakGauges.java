package dev.varve.perf.soak;

import dev.varve.perf.engine.DiskUse;
import dev.varve.perf.server.RespConnection;
import dev.varve.perf.server.ServerFigures;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;

/** What the server holds over time, and whether that grows. For one thread. */
final class SoakGauges {
  /** The data stays as large as it is: more than this between two thirds of a run is a leak. */
  private static final double GROWTH_MAX = 1.35;

  private static final double MEBIBYTE = 1 << 20;

  /** A gauge with what it may grow beyond the share: some files more or less are no leak. */
  private enum Gauge {
    HEAP_MIB(16),
    OFF_HEAP_MIB(16),
    RESIDENT_MIB(48),
    OPEN_FILES(24),
    FILES(24),
    DISK_MIB(48);

    private final double slack;

    Gauge(double slack) {
      this.slack = slack;
    }
  }

  private final PrintStream out;
  private final List<Map<Gauge, Double>> samples = new ArrayList<>();

  SoakGauges(PrintStream out) {
    this.out = out;
  }

  void printHead() {
    out.printf("%8s %14s", "minute", "commands");
    for (Gauge gauge : Gauge.values()) {
      out.printf(" %13s", gauge.name().toLowerCase(Locale.ROOT));
    }
    out.println();
  }

  /** Takes one sample, and prints it. */
  void sample(double minute, long commands, SoakServer server, RespConnection control)
      throws IOException {
    long offHeap = 0;
    long heap = 0;
    for (Map.Entry<String, Long> part : ServerFigures.ask(control).memoryParts().entrySet()) {
      if (part.getKey().equals("heap")) {
        heap = part.getValue();
      } else {
        offHeap += part.getValue();
      }
    }
    Map<Gauge, Double> sample = new LinkedHashMap<>();
    sample.put(Gauge.HEAP_MIB, heap / MEBIBYTE);
    sample.put(Gauge.OFF_HEAP_MIB, offHeap / MEBIBYTE);
    sample.put(Gauge.RESIDENT_MIB, server.residentBytes() / MEBIBYTE);
    sample.put(Gauge.OPEN_FILES, (double) server.openFiles());
    sample.put(Gauge.FILES, (double) server.files());
    sample.put(Gauge.DISK_MIB, DiskUse.of(server.data()) / MEBIBYTE);
    samples.add(sample);
    out.printf(Locale.ROOT, "%8.1f %,14d", minute, commands);
    sample.values().forEach(value -> out.printf(Locale.ROOT, " %13.1f", value));
    out.println();
  }

  /** Compares the last third of the run with the middle one; the first is warming up. */
  boolean judge() {
    int third = samples.size() / 3;
    if (third == 0) {
      out.println("too short to judge growth");
      return true;
    }
    boolean sound = true;
    for (Gauge gauge : Gauge.values()) {
      double before = extreme(gauge, third, 2 * third);
      double after = extreme(gauge, 2 * third, samples.size());
      boolean held = after <= before * GROWTH_MAX + gauge.slack;
      sound &= held;
      out.printf(
          Locale.ROOT,
          "  %-6s %s: %.1f in the middle third, %.1f in the last%n",
          held ? "held" : "GREW",
          gauge.name().toLowerCase(Locale.ROOT),
          before,
          after);
    }
    return sound;
  }

  /** The most that was held; of the heap the least, which is nearest to what is alive. */
  private double extreme(Gauge gauge, int from, int to) {
    DoubleStream values =
        samples.subList(from, to).stream().mapToDouble(sample -> sample.getOrDefault(gauge, 0.0));
    return (gauge == Gauge.HEAP_MIB ? values.min() : values.max()).orElse(0);
  }
}
