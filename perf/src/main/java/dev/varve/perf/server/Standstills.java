package dev.varve.perf.server;

import dev.varve.wal.ProcessorWait;
import java.io.Closeable;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * How often the machine stands still while something is measured: a thread sleeps a millisecond
 * again and again, and counts when it wakes far too late without having waited for a processor.
 *
 * <p>A virtual machine stops when its host has other work, or has given it all the processor time
 * that it is due; nothing on it knows. What is measured then is late, whoever is measured. A
 * collection of this process counts as well. Figures: any thread.
 */
public final class Standstills implements Closeable {

  /** Waking later than this counts: what an event loop may be busy for. */
  private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final long beganNanos = System.nanoTime();
  private volatile boolean isEnded;
  private volatile int count;
  private volatile long sumNanos;
  private volatile long longestNanos;

  /** Begins to look. */
  public Standstills() {
    Thread thread = new Thread(this::look, "standstills");
    thread.setDaemon(true);
    thread.start();
  }

  private void look() {
    try (ProcessorWait wait = ProcessorWait.ofThisThread()) {
      while (!isEnded) {
        look(wait);
      }
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  private void look(@Nullable ProcessorWait wait) {
    if (wait != null) {
      wait.noteAfter(0);
    }
    long due = System.nanoTime() + SLEEP_NANOS;
    LockSupport.parkNanos(SLEEP_NANOS);
    long late = wait == null ? System.nanoTime() - due : wait.ownNanosSince(due);
    if (late >= LIMIT_NANOS) {
      count++;
      sumNanos += late;
      longestNanos = Math.max(longestNanos, late);
    }
  }

  /** Looks no more. */
  @Override
  public void close() {
    isEnded = true;
  }

  /** One line, of the time until now. */
  public void print(PrintStream out) {
    double seconds = (System.nanoTime() - beganNanos) / 1e9;
    out.printf(
        Locale.ROOT,
        "  the machine stood still for 5 ms and more %d times in %.0f s, %.1f %% of the time, at most"
            + " %.0f ms%n",
        count,
        seconds,
        sumNanos / 1e7 / seconds,
        longestNanos / 1e6);
  }
}
