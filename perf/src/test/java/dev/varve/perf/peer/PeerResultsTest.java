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

class PeerResultsTest {
  private final PeerResults results = new PeerResults(List.of("varve", "redis"));
  private final PeerTable table = new PeerTable(results, new Promise(1, false));

  private static Row row(String server, double speed) {
    return new Row("get", server, 16, speed, 1, 2, Double.NaN, 3);
  }

  @Test
  void ratioIsThatOfMedians(@TempDir Path directory) throws IOException {
    // One round in which all went wrong changes nothing.
    for (double speed : new double[] {300, 1, 200}) {
      results.add(row("varve", speed));
    }
    for (double speed : new double[] {100, 100, 5000}) {
      results.add(row("redis", speed));
    }
    Path file = directory.resolve("rows.json");

    PeerJson.write(results, file);

    assertEquals(List.of(2.0, 1.0), numbers(file, "ratio"));
    assertEquals(List.of(200.0, 100.0), numbers(file, "ops_per_s"));
  }

  @Test
  void figureThatNobodyToldIsNullInJsonAndADashInTheTable(@TempDir Path directory)
      throws IOException {
    results.add(row("varve", 10));
    Path file = directory.resolve("rows.json");

    PeerJson.write(results, file);

    assertEquals(List.of(), numbers(file, "p999_ms"));
    assertEquals(List.of(), numbers(file, "ratio"));
    assertTrue(printed().lines().anyMatch(each -> each.matches("get +16 .* - +3.00 +- +- +1.20")));
  }

  @Test
  void roundsThatDoNotCountAreShownInJsonAlone(@TempDir Path directory) throws IOException {
    results.addWarmUp(row("varve", 1));
    results.addWarmUp(row("varve", 2));
    results.add(row("varve", 40));
    Path file = directory.resolve("rows.json");

    PeerJson.write(results, file);

    assertEquals(List.of(40.0), numbers(file, "ops_per_s"));
    assertEquals(List.of(1.0, 2.0), array(file, "ops_per_s_of_warm_up"));
    assertEquals(List.of(40.0), array(file, "ops_per_s_of_rounds"));
  }

  @Test
  void nextRunIsPacedByTheLastOne() {
    PeerResults.Line line = new PeerResults.Line("get", 16);
    assertEquals(0, results.lastSpeed(line, "varve"));
    results.addWarmUp(row("varve", 1));
    assertEquals(1, results.lastSpeed(line, "varve"));
    results.add(row("varve", 40));
    results.add(row("varve", 30));
    assertEquals(30, results.lastSpeed(line, "varve"));
  }

  @Test
  void tableSaysWhatIsPromisedAndNotHeld() {
    for (double speed : new double[] {110, 120, 90}) {
      results.add(row("varve", speed));
      results.add(row("redis", 100));
    }

    String printed = printed();

    assertTrue(printed.contains(" 1.10  0.90–1.20    1.20"), printed);
    assertTrue(printed.contains("as fast as wanted: 0 of 1, but for get at 16 1.10 of 1.20"));
    assertTrue(printed.contains("p99 no worse: 1 of 1\n"), printed);
    assertTrue(
        page().contains("| get | 110 | 1.10 | 0.90–1.20 | 1.20 | 1.00 / 1.00 | 2.00 / 2.00 |"),
        page());
  }

  @Test
  void promiseDependsOnTheLoad() {
    assertEquals(1.2, new Promise(1, false).ratio("incr", 16).orElseThrow());
    assertEquals(1.0, new Promise(1, false).ratio("sadd", 16).orElseThrow());
    assertEquals(0.95, new Promise(1, false).ratio("incr", 1).orElseThrow());
    assertEquals(1.2, new Promise(2, false).ratio("sadd", 1).orElseThrow());
    assertEquals(1.0, new Promise(1, true).ratio("incr", 1).orElseThrow());
    assertEquals(0.3, new Promise(1, false).ratio("zrank", 16).orElseThrow());
    assertTrue(new Promise(1, false).ratio("mix_cache", 4).isEmpty());
  }

  private String printed() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    table.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private String page() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    table.writeMarkdown(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void middleOfAnEvenNumberIsBetweenTheTwo() {
    assertEquals(2.5, Row.middle(List.of(4.0, 1.0, 3.0, 2.0)));
  }

  private static List<Double> array(Path file, String name) throws IOException {
    List<Double> found = new ArrayList<>();
    try (JsonParser json = new JsonFactory().createParser(file.toFile())) {
      while (json.nextToken() != null) {
        if (json.currentToken() == JsonToken.FIELD_NAME && json.currentName().equals(name)) {
          json.nextToken();
          while (json.nextToken() != JsonToken.END_ARRAY) {
            found.add(json.getDoubleValue());
          }
        }
      }
    }
    return found;
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
