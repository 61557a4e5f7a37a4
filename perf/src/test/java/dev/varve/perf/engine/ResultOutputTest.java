package dev.varve.perf.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ResultOutputTest {
  private final Results results = new Results(List.of("varve", "rocksdb", "lmdb"));
  private final Map<String, String> settings = Map.of("java", "17", "note", "a < b & \"c\"");

  @BeforeEach
  void measure() {
    results.add(Measured.of("overwrite", "varve", 300, Map.of(Figure.WRITE_AMPLIFICATION, 2.5)));
    results.add(Measured.of("overwrite", "rocksdb", 200));
    results.add(Measured.of("overwrite", "lmdb", 100));
  }

  private String json() throws IOException {
    StringWriter out = new StringWriter();
    ResultJson.write(out, results, settings);
    return out.toString();
  }

  @Test
  void jsonHasARowForEachWorkloadAndEngine() throws IOException {
    StringBuilder seen = new StringBuilder();
    try (JsonParser parser = new JsonFactory().createParser(json())) {
      while (parser.nextToken() != null) {
        if (parser.currentToken() == JsonToken.VALUE_STRING
            && "engine".equals(parser.currentName())) {
          seen.append(parser.getText()).append(' ');
        }
        if (parser.currentToken().isNumeric() && "ratio_to_rocksdb".equals(parser.currentName())) {
          seen.append(parser.getDoubleValue()).append(' ');
        }
      }
    }
    assertEquals("varve 1.5 rocksdb 1.0 lmdb 0.5 ", seen.toString());
  }

  @Test
  void jsonNamesOffHeapPartsAndFigures() throws IOException {
    String json = json();
    assertTrue(json.contains("\"memtable\" : 64"), json);
    assertTrue(json.contains("\"write_amplification\" : 2.5"), json);
    assertTrue(json.contains("\"ops_per_s\" : 300.0"), json);
    assertTrue(json.contains("\"p99_us\""), json);
  }

  @Test
  void withoutRocksTheRatioIsNull() throws IOException {
    Results alone = new Results(List.of("varve"));
    alone.add(Measured.of("overwrite", "varve", 300));
    StringWriter out = new StringWriter();
    ResultJson.write(out, alone, settings);
    assertTrue(out.toString().contains("\"ratio_to_rocksdb\" : null"), out.toString());
  }

  @Test
  void chartLoadsNothingAndEscapes() {
    String html = ResultChart.html(results, settings);
    assertTrue(html.contains("<svg") && html.contains("</svg>"), html);
    assertTrue(html.contains(">1.50</text>"), html);
    assertTrue(html.contains("a &lt; b &amp;"), html);
    assertFalse(html.contains("<script") || html.contains("src=") || html.contains("@import"));
  }

  @Test
  void chartWithoutRocksComparesWithTheFirst() {
    Results alone = new Results(List.of("varve", "lmdb"));
    alone.add(Measured.of("overwrite", "varve", 100));
    alone.add(Measured.of("overwrite", "lmdb", 50));
    assertTrue(ResultChart.html(alone, settings).contains(">0.50</text>"));
  }

  @Test
  void tableSaysWhichTargetsAreShort() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ResultTable.print(new PrintStream(out, true, StandardCharsets.UTF_8), results, 1);
    String table = out.toString(StandardCharsets.UTF_8);
    assertTrue(table.contains("overwrite over rocksdb"), table);
    assertTrue(table.contains("held"), table);
  }
}
