package dev.varve.server.command.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.observe.LatencyEvents;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LatencyGraphTest {
  private static final long BEGIN_SECONDS = 1_700_000_000L;

  private static LatencyEvents.Series series(long maxMillis, long... millis) {
    List<LatencyEvents.Sample> samples =
        LongStream.range(0, millis.length)
            .mapToObj(i -> new LatencyEvents.Sample(BEGIN_SECONDS + i, millis[(int) i]))
            .toList();
    return new LatencyEvents.Series("command", samples, maxMillis);
  }

  @Test
  void barsAreAsHighAsTheirTime() {
    assertEquals(
        """
        command: at most 900 ms since it is noted

        160 ms |    #
               |   ##
               |   ##
               |   ##
               |  ###
               |  ###
               | .###
          0 ms | ####
               +-----
        2023-11-14T22:13:20Z to 2023-11-14T22:13:23Z
        """,
        LatencyGraph.of(series(900, 30, 80, 140, 160)));
  }

  @Test
  void oneSampleIsOneBar() {
    String graph = LatencyGraph.of(series(1, 1));
    assertTrue(graph.contains("1 ms | #\n"), graph);
    assertTrue(graph.contains("0 ms | #\n"), graph);
  }

  @Test
  void onlyTheNewestFit() {
    long[] millis = LongStream.rangeClosed(1, 160).map(i -> 161 - i).toArray();
    String graph = LatencyGraph.of(series(160, millis));
    assertTrue(graph.contains("\n64 ms | #"), graph);
    assertEquals(
        8 + LatencyGraph.BARS_MAX,
        graph.lines().mapToInt(String::length).skip(2).limit(8).max().orElseThrow());
  }
}
