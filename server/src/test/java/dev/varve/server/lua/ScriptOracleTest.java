package dev.varve.server.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.RedisOracle;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Scripts that probe the language and its libraries: each gives what redis-server gives, to the
 * byte.
 */
class ScriptOracleTest {
  private static final int PROBES_MIN = 300;

  @TempDir Path directory;

  /** The scripts of a file, one after the other, with a line of dashes between them. */
  static List<String> probes(String name) throws IOException {
    try (InputStream in = ScriptOracleTest.class.getResourceAsStream("/lua/" + name)) {
      if (in == null) {
        throw new IOException("no such file of probes: " + name);
      }
      String all = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
      return List.of(all.split("\n----\n"));
    }
  }

  @Test
  void probesOfTheLanguageGiveWhatRedisGives() throws IOException, InterruptedException {
    List<String> probes = new ArrayList<>(probes("language.txt"));
    probes.addAll(probes("libraries.txt"));
    List<String> differences = new ArrayList<>();
    try (RedisOracle oracle = RedisOracle.start(directory)) {
      for (String probe : probes) {
        String wanted = oracle.run("EVAL", probe, "0");
        String got = new ScriptTester().eval(probe);
        if (!wanted.equals(got)) {
          differences.add(probe + "\n  redis: " + wanted + "  here:  " + got);
        }
      }
    }
    assertEquals(List.of(), differences, () -> String.join("\n", differences));
    assertTrue(probes.size() >= PROBES_MIN, "only " + probes.size() + " probes");
  }
}
