package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PacerTest {
  private static final Pace PACE = new Pace(1_000_000, 10_000_000);

  private final FakeClock clock = new FakeClock();
  private double pressure;
  private final Pacer pacer = new Pacer(PACE, () -> pressure, clock, clock);

  @Test
  void writesNoFasterThanThePaceAllows() {
    long start = clock.getAsLong();
    for (int i = 0; i < 500; i++) {
      pacer.charge(10_000);
    }
    double seconds = (clock.getAsLong() - start) / 1e9;

    assertEquals(5.0, seconds, 0.1);
    assertTrue(pacer.sleptMillis() > 4_800);
  }

  @Test
  void speedsUpAsCompactionFallsBehind() {
    assertEquals(1_000_000, PACE.at(0));
    assertEquals(1_000_000, PACE.at(1));
    assertEquals(5_500_000, PACE.at(2));
    assertEquals(10_000_000, PACE.at(3));
    assertEquals(10_000_000, PACE.at(9));
  }

  @Test
  void timeSpentElsewhereCountsOnlyAsASmallBurst() {
    clock.advanceMillis(60_000);
    long start = clock.getAsLong();
    for (int i = 0; i < 100; i++) {
      pacer.charge(10_000);
    }
    double seconds = (clock.getAsLong() - start) / 1e9;

    assertEquals(0.99, seconds, 0.03);
  }

  @Test
  void slowWritersAreNotHeldBack() {
    for (int i = 0; i < 100; i++) {
      clock.advanceMillis(20);
      pacer.charge(10_000);
    }

    assertEquals(0, pacer.sleptMillis());
  }

  @Test
  void aLargeChargeIsPaidInSlicesAtTheRateOfThen() {
    long start = clock.getAsLong();
    pacer.charge(1_000_000);
    assertTrue(clock.getAsLong() - start <= 100_000_000, "one slice at most");
    for (int i = 0; i < 20; i++) {
      pacer.charge(1);
    }
    assertEquals(1.0, (clock.getAsLong() - start) / 1e9, 0.06);
  }
}
