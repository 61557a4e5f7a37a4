package dev.varve.perf.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchmarkToolTest {
  private static final String HEAD =
      "\"test\",\"rps\",\"avg_latency_ms\",\"min_latency_ms\",\"p50_latency_ms\","
          + "\"p95_latency_ms\",\"p99_latency_ms\",\"max_latency_ms\"";

  @Test
  void readsSpeedAndLatenciesOfTheLastTest() throws IOException {
    BenchmarkTool.Run run =
        BenchmarkTool.parse(
            List.of(
                HEAD,
                "\"SET a:__rand_int__ v\",\"9090.91\",\"5.0\",\"0.1\",\"0.8\",\"29.3\",\"56.0\",\"57.1\""));

    assertEquals(new BenchmarkTool.Run(9090.91, 0.8, 56.0), run);
  }

  @Test
  void commandWithCommasAndQuotesDoesNotShiftColumns() throws IOException {
    BenchmarkTool.Run run =
        BenchmarkTool.parse(
            List.of(HEAD, "\"SET \"a\",\"b\" x\",\"10\",\"1\",\"2\",\"3\",\"4\",\"5\",\"6\""));

    assertEquals(new BenchmarkTool.Run(10, 3, 5), run);
  }

  @Test
  void errorOfTheServerIsToldInFull() {
    IOException told =
        assertThrows(
            IOException.class,
            () -> BenchmarkTool.parse(List.of(HEAD, "Error from server: ERR syntax error")));

    assertTrue(told.toString().contains("ERR syntax error"));
  }
}
