package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PacerTest {
  private static final Pace PACE = new Pace(1_000_000, 10_000_000);

  private final FakeClock clock = new FakeClock();
  private double pressure;
  private double load;
  private final Pacer pacer =
      new Pacer(PACE, () -> pressure, new WorkTime(clock, () -> load, clock));
  private final DutyCycle duty = pacer.begin();

  @Test
  void writesNoFasterThanThePaceAllows() {
    long start = clock.getAsLong();
    for (int i = 0; i < 500; i++) {
      pacer.charge(10_000, duty);
    }
    double seconds = (clock.getAsLong() - start) / 1e9;

    assertEquals(5.0, seconds, 0.1);
    assertTrue(clock.sleptMillis() > 4_800);
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
      pacer.charge(10_000, duty);
    }
    double seconds = (clock.getAsLong() - start) / 1e9;

    assertEquals(0.99, seconds, 0.03);
  }

  @Test
  void slowWritersAreNotHeldBack() {
    for (int i = 0; i < 100; i++) {
      clock.advanceMillis(20);
      pacer.charge(10_000, duty);
    }

    assertEquals(0, clock.sleptMillis());
  }

  @Test
  void aLargeChargeIsPaidInSlicesAtTheRateOfThen() {
    long start = clock.getAsLong();
    pacer.charge(1_000_000, duty);
    assertTrue(clock.getAsLong() - start <= 100_000_000, "one slice at most");
    for (int i = 0; i < 20; i++) {
      pacer.charge(1, duty);
    }
    assertEquals(1.0, (clock.getAsLong() - start) / 1e9, 0.06);
  }

  @Test
  void passesRestWhereProcessorsAreTakenUnlessCompactionIsBehind() {
    load = 1;
    assertEquals(4.0, tenSlowSteps(), 0.1);
    pressure = 1.5;
    assertEquals(2.5, tenSlowSteps(), 0.1);
    pressure = 2;
    assertEquals(1.0, tenSlowSteps(), 0.1);
  }

  /** How many times as long it takes as the work itself. */
  private double tenSlowSteps() {
    long from = clock.getAsLong();
    for (int i = 0; i < 10; i++) {
      clock.advanceMillis(10);
      pacer.charge(1, duty);
    }
    return (clock.getAsLong() - from) / 100e6;
  }
}
