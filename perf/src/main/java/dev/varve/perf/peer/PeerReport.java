package dev.varve.perf.peer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Collects the rows of all rounds, and shows their medians. Used by one thread. */
final class PeerReport {

  /** One line of the table: a workload at a pipeline depth. */
  private record Line(String workload, int pipeline) {}

  private final List<String> peers;
  private final String reference;
  private final Map<Line, Map<String, List<Row>>> rounds = new LinkedHashMap<>();

  /**
   * @param peers names in the order of rows
   * @param reference the one whose speed is 1
   */
  PeerReport(List<String> peers, String reference) {
    this.peers = List.copyOf(peers);
    this.reference = reference;
  }

  void add(Row row) {
    rounds
        .computeIfAbsent(new Line(row.workload(), row.pipeline()), line -> new LinkedHashMap<>())
        .computeIfAbsent(row.server(), server -> new ArrayList<>())
        .add(row);
  }

  /** Requests a second of {@code server} in its last run of that line; 0 if it had none. */
  double lastSpeed(String workload, int pipeline, String server) {
    List<Row> rows = rounds.getOrDefault(new Line(workload, pipeline), Map.of()).get(server);
    return rows == null ? 0 : rows.get(rows.size() - 1).operationsPerSecond();
  }

  /** Medians of each line by server. */
  private Map<String, Row> medians(Line line) {
    Map<String, Row> medians = new LinkedHashMap<>();
    rounds
        .getOrDefault(line, Map.of())
        .forEach((server, rows) -> medians.put(server, Row.median(rows)));
    return medians;
  }

  /** The speed of a row over that of the reference on the same line; NaN if that has none. */
  private double ratio(Row row, Map<String, Row> medians) {
    Row one = medians.get(reference);
    return one == null ? Double.NaN : row.operationsPerSecond() / one.operationsPerSecond();
  }

  void print(PrintStream out) {
    out.printf(
        "%n%-18s %3s  %-12s %12s %9s %9s %9s %9s  %s%n",
        "workload", "P", "server", "ops/s", "p50 ms", "p99 ms", "p99.9 ms", "CPU µs", "ratio");
    for (Line line : rounds.keySet()) {
      Map<String, Row> medians = medians(line);
      for (String peer : peers) {
        Row row = medians.get(peer);
        if (row != null) {
          boolean isFirst = peer.equals(peers.get(0));
          out.printf(
              Locale.ROOT,
              "%-18s %3d  %-12s %,12.0f %9.3f %9.3f %9s %9s  %s%n",
              isFirst ? line.workload : "",
              line.pipeline,
              peer,
              row.operationsPerSecond(),
              row.p50Millis(),
              row.p99Millis(),
              figure(row.p999Millis()),
              figure(row.cpuMicros()),
              figure(ratio(row, medians)));
        }
      }
    }
  }

  private static String figure(double number) {
    return Double.isNaN(number) ? "-" : String.format(Locale.ROOT, "%.2f", number);
  }

  /** Writes {@code {"rows": [...]}}: the medians, each with its ratio to the reference. */
  void write(Path file) throws IOException {
    try (OutputStream bytes = Files.newOutputStream(file);
        JsonGenerator json = new JsonFactory().createGenerator(bytes).useDefaultPrettyPrinter()) {
      json.writeStartObject();
      json.writeArrayFieldStart("rows");
      for (Line line : rounds.keySet()) {
        Map<String, Row> medians = medians(line);
        for (Row row : medians.values()) {
          write(json, row, ratio(row, medians));
        }
      }
      json.writeEndArray();
      json.writeEndObject();
    }
  }

  private static void write(JsonGenerator json, Row row, double ratio) throws IOException {
    json.writeStartObject();
    json.writeStringField("workload", row.workload());
    json.writeStringField("server", row.server());
    json.writeNumberField("pipeline", row.pipeline());
    number(json, "ops_per_s", row.operationsPerSecond());
    number(json, "p50_ms", row.p50Millis());
    number(json, "p99_ms", row.p99Millis());
    number(json, "p999_ms", row.p999Millis());
    number(json, "cpu_us_per_op", row.cpuMicros());
    number(json, "ratio", ratio);
    json.writeEndObject();
  }

  /** JSON has no NaN. */
  private static void number(JsonGenerator json, String name, double number) throws IOException {
    if (Double.isFinite(number)) {
      json.writeNumberField(name, number);
    } else {
      json.writeNullField(name);
    }
  }
}
