package dev.varve.perf.engine;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.Writer;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * Results as JSON, for machines: {@code run} says what was measured, {@code rows} has one object
 * for each workload and engine.
 */
final class ResultJson {

  /**
   * Writes it all.
   *
   * @param settings of the machine, the run and the engines, by name
   */
  static void write(Writer out, Results results, Map<String, String> settings) throws IOException {
    try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
      json.useDefaultPrettyPrinter();
      json.writeStartObject();
      json.writeObjectFieldStart("run");
      for (Map.Entry<String, String> setting : new TreeMap<>(settings).entrySet()) {
        json.writeStringField(setting.getKey(), setting.getValue());
      }
      json.writeEndObject();
      json.writeArrayFieldStart("rows");
      for (String workload : results.workloads()) {
        for (String engine : results.engines()) {
          Measurement median = results.median(workload, engine);
          if (median != null) {
            row(json, results, median);
          }
        }
      }
      json.writeEndArray();
      json.writeEndObject();
    }
  }

  private static void row(JsonGenerator json, Results results, Measurement median)
      throws IOException {
    String workload = median.workload();
    String engine = median.engine();
    Costs costs = median.costs();
    json.writeStartObject();
    json.writeStringField("workload", workload);
    json.writeStringField("engine", engine);
    number(json, "ops_per_s", median.operationsPerSecond());
    json.writeNumberField("operations", median.operations());
    json.writeNumberField("found", median.found());
    number(json, "p50_us", median.percentileMicros(50));
    number(json, "p99_us", median.percentileMicros(99));
    number(json, "p999_us", median.percentileMicros(99.9));
    OptionalDouble ratio = results.ratio(workload, engine, EngineKind.ROCKSDB.label());
    if (ratio.isPresent()) {
      number(json, "ratio_to_rocksdb", ratio.getAsDouble());
    } else {
      json.writeNullField("ratio_to_rocksdb");
    }
    number(json, "cpu_us_per_op", median.cpuMicrosPerOperation());
    number(json, "process_cpu_us_per_op", perOperation(median, costs.processCpuNanos() / 1e3));
    number(json, "heap_bytes_per_op", median.heapBytesPerOperation());
    json.writeNumberField("heap_bytes", costs.heapBytes());
    json.writeNumberField("gc_pauses", costs.gcPauses());
    json.writeNumberField("gc_ms", costs.gcMillis());
    json.writeNumberField("gc_ms_max", costs.gcMillisMax());
    json.writeNumberField("disk_bytes", costs.diskBytes());
    json.writeNumberField("live_bytes", costs.liveBytes());
    for (Figure figure : Figure.values()) {
      OptionalDouble value = results.median(workload, engine, figure);
      if (value.isPresent()) {
        number(json, figure.label(), value.getAsDouble());
      }
    }
    json.writeObjectFieldStart("off_heap");
    for (Map.Entry<String, Long> part : new TreeMap<>(costs.offHeapBytes()).entrySet()) {
      json.writeNumberField(part.getKey(), part.getValue());
    }
    json.writeEndObject();
    json.writeEndObject();
  }

  private static double perOperation(Measurement measurement, double value) {
    return value / Math.max(1, measurement.operations());
  }

  /** Three decimals: more than is measured. JSON knows no infinity. */
  private static void number(JsonGenerator json, String name, double value) throws IOException {
    if (Double.isFinite(value)) {
      json.writeNumberField(name, Math.round(value * 1e3) / 1e3);
    } else {
      json.writeNullField(name);
    }
  }

  private ResultJson() {}
}
