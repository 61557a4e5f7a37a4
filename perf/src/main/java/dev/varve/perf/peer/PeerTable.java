package dev.varve.perf.peer;

import dev.varve.perf.peer.PeerResults.Line;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** What the results look like for people: on a terminal, and on a page. */
final class PeerTable {
  private final PeerResults results;
  private final Promise promise;

  /**
   * @param promise what is wanted of the server in question
   */
  PeerTable(PeerResults results, Promise promise) {
    this.results = results;
    this.promise = promise;
  }

  /** Prints a line for each server and workload, then which promises are not held. */
  void print(PrintStream out) {
    out.printf(
        "%n%-18s %3s  %-12s %12s %9s %9s %9s %9s %7s  %-12s %s%n",
        "workload",
        "P",
        "server",
        "ops/s",
        "p50 ms",
        "p99 ms",
        "p99.9 ms",
        "CPU µs",
        "ratio",
        "by round",
        "wanted");
    for (Line line : results.lines()) {
      for (String server : results.servers()) {
        Row row = results.median(line, server);
        if (row != null) {
          print(out, line, row);
        }
      }
    }
    printPromises(out);
  }

  private void print(PrintStream out, Line line, Row row) {
    boolean isSubject = row.server().equals(results.subject());
    out.printf(
        Locale.ROOT,
        "%-18s %3d  %-12s %,12.0f %9.3f %9.3f %9s %9s %7s  %-12s %s%n",
        isSubject ? line.workload() : "",
        line.pipeline(),
        row.server(),
        row.operationsPerSecond(),
        row.p50Millis(),
        row.p99Millis(),
        figure(row.p999Millis()),
        figure(row.cpuMicros()),
        figure(results.ratio(line, row.server())),
        row.server().equals(results.reference()) ? "" : span(results.ratios(line, row.server())),
        isSubject ? wanted(line) : "");
  }

  private String wanted(Line line) {
    OptionalDouble wanted = promise.ratio(line.workload(), line.pipeline());
    return wanted.isPresent() ? figure(wanted.getAsDouble()) : "-";
  }

  private static String figure(double number) {
    return Double.isNaN(number) ? "-" : String.format(Locale.ROOT, "%.2f", number);
  }

  /** From the least to the largest. */
  private static String span(List<Double> numbers) {
    return numbers.isEmpty()
        ? "-"
        : figure(Collections.min(numbers)) + "–" + figure(Collections.max(numbers));
  }

  /**
   * Writes a table in Markdown for each pipeline depth: the server in question, and the reference.
   */
  void writeMarkdown(PrintStream page) {
    String pair = results.subject() + " / " + results.reference();
    results.lines().stream()
        .map(Line::pipeline)
        .distinct()
        .forEach(
            pipeline -> {
              page.printf("Pipeline %d:%n%n", pipeline);
              page.printf(
                  "| workload | requests/s | of %s | by round | wanted | p50 ms, %s | p99 ms, %s |"
                      + " CPU µs a request, %s |%n|---|---|---|---|---|---|---|---|%n",
                  results.reference(), pair, pair, pair);
              results.lines().stream()
                  .filter(line -> line.pipeline() == pipeline)
                  .forEach(line -> writeMarkdown(page, line));
              page.println();
            });
  }

  private void writeMarkdown(PrintStream page, Line line) {
    Row its = results.median(line, results.subject());
    Row one = results.median(line, results.reference());
    if (its == null || one == null) {
      return;
    }
    double ratio = results.ratio(line, results.subject());
    boolean isHeld = ratio >= promise.ratio(line.workload(), line.pipeline()).orElse(1);
    page.printf(
        Locale.ROOT,
        "| %s | %,.0f | %s | %s | %s | %s / %s | %s / %s | %s / %s |%n",
        line.workload(),
        its.operationsPerSecond(),
        isHeld ? "**" + figure(ratio) + "**" : figure(ratio),
        span(results.ratios(line, results.subject())),
        wanted(line),
        figure(its.p50Millis()),
        figure(one.p50Millis()),
        figure(its.p99Millis()),
        figure(one.p99Millis()),
        figure(its.cpuMicros()),
        figure(one.cpuMicros()));
  }

  private void printPromises(PrintStream out) {
    List<String> slower = new ArrayList<>();
    List<String> later = new ArrayList<>();
    int promised = 0;
    for (Line line : results.lines()) {
      OptionalDouble wanted = promise.ratio(line.workload(), line.pipeline());
      double ratio = results.ratio(line, results.subject());
      if (wanted.isEmpty() || Double.isNaN(ratio)) {
        continue;
      }
      promised++;
      if (ratio < wanted.getAsDouble()) {
        slower.add(said(line) + " " + figure(ratio) + " of " + figure(wanted.getAsDouble()));
      }
      if (isLater(line)) {
        later.add(said(line));
      }
    }
    if (promised > 0) {
      out.println();
      print(out, "as fast as wanted", promised, slower);
      print(out, "p99 no worse", promised, later);
    }
  }

  private static void print(PrintStream out, String what, int promised, List<String> missed) {
    out.printf(
        "%s: %d of %d%s%n",
        what,
        promised - missed.size(),
        promised,
        missed.isEmpty() ? "" : ", but for " + String.join(", ", missed));
  }

  private static String said(Line line) {
    return line.workload() + " at " + line.pipeline();
  }

  /** Whether the p99 of the server in question is worse than that of the reference. */
  private boolean isLater(Line line) {
    Row its = results.median(line, results.subject());
    Row one = results.median(line, results.reference());
    return its != null && one != null && its.p99Millis() > one.p99Millis();
  }
}
