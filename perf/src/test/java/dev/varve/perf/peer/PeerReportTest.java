package dev.varve.perf.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerReportTest {
  private final PeerReport report = new PeerReport(List.of("varve", "redis"), "redis");

  private static Row row(String server, double speed) {
    return new Row("get", server, 16, speed, 1, 2, Double.NaN, 3);
  }

  @Test
  void ratioIsThatOfMedians(@TempDir Path directory) throws IOException {
    // One round in which all went wrong changes nothing.
    for (double speed : new double[] {300, 1, 200}) {
      report.add(row("varve", speed));
    }
    for (double speed : new double[] {100, 100, 5000}) {
      report.add(row("redis", speed));
    }
    Path file = directory.resolve("rows.json");

    report.write(file);

    assertEquals(List.of(2.0, 1.0), numbers(file, "ratio"));
    assertEquals(List.of(200.0, 100.0), numbers(file, "ops_per_s"));
  }

  @Test
  void figureThatNobodyToldIsNullInJsonAndADashInTheTable(@TempDir Path directory)
      throws IOException {
    report.add(row("varve", 10));
    Path file = directory.resolve("rows.json");
    ByteArrayOutputStream table = new ByteArrayOutputStream();

    report.write(file);
    report.print(new PrintStream(table, true, StandardCharsets.UTF_8));

    assertEquals(List.of(), numbers(file, "p999_ms"));
    assertEquals(List.of(), numbers(file, "ratio"));
    assertTrue(table.toString(StandardCharsets.UTF_8).stripTrailing().endsWith("-"));
  }

  @Test
  void middleOfAnEvenNumberIsBetweenTheTwo() {
    assertEquals(2.5, Row.middle(List.of(4.0, 1.0, 3.0, 2.0)));
  }

  private static List<Double> numbers(Path file, String name) throws IOException {
    List<Double> found = new ArrayList<>();
    try (JsonParser json = new JsonFactory().createParser(file.toFile())) {
      while (json.nextToken() != null) {
        if (json.currentToken() == JsonToken.FIELD_NAME
            && json.currentName().equals(name)
            && json.nextToken().isNumeric()) {
          found.add(json.getDoubleValue());
        }
      }
    }
    return found;
  }
}
