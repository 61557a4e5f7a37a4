package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SequenceClockTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final SequenceClock clock = new SequenceClock(0, 100);

  @Test
  void agesAreAtLeastTheTimeSinceTheSequenceWasSeen() {
    for (int second = 1; second <= 100; second++) {
      clock.tick(second * SECOND, 100 + 10L * second);
    }

    assertEquals(100_000, clock.ageMillis(100, 100 * SECOND));
    assertEquals(50_000, clock.ageMillis(600, 100 * SECOND));
    assertEquals(49_000, clock.ageMillis(601, 100 * SECOND));
    assertEquals(0, clock.ageMillis(5_000, 100 * SECOND));
  }

  @Test
  void agesStayCloseOverALongUptime() {
    long seconds = 100_000;
    for (long second = 1; second <= seconds; second++) {
      clock.tick(second * SECOND, second);
    }

    for (long sequence = 1_000; sequence < seconds; sequence += 1_000) {
      double trueAge = (seconds - sequence) * 1000.0;
      assertEquals(trueAge, clock.ageMillis(sequence, seconds * SECOND), 600_000);
    }
  }

  @Test
  void isQuietOnceHardlyAnythingWasWrittenForASecond() {
    clock.tick(SECOND, 10_000);
    assertFalse(clock.isQuiet(SECOND));
    clock.tick(2 * SECOND, 10_010);
    clock.tick(3 * SECOND, 10_020);
    assertTrue(clock.isQuiet(3 * SECOND));
    clock.tick(4 * SECOND, 20_000);
    assertFalse(clock.isQuiet(4 * SECOND));
  }
}
