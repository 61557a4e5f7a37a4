package dev.varve.server.command.run;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * How long a read may hold a thread that others need too, before it is ended and begins again where
 * it holds up nobody.
 *
 * <p>Any thread.
 */
public final class LongReads {
  /**
   * Of a worker, of which there are dozens, and which may wait for a disk meanwhile: fewer begin
   * again at a time.
   */
  private static final long WORKER_MILLIS_MAX = 1_000;

  private volatile long loopNanosMax = Long.MAX_VALUE;
  private volatile long workerNanosMax = Long.MAX_VALUE;
  private final LongAdder left = new LongAdder();

  /**
   * From now on reads that take long leave the event loops, and the workers; before, they never do.
   *
   * @param millis how long one may hold a loop; 0: as long as it likes
   */
  public void thresholdMillis(long millis) {
    long loopMillis = millis > 0 ? millis : Long.MAX_VALUE;
    loopNanosMax = TimeUnit.MILLISECONDS.toNanos(loopMillis);
    workerNanosMax = TimeUnit.MILLISECONDS.toNanos(Math.max(loopMillis, WORKER_MILLIS_MAX));
  }

  /** From now on they leave as soon as it is looked how long they take: for tests. */
  public void leaveAtFirstLook() {
    loopNanosMax = 0;
    workerNanosMax = 0;
  }

  /** From now on they leave when they have taken so many steps: for tests. */
  public void leaveAfterSteps(int count) {
    loopNanosMax = RunTime.steps(count);
    workerNanosMax = RunTime.steps(count);
  }

  /** One was ended, to begin again elsewhere. */
  void left() {
    left.increment();
  }

  /** How many were. */
  public long count() {
    return left.sum();
  }

  /** For which time, in ns, a read may hold the thread of an executor in this role. */
  long nanosMax(Role role) {
    return role == Role.WORKER ? workerNanosMax : loopNanosMax;
  }
}
