package dev.varve.compaction;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;

/**
 * Holds passes back to a {@link Pace}, all of them together. Safe for use by several threads;
 * {@link #charge} puts its caller to sleep.
 */
public final class Pacer {

  /** Waits; must not be cut short by interrupting, which would close files. */
  @FunctionalInterface
  public interface Sleeper {
    Sleeper PARKING = LockSupport::parkNanos;

    void sleep(long nanos);
  }

  /** The pressure is looked at again after so long. */
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Less than this is left for the next charge: a shorter sleep costs more than it holds back. */
  private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** From this pressure on passes rest less than they might, at twice of it not at all. */
  private static final double PRESSURE_HURRYING = 1;

  private final Pace pace;
  private final DoubleSupplier pressure;
  private final WorkTime time;
  private final TokenBucket bucket;

  /**
   * @param pressure how far compaction is behind, see {@link CompactionPicker#pressure}
   */
  public Pacer(Pace pace, DoubleSupplier pressure, WorkTime time) {
    this.pace = pace;
    this.pressure = pressure;
    this.time = time;
    this.bucket = new TokenBucket(time.nanoClock().getAsLong());
  }

  /** For a pass that begins now. */
  DutyCycle begin() {
    return new DutyCycle(time);
  }

  /**
   * Says that a pass wrote so many bytes; returns when it may go on.
   *
   * @param duty from {@link #begin}
   */
  void charge(long bytes, DutyCycle duty) {
    long wait;
    synchronized (this) {
      double behind = pressure.getAsDouble();
      long now = time.nanoClock().getAsLong();
      wait = bucket.spend(bytes, pace.at(behind), now);
      // What a slice does not pay off is still owed at the next charge, at the rate of then.
      wait = wait < NAP_NANOS ? 0 : Math.min(wait, SLICE_NANOS);
      wait = Math.max(wait, duty.rest(now, behind / PRESSURE_HURRYING - 1));
    }
    if (wait > 0) {
      time.sleeper().sleep(wait);
    }
    duty.goOn();
  }
}
