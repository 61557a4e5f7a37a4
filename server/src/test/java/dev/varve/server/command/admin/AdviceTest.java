package dev.varve.server.command.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.observe.LatencyEvents;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What LATENCY DOCTOR and MEMORY DOCTOR say. */
class AdviceTest {
  private static LatencyEvents.Series series(String event) {
    return new LatencyEvents.Series(
        event, List.of(new LatencyEvents.Sample(100, 20), new LatencyEvents.Sample(109, 40)), 70);
  }

  @Test
  void slowEventsAreCountedAndExplained() {
    String text =
        LatencyAdvice.of(List.of(series("command"), series("fast-command")), true, 0, 0, 0);
    for (String event : List.of("command", "fast-command")) {
      String line =
          event + ": slow in 2 of the last 10 seconds, for 30 ms on average and 70 ms at most.";
      assertTrue(text.lines().toList().contains(line), text);
    }
    assertTrue(text.contains("SLOWLOG GET"), text);
    assertTrue(text.contains("-Xlog:gc"), text);
  }

  @Test
  void latencyDoctorTellsNothingFromOff() {
    assertTrue(LatencyAdvice.of(List.of(), false, 0, 0, 0).startsWith("Nothing is noted: "));
    assertTrue(LatencyAdvice.of(List.of(), true, 0, 0, 0).startsWith("Nothing has taken "));
    String heldUp = LatencyAdvice.of(List.of(), true, 3, 3, 250);
    assertTrue(heldUp.contains("3 times, for 250 ms at most"), heldUp);
    assertFalse(heldUp.contains("processor"), heldUp);
    String starved = LatencyAdvice.of(List.of(), true, 3, 1, 250);
    assertTrue(starved.contains("For want of a processor alone: 2 times."), starved);
  }

  @Test
  void memoryDoctorWarnsOfAFullHeap() {
    Map<String, Long> parts = Map.of("memtable", 5L << 20, "block_cache", 9L << 20);
    String healthy = MemoryAdvice.of(new MemoryUse(100L << 20, 500L << 20, 1000L << 20, parts));
    assertEquals(
        """
        Of the heap 100 of 1000 MiB are used, garbage included; outside of it 14 MiB, most of it by\
         block_cache (9 MiB).
        There is nothing to do: data lies on disk, and caches keep to their limits.
        """,
        healthy);
    String full = MemoryAdvice.of(new MemoryUse(950L << 20, 1000L << 20, 1000L << 20, Map.of()));
    assertTrue(full.startsWith("Of the heap 950 of 1000 MiB are used"), full);
    assertTrue(full.contains("-Xmx"), full);
  }
}
