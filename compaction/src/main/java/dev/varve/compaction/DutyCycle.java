package dev.varve.compaction;

import java.util.concurrent.TimeUnit;

/**
 * Lets background work rest after it has worked, for as long as the machine's processors are taken:
 * what serves clients comes first. While there are processors to spare nothing rests.
 *
 * <p>For the one thread that works.
 */
public final class DutyCycle {
  /*
   * A thread that merges takes as much of a processor as one that serves. Java's priorities mean nothing
   * to the scheduler as it comes, so that resting is all that one can do for the other.
   */

  /** From this load on, as a share of all processors, work rests. */
  static final double LOAD_RISING = 0.4;

  /** From this load on it rests longest. */
  static final double LOAD_FULL = 0.6;

  /** So many times as long as it has worked. */
  static final int REST_MAX = 3;

  /** More than this between two steps is not work, but waiting for some. */
  private static final long STEP_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(20);

  /** Less than this is left for the next step: a shorter sleep costs more than it gives. */
  private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final WorkTime time;
  private long sinceNanos;
  private long owedNanos;

  /** The first step begins now. */
  public DutyCycle(WorkTime time) {
    this.time = time;
    goOn();
  }

  /** A step is done; sleeps if that is due. Nobody waits for the work. */
  public void step() {
    long rest = rest(time.nanoClock().getAsLong(), 0);
    if (rest > 0) {
      time.sleeper().sleep(rest);
    }
    goOn();
  }

  /**
   * A step is done: how long to sleep before the next one, which {@link #goOn} begins.
   *
   * @param hurry from 0, nobody waits for the work, to 1, it must not rest
   */
  long rest(long nowNanos, double hurry) {
    long worked = Math.min(STEP_NANOS_MAX, nowNanos - sinceNanos);
    double taken = (time.load().getAsDouble() - LOAD_RISING) / (LOAD_FULL - LOAD_RISING);
    owedNanos += (long) (worked * REST_MAX * share(taken) * share(1 - hurry));
    if (owedNanos < NAP_NANOS) {
      return 0;
    }
    long rest = owedNanos;
    owedNanos = 0;
    return rest;
  }

  /** The next step begins. */
  void goOn() {
    sinceNanos = time.nanoClock().getAsLong();
  }

  private static double share(double value) {
    return Math.max(0, Math.min(1, value));
  }
}
