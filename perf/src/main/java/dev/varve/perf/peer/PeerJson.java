package dev.varve.perf.peer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.varve.perf.peer.PeerResults.Line;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The file that {@code --json} names. Stateless. */
final class PeerJson {

  /**
   * Writes {@code {"rows": [...]}}: the medians, each with its ratio to the reference and with the
   * speeds of its rounds.
   */
  static void write(PeerResults results, Path file) throws IOException {
    try (OutputStream bytes = Files.newOutputStream(file);
        JsonGenerator json = new JsonFactory().createGenerator(bytes).useDefaultPrettyPrinter()) {
      json.writeStartObject();
      json.writeArrayFieldStart("rows");
      for (Line line : results.lines()) {
        for (String server : results.servers()) {
          Row row = results.median(line, server);
          if (row != null) {
            write(json, row, results, line);
          }
        }
      }
      json.writeEndArray();
      json.writeEndObject();
    }
  }

  private static void write(JsonGenerator json, Row row, PeerResults results, Line line)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("workload", row.workload());
    json.writeStringField("server", row.server());
    json.writeNumberField("pipeline", row.pipeline());
    number(json, "ops_per_s", row.operationsPerSecond());
    number(json, "p50_ms", row.p50Millis());
    number(json, "p99_ms", row.p99Millis());
    number(json, "p999_ms", row.p999Millis());
    number(json, "cpu_us_per_op", row.cpuMicros());
    number(json, "ratio", results.ratio(line, row.server()));
    numbers(json, "ops_per_s_of_rounds", results.speeds(line, row.server()));
    numbers(json, "ops_per_s_of_warm_up", results.warmUpSpeeds(line, row.server()));
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

  private static void numbers(JsonGenerator json, String name, List<Double> numbers)
      throws IOException {
    double[] array = numbers.stream().mapToDouble(each -> each).toArray();
    json.writeFieldName(name);
    json.writeArray(array, 0, array.length);
  }

  private PeerJson() {}
}
