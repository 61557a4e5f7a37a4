package dev.varve.server.net.background;

import dev.varve.server.engine.BackgroundWork;
import dev.varve.server.net.loop.Timers;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one kind of background work on a worker of its own, piece after piece while there is any.
 *
 * <p>Any thread wakes it.
 */
final class BackgroundWorker {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundWorker.class);

  /** The pause after a failure: a full disk is looked at again this soon. */
  private static final long RETRY_MILLIS = 500;

  private final BackgroundWork work;
  private final Executor worker;
  private final Timers timers;
  private final AtomicBoolean isAwake = new AtomicBoolean();
  private final AtomicBoolean isRetrySet = new AtomicBoolean();
  private String lastFailure = "";
  private volatile boolean isStopped;

  /**
   * @param worker runs a task that may block, one after the other
   */
  BackgroundWorker(BackgroundWork work, Executor worker, Timers timers) {
    this.work = work;
    this.worker = worker;
    this.timers = timers;
  }

  /** There may be something to do. */
  void wake() {
    if (!isStopped && isAwake.compareAndSet(false, true)) {
      try {
        worker.execute(this::run);
      } catch (RuntimeException | OutOfMemoryError failure) {
        // Or nobody would wake it any more.
        isAwake.set(false);
        throw failure;
      }
    }
  }

  /** Begins no more of it; done when what is under way has ended. Before the worker goes. */
  Future<?> stop() {
    isStopped = true;
    return Future.future(promise -> worker.execute(promise::complete));
  }

  private void run() {
    if (isStopped) {
      return;
    }
    // Cleared first: a wake during the work leads to another look.
    isAwake.set(false);
    try {
      if (work.runOnce()) {
        wake();
      }
      lastFailure = "";
    } catch (IOException | RuntimeException | OutOfMemoryError failure) {
      if (!lastFailure.equals(failure.toString())) {
        lastFailure = failure.toString();
        LOG.error("{} failed: {}", work.name(), lastFailure);
      }
      // Others wake it meanwhile, and it fails again: one timer is enough for all of that.
      if (isRetrySet.compareAndSet(false, true)) {
        timers.after(RETRY_MILLIS, this::retry);
      }
    }
  }

  private void retry() {
    // Cleared first: the run that follows may fail too.
    isRetrySet.set(false);
    wake();
  }
}
