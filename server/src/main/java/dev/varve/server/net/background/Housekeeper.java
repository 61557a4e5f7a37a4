package dev.varve.server.net.background;

import dev.varve.codec.Garbage;
import dev.varve.codec.GarbageRecord;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.net.loop.Timers;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the keyspace loop does for the engine between the commands, ten times a second: upkeep, and
 * the retirement of garbage records that have done their work.
 */
public final class Housekeeper {
  private static final Logger LOG = LoggerFactory.getLogger(Housekeeper.class);

  private static final long PERIOD_MILLIS = 100;
  private static final long WRITTEN_MILLIS_MAX = 3_000;
  private static final long LOOK_MILLIS = 10;

  private final Keyspace keyspace;
  private final Executor loop;
  private final Executor worker;
  private final Timers timers;
  private final LongSupplier clock;
  private volatile boolean stopped;

  /** Whether records are on their way through {@link #read} and {@link #retire}. */
  private volatile boolean isRetiring;

  /**
   * @param loop runs a task on the keyspace loop
   * @param worker runs a task that may block
   * @param clock ms since 1970
   */
  public Housekeeper(
      Keyspace keyspace, Executor loop, Executor worker, Timers timers, LongSupplier clock) {
    this.keyspace = keyspace;
    this.loop = loop;
    this.worker = worker;
    this.timers = timers;
    this.clock = clock;
  }

  /** Begins, and goes on until {@link #stop}. */
  public void start() {
    timers.after(PERIOD_MILLIS, () -> loop.execute(this::keep));
  }

  public void stop() {
    stopped = true;
  }

  /**
   * Waits a moment, where the disk has not taken what was written, for what takes it after all:
   * without that, power loss may have it still. By a thread that may block, before {@link #stop}.
   */
  public void awaitWritten() throws IOException {
    try {
      for (long millis = 0; isRefused() && millis < WRITTEN_MILLIS_MAX; millis += LOOK_MILLIS) {
        Thread.sleep(LOOK_MILLIS);
      }
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", stopping);
    }
  }

  /** On the keyspace loop. */
  private void keep() {
    if (stopped) {
      return;
    }
    try {
      // What takes long may have read what is published only; writing resumes when it is over.
      if (!(isRefused() && keyspace.longRun().isRunning())) {
        keyspace.upkeep();
        retireSome();
      }
    } catch (RuntimeException | OutOfMemoryError failure) {
      LOG.error("upkeep failed", failure);
    } finally {
      start();
    }
  }

  private boolean isRefused() {
    return !keyspace.takesWrites();
  }

  /** Upkeep does not wait for it: a worker that reads may take long, and others use it too. */
  private void retireSome() {
    if (isRetiring || isRefused()) {
      return;
    }
    List<GarbageRecord> retirable = keyspace.engine().takeRetirableGarbage();
    if (!retirable.isEmpty()) {
      isRetiring = true;
      worker.execute(() -> read(retirable));
    }
  }

  /** On the worker: brings the records into memory. */
  private void read(List<GarbageRecord> retirable) {
    if (stopped) {
      return;
    }
    try {
      StoreView view = keyspace.engine().blockingView();
      try {
        retirable.forEach(record -> view.get(record.storedKey()));
      } catch (RuntimeException | OutOfMemoryError failure) {
        // A view that is forgotten keeps memtables and files for ever.
        view.close();
        throw failure;
      }
      loop.execute(() -> retire(view, retirable));
    } catch (RuntimeException | OutOfMemoryError failure) {
      LOG.error("garbage could not be read: {}", failure.toString());
      isRetiring = false;
    }
  }

  /** On the keyspace loop. */
  private void retire(StoreView view, List<GarbageRecord> retirable) {
    keyspace.engine().useBrought(view);
    try {
      // While a worker has the right to write they are left; they will be handed out again.
      if (!stopped && !isRefused() && !keyspace.longRun().isRunning()) {
        keyspace.run(
            clock.getAsLong(),
            transaction -> retirable.forEach(record -> Garbage.retire(transaction, record)));
      }
    } catch (ColdBlockSignal cold) {
      // They will be handed out again.
      LOG.debug("garbage records have become cold");
    } catch (RuntimeException | OutOfMemoryError failure) {
      LOG.error("garbage could not be retired: {}", failure.toString());
    } finally {
      keyspace.engine().useBrought(null);
      view.close();
      isRetiring = false;
    }
  }
}
