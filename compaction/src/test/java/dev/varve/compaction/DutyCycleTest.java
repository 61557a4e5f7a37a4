package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class DutyCycleTest {
  private static final int STEPS = 100;

  private final FakeClock clock = new FakeClock();
  private double load;
  private final DutyCycle duty = new DutyCycle(new WorkTime(clock, () -> load, clock));

  /** How long as many milliseconds of work take. */
  private long worked(int stepMillis) {
    long from = clock.getAsLong();
    for (int i = 0; i < STEPS; i++) {
      clock.advanceMillis(stepMillis);
      duty.step();
    }
    return (clock.getAsLong() - from) / 1_000_000;
  }

  @Test
  void nothingRestsWhileThereAreProcessorsToSpare() {
    load = DutyCycle.LOAD_RISING;
    assertEquals(STEPS, worked(1));
  }

  @Test
  void workTakesAQuarterOfTheTimeWhereProcessorsAreTaken() {
    load = 1;
    assertEquals(4 * STEPS, worked(1));
    load = (DutyCycle.LOAD_RISING + DutyCycle.LOAD_FULL) / 2;
    assertEquals(2.5 * STEPS, worked(1), 1.5);
  }

  @Test
  void waitingForWorkIsNotWork() {
    load = 1;
    clock.advanceMillis(60_000);
    long from = clock.getAsLong();
    duty.step();
    assertEquals(60, (clock.getAsLong() - from) / 1_000_000);
  }

  @Test
  void whatIsWaitedForDoesNotRest() {
    load = 1;
    for (double hurry : new double[] {0, 0.5, 1}) {
      clock.advanceMillis(2);
      long rest = duty.rest(clock.getAsLong(), hurry);
      assertEquals((long) (6_000_000 * (1 - hurry)), rest, 1);
      duty.goOn();
    }
  }

  @Test
  void shortRestsAreGatheredUp() {
    load = 1;
    int sleeps = 0;
    for (int i = 0; i < 100; i++) {
      clock.sleep(100_000);
      sleeps += duty.rest(clock.getAsLong(), 0) > 0 ? 1 : 0;
      duty.goOn();
    }
    assertEquals(25, sleeps);
  }
}
