package dev.varve.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Threads of a test, which are over when they are told so, or when one of them fails.
 *
 * <p>Belongs to one thread, but for {@link #isOver}.
 */
public final class TestThreads {
  /** What one of them does. */
  public interface Work {
    void run() throws Exception;
  }

  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean isOver;

  public void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (Throwable its) {
                failure.compareAndSet(null, its);
                isOver = true;
              }
            });
    threads.add(thread);
    thread.start();
  }

  /** Whether there is nothing more to do. Any thread. */
  public boolean isOver() {
    return isOver;
  }

  /** From now on there is nothing more to do. */
  public void over() {
    isOver = true;
  }

  /** Waits until all have ended; fails if one of them did. */
  public void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
    Throwable its = failure.get();
    if (its != null) {
      throw new AssertionError(its);
    }
  }
}
