package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Golden scenarios: a shape, {@code ----}, the plan. {@code -Dgolden.rewrite=true} writes what the
 * picker says now into the files.
 */
class CompactionPickerTest {

  @ParameterizedTest
  @ValueSource(strings = {"level-zero", "levels", "reclaim", "requests", "busy"})
  void choosesThePlanOfEachScenario(String name) throws IOException {
    String resource = "picker-" + name + ".txt";
    String expected = read(resource);
    String actual = answered(expected);
    if (Boolean.getBoolean("golden.rewrite")) {
      Files.writeString(
          Path.of("src/test/resources/dev/varve/compaction", resource),
          actual,
          StandardCharsets.UTF_8);
      return;
    }
    assertEquals(expected, actual);
  }

  private static String read(String resource) throws IOException {
    try (InputStream in = CompactionPickerTest.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** The file with each answer replaced by the picker's. */
  private static String answered(String text) {
    StringBuilder out = new StringBuilder();
    for (String block : text.split("\n\n")) {
      List<String> facts = new ArrayList<>();
      for (String line : block.strip().split("\n")) {
        if (line.equals("----")) {
          break;
        }
        out.append(line).append('\n');
        if (!line.startsWith("#")) {
          facts.add(line);
        }
      }
      out.append("----\n").append(PickerScenario.pick(facts)).append("\n\n");
    }
    return out.toString().strip() + "\n";
  }
}
