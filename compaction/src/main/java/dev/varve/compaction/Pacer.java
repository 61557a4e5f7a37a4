package dev.varve.compaction;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

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

  private final Pace pace;
  private final DoubleSupplier pressure;
  private final LongSupplier nanoClock;
  private final Sleeper sleeper;
  private final TokenBucket bucket;
  private long sleptNanos;

  /**
   * @param pressure how far compaction is behind, see {@link CompactionPicker#pressure}
   * @param nanoClock as {@link System#nanoTime}
   */
  public Pacer(Pace pace, DoubleSupplier pressure, LongSupplier nanoClock, Sleeper sleeper) {
    this.pace = pace;
    this.pressure = pressure;
    this.nanoClock = nanoClock;
    this.sleeper = sleeper;
    this.bucket = new TokenBucket(nanoClock.getAsLong());
  }

  /** A pacer that never waits. */
  public static Pacer unlimited() {
    return new Pacer(Pace.UNLIMITED, () -> 0, () -> 0L, nanos -> {});
  }

  /** Says that a pass wrote so many bytes; returns when it may go on. */
  public void charge(long bytes) {
    long wait;
    synchronized (this) {
      wait = bucket.spend(bytes, pace.at(pressure.getAsDouble()), nanoClock.getAsLong());
      // What a slice does not pay off is still owed at the next charge, at the rate of then.
      wait = wait < NAP_NANOS ? 0 : Math.min(wait, SLICE_NANOS);
      sleptNanos += wait;
    }
    if (wait > 0) {
      sleeper.sleep(wait);
    }
  }

  /** How long passes have been held back so far. */
  public synchronized long sleptMillis() {
    return TimeUnit.NANOSECONDS.toMillis(sleptNanos);
  }
}
