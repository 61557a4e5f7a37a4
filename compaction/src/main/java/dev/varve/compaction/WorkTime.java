package dev.varve.compaction;

import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * The time that background work takes, and what it has to leave for others. Given by the caller, so
 * that tests can let it pass.
 *
 * @param nanoClock as {@link System#nanoTime}
 * @param load the share of the machine's processors that is in use, 0 to 1
 * @param sleeper waits
 */
public record WorkTime(LongSupplier nanoClock, DoubleSupplier load, Pacer.Sleeper sleeper) {

  /** Of a machine that nobody else uses. */
  public static WorkTime alone(LongSupplier nanoClock, Pacer.Sleeper sleeper) {
    return new WorkTime(nanoClock, () -> 0, sleeper);
  }
}
