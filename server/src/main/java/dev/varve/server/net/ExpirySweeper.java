package dev.varve.server.net;

import dev.varve.codec.ExpirySweep;
import dev.varve.codec.Meta;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.server.command.Keyspace;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes keys that have expired: a worker finds them at the front of the expiry keyspace, the
 * keyspace loop deletes them in small batches between the commands.
 *
 * <p>One sweep runs at a time. That an expired key is invisible does not depend on it.
 */
final class ExpirySweeper {
  private static final Logger LOG = LoggerFactory.getLogger(ExpirySweeper.class);

  /** Keys deleted in one task of the keyspace loop: what a command may have to wait for. */
  private static final int BATCH_KEYS_MAX = 128;

  /** Keys found by one look of the worker. */
  private static final int FIND_KEYS_MAX = 2048;

  /** The longest pause between two looks. */
  private static final long PAUSE_MILLIS_MAX = 100;

  /*
   * A look starts where the last one ended, not to walk the tombstones of what was swept. But a write
   * is published some time after it took its clock reading, so it starts a little earlier; and once in
   * a while from the very front, for keys that were written with a moment long past. While there is
   * more to do than one look finds, the next goes on behind the keys of the last: a million keys of
   * one moment must not be walked over once for each two thousand of them.
   */
  private static final long MARGIN_MILLIS = 10_000;
  private static final long FULL_LOOK_MILLIS = 60_000;

  /** So long ago that what comes after it can still be subtracted from. */
  private static final long NEVER_MILLIS = Long.MIN_VALUE / 2;

  private final Keyspace keyspace;
  private final Executor loop;
  private final Executor worker;
  private final Timers timers;
  private final HeldClock clock;
  private final LongAdder expired = new LongAdder();

  // Of the sweep that runs.
  private long fromMillis = ExpirySweep.FROM_START;
  private long fullLookMillis = NEVER_MILLIS;
  private byte @Nullable [] lastSwept;
  private volatile boolean stopped;

  /**
   * @param loop runs a task on the keyspace loop
   * @param worker runs a task that may block
   * @param clock is told how far everything is swept
   */
  ExpirySweeper(Keyspace keyspace, Executor loop, Executor worker, Timers timers, HeldClock clock) {
    this.keyspace = keyspace;
    this.loop = loop;
    this.worker = worker;
    this.timers = timers;
    this.clock = clock;
  }

  /** Begins, and goes on until {@link #stop}. */
  void start() {
    worker.execute(this::look);
  }

  void stop() {
    stopped = true;
  }

  /** How many keys it has deleted. Any thread. */
  long expiredKeys() {
    return expired.sum();
  }

  /** On the worker. */
  private void look() {
    if (stopped) {
      return;
    }
    try {
      long nowMillis = clock.getAsLong();
      byte[] after = lastSwept;
      lastSwept = null;
      if (nowMillis - fullLookMillis >= FULL_LOOK_MILLIS || nowMillis < fullLookMillis) {
        after = null;
        fullLookMillis = nowMillis;
        fromMillis = ExpirySweep.FROM_START;
      }
      StoreView view = keyspace.engine().blockingView();
      try {
        lookAt(view, after, nowMillis);
      } catch (RuntimeException failure) {
        // A view that is forgotten keeps memtables and files for ever.
        view.close();
        throw failure;
      }
    } catch (RuntimeException failure) {
      LOG.error("expiry sweep failed: {}", failure.toString());
      pause(PAUSE_MILLIS_MAX);
    }
  }

  private void lookAt(StoreView view, byte @Nullable [] after, long nowMillis) {
    List<byte[]> due =
        after == null
            ? ExpirySweep.due(view, fromMillis, nowMillis, FIND_KEYS_MAX)
            : ExpirySweep.dueAfter(view, after, nowMillis, FIND_KEYS_MAX);
    if (due.isEmpty() && after != null) {
      // Behind the last one there is no more; what was skipped or came since is looked for anew.
      view.close();
      pause(1);
      return;
    }
    if (due.isEmpty()) {
      long deadlineMillis = ExpirySweep.nextDeadlineMillis(view, fromMillis);
      view.close();
      clock.swept(nowMillis);
      fromMillis = nowMillis - MARGIN_MILLIS;
      pause(deadlineMillis == Meta.NO_EXPIRY ? PAUSE_MILLIS_MAX : deadlineMillis - nowMillis);
      return;
    }
    warm(view, due);
    // The view keeps in memory what it read until the keys are deleted.
    loop.execute(() -> sweep(view, due, 0));
  }

  private static void warm(StoreView view, List<byte[]> due) {
    for (byte[] expiryKey : due) {
      view.get(KeyFormat.meta(KeyFormat.databaseId(expiryKey), KeyFormat.userKey(expiryKey)));
    }
  }

  /** On the keyspace loop. */
  private void sweep(StoreView view, List<byte[]> due, int from) {
    int to = Math.min(due.size(), from + BATCH_KEYS_MAX);
    boolean goesOn = !stopped && keyspace.engine().writeRefusal() == null;
    keyspace.engine().warm(view);
    try {
      if (goesOn) {
        keyspace.run(
            clock.getAsLong(),
            transaction -> {
              int deleted = 0;
              for (byte[] expiryKey : due.subList(from, to)) {
                deleted += ExpirySweep.sweep(transaction, expiryKey) ? 1 : 0;
              }
              expired.add(deleted);
            });
      }
    } catch (ColdBlockSignal cold) {
      // Something was changed and written out meanwhile: the next look warms it again.
      goesOn = false;
    } catch (RuntimeException failure) {
      LOG.error("expiry sweep failed: {}", failure.toString());
      goesOn = false;
    } finally {
      keyspace.engine().warm(null);
    }
    if (goesOn && to < due.size()) {
      // By way of the worker: the loop runs at once what it finds in its queue when it is done with
      // this task, dozens of them before it looks at its sockets again.
      worker.execute(() -> loop.execute(() -> sweep(view, due, to)));
      return;
    }
    view.close();
    if (goesOn) {
      lastSwept = due.get(due.size() - 1);
      worker.execute(this::look);
    } else {
      pause(PAUSE_MILLIS_MAX);
    }
  }

  private void pause(long millis) {
    if (!stopped) {
      long bounded = Math.max(1, Math.min(millis, PAUSE_MILLIS_MAX));
      timers.after(bounded, () -> worker.execute(this::look));
    }
  }
}
