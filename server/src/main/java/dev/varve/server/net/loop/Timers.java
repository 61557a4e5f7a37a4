package dev.varve.server.net.loop;

/** Runs things later. Any thread. */
@FunctionalInterface
public interface Timers {

  /** Runs {@code task} once, in {@code delayMillis} ms (at least 1), on some event loop. */
  void after(long delayMillis, Runnable task);
}
