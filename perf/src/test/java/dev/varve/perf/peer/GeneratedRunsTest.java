package dev.varve.perf.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.redis.client.Request;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A load that does not end is a failure, not a wait. */
@Timeout(60)
class GeneratedRunsTest {
  private static final int CONNECTIONS = 3;
  private static final int WINDOW = 4;

  private static Workload workload(String name) {
    return Workload.all(Workload.VALUE_BYTES).stream()
        .filter(each -> each.name().equals(name))
        .findAny()
        .orElseThrow();
  }

  @Test
  void allPeersGetTheSameNumberOfSteps() throws IOException {
    try (CountingServer one = new CountingServer("+OK\r\n");
        CountingServer other = new CountingServer("+OK\r\n")) {
      List<Row> rows = new ArrayList<>();
      // No multiple of what is under way at once.
      new GeneratedRuns(List.of(one.peer(), other.peer()), CONNECTIONS, WINDOW)
          .counted(101, "set", workload("set").steps(10), rows::add);

      assertEquals(101 + 51, one.count("SET"));
      assertEquals(101 + 51, other.count("SET"));
      assertEquals(2, rows.size());
      for (Row row : rows) {
        assertEquals(WINDOW, row.pipeline());
        assertTrue(row.operationsPerSecond() > 0);
        assertTrue(row.p50Millis() <= row.p99Millis() && row.p99Millis() <= row.p999Millis());
      }
    }
  }

  @Test
  void openLoadHasALatencyForEachStep() throws IOException {
    try (CountingServer server = new CountingServer("+OK\r\n");
        GeneratedLoad load = new GeneratedLoad(server.peer(), CONNECTIONS)) {
      Histogram nanos = load.paceSome(workload("get").steps(10), WINDOW, 5_000, 250);

      assertEquals(250, nanos.getTotalCount());
      assertEquals(250, server.count("GET"));
    }
  }

  @Test
  void openLoadOfLessThanAStepEnds() throws IOException {
    try (CountingServer server = new CountingServer("+OK\r\n");
        GeneratedLoad load = new GeneratedLoad(server.peer(), CONNECTIONS)) {
      assertEquals(1, load.pace(workload("get").steps(10), WINDOW, 0.1, 1).getTotalCount());
    }
  }

  @Test
  void errorReplyEndsTheLoad() throws IOException {
    try (CountingServer server = new CountingServer("-ERR no such thing\r\n");
        GeneratedLoad load = new GeneratedLoad(server.peer(), CONNECTIONS)) {
      IOException failure =
          assertThrows(
              IOException.class, () -> load.repeat(workload("get").steps(10), WINDOW, 1_000));

      assertTrue(String.valueOf(failure.getCause()).contains("no such thing"), failure.toString());
    }
  }

  @Test
  void numbersInCommandsAreThoseOfRedisBenchmark() {
    Steps steps = workload("zadd").steps(100);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1_000; i++) {
      Request request = steps.next(random).get(0);
      String said = request.toString();
      assertTrue(said.matches("(?s).*zadd.*bench:zset.*0{10}\\d\\d.*member:0{10}\\d\\d.*"), said);
    }
  }
}
