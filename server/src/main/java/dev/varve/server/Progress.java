package dev.varve.server;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Tells now and then how far something is that takes long. On one thread. */
final class Progress {
  private static final long TOLD_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final PrintStream out;
  private final long startNanos = System.nanoTime();
  private long nextNanos = startNanos + TOLD_NANOS;

  Progress(PrintStream out) {
    this.out = out;
  }

  /** Tells that, if the last time was long ago. */
  void tell(Supplier<String> what) {
    long now = System.nanoTime();
    if (now - nextNanos > 0) {
      nextNanos = now + TOLD_NANOS;
      out.println(what.get());
      out.flush();
    }
  }

  /** How long it has taken by now. */
  double seconds() {
    return (System.nanoTime() - startNanos) / (double) TimeUnit.SECONDS.toNanos(1);
  }
}
