package dev.varve.perf.engine;

import dev.varve.compaction.CompactionOptions;
import dev.varve.compaction.Compactor;
import dev.varve.compaction.Pace;
import dev.varve.compaction.Pacer;
import dev.varve.compaction.TreeTableStore;
import dev.varve.compaction.WorkTime;
import dev.varve.lsm.LsmTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** One thread that flushes and one that compacts, woken when there may be work. */
final class TreeThreads implements AutoCloseable {
  private interface Work {
    boolean runOnce() throws IOException;
  }

  private static final long LOOK_AGAIN_MILLIS = 200;
  private static final long MEASURED_MILLIS = 1_500;

  private final LsmTree tree;
  private final Compactor compactor;
  private final Worker flusher;
  private final Worker merger;

  TreeThreads(LsmTree tree, DeadPairs dead, CompactionOptions options) {
    this.tree = tree;
    this.compactor =
        new Compactor(
            new TreeTableStore(tree),
            dead,
            dead,
            options,
            Pace.UNLIMITED,
            WorkTime.alone(System::nanoTime, Pacer.Sleeper.PARKING));
    this.flusher = new Worker("flush", tree::maintain);
    this.merger = new Worker("compaction", compactor::runOnce);
  }

  void wake() {
    flusher.wake();
    merger.wake();
  }

  /** Waits until neither thread finds anything to do. */
  void awaitQuiet() {
    int quiet = 0;
    while (quiet < 3) {
      wake();
      sleep(100);
      boolean busy = flusher.isBusy() || merger.isBusy() || tree.stats().immutableMemtables() > 0;
      quiet = busy ? 0 : quiet + 1;
    }
  }

  /** Whether the writer should rotate although the memtable is not full. */
  boolean wantsFlush() {
    return compactor.wantsFlush();
  }

  /** Rewrites all tables to the deepest level. */
  void compactFully() throws IOException {
    // What died is measured once a second; only what was measured is asked to leave.
    sleep(MEASURED_MILLIS);
    CompletableFuture<Void> done = compactor.compactRange(null, null).toCompletableFuture();
    merger.wake();
    try {
      done.join();
    } catch (CompletionException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    compactor.stop();
    merger.end();
    flusher.end();
  }

  private static void sleep(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static final class Worker {
    private final Semaphore wakes = new Semaphore(0);
    private final Work work;
    private final Thread thread;
    private volatile boolean ended;
    private volatile boolean busy;

    Worker(String name, Work work) {
      this.work = work;
      this.thread = new Thread(this::run, "varve-" + name);
      thread.setDaemon(true);
      thread.start();
    }

    void wake() {
      wakes.release();
    }

    boolean isBusy() {
      return busy || wakes.availablePermits() > 0;
    }

    private void run() {
      while (!ended) {
        try {
          if (wakes.tryAcquire(LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS)) {
            busy = true;
            wakes.drainPermits();
          }
          while (!ended && work.runOnce()) {
            busy = true;
          }
          busy = false;
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
          return;
        }
      }
    }

    void end() {
      ended = true;
      wake();
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
