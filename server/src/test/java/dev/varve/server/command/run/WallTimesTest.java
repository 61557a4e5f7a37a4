package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class WallTimesTest {
  private long now;
  private final WallTimes times = new WallTimes(() -> Instant.ofEpochSecond(++now));

  @Test
  void aSecondRunIsToldWhatTheFirstWasAndThenGoesOn() {
    assertEquals(1, times.next().getEpochSecond());
    assertEquals(2, times.next().getEpochSecond());
    times.rewind();
    assertEquals(1, times.next().getEpochSecond());
    assertEquals(2, times.next().getEpochSecond());
    assertEquals(3, times.next().getEpochSecond());
    times.begin(List.of());
    assertEquals(4, times.next().getEpochSecond());
  }

  @Test
  void aRunAfterAColdBlockIsToldTheFirstOfThem() {
    assertEquals(1, times.nextOfMany().getEpochSecond());
    assertEquals(2, times.nextOfMany().getEpochSecond());
    List<Instant> told = times.told();
    times.begin(List.of());
    assertEquals(3, times.nextOfMany().getEpochSecond());
    times.begin(told);
    assertEquals(1, times.nextOfMany().getEpochSecond());
    assertEquals(2, times.nextOfMany().getEpochSecond());
    for (int i = 4; i < 1000; i++) {
      assertEquals(i, times.nextOfMany().getEpochSecond());
    }
    assertEquals(64, times.told().size());
  }
}
