package dev.varve.server.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
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
    times.forget();
    assertEquals(4, times.next().getEpochSecond());
  }
}
