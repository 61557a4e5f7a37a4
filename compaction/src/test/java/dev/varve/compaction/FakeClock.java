package dev.varve.compaction;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A clock that a test moves; sleeping moves it too. */
final class FakeClock implements LongSupplier, Pacer.Sleeper {
  private long nanos = 1;
  private long sleptNanos;

  @Override
  public synchronized long getAsLong() {
    return nanos;
  }

  @Override
  public synchronized void sleep(long nanosToSleep) {
    nanos += nanosToSleep;
    sleptNanos += nanosToSleep;
  }

  /** How long all have slept. */
  synchronized long sleptMillis() {
    return TimeUnit.NANOSECONDS.toMillis(sleptNanos);
  }

  synchronized void advanceMillis(long millis) {
    nanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
