package dev.varve.server.net.background;

import dev.varve.codec.CounterIds;
import dev.varve.codec.Databases;
import dev.varve.codec.DueDeletion;
import dev.varve.codec.DueKeys;
import dev.varve.codec.ExpiredKey;
import dev.varve.codec.ExpirySweep;
import dev.varve.codec.KeysWrittenSince;
import dev.varve.codec.Meta;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.engine.Engine;
import dev.varve.server.net.loop.Timers;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes keys that have expired: a worker finds them at the front of the expiry keyspace and
 * prepares their deletion, the keyspace loop writes it in small batches between the commands.
 *
 * <p>That an expired key is invisible does not depend on it. A key that is read after it expired is
 * deleted without waiting for the next pass. Everything here happens on the keyspace loop but
 * {@link #read}.
 */
public final class ExpirySweeper {
  /*
   * A pass goes from where the last one ended to what is due now, in looks of some thousand keys. While
   * the loop deletes what one look has found, the worker takes the next.
   *
   * The loop does not read what it deletes. It notes which keys are written from before the worker
   * opens its view, and skips those; the next pass finds them again if they are still due.
   */
  private static final Logger LOG = LoggerFactory.getLogger(ExpirySweeper.class);

  /** Keys deleted in one batch. */
  private static final int BATCH_KEYS_MAX = 128;

  /** How long the loop deletes before it sees to its sockets: what a command may have to wait. */
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Keys found by one look of the worker. */
  private static final int LOOK_KEYS_MAX = 4096;

  /** The pauses between two passes. With keys due in each millisecond, each pass takes some. */
  private static final long PAUSE_MILLIS_MIN = 2;

  private static final long PAUSE_MILLIS_MAX = 100;

  /** What the worker looks for, and what it has found. */
  private static final class Look {
    final byte[] from;
    final KeysWrittenSince touched;
    final Databases databases;

    /** Its view must show everything up to here: from then on, writes are noted. */
    final long sequence;

    long nowMillis;

    /** Null when reading has failed. */
    @Nullable DueKeys due;

    boolean isRead;

    /** How many of them are seen to. */
    int done;

    Look(byte[] from, KeysWrittenSince touched, Databases databases, long sequence) {
      this.from = from;
      this.touched = touched;
      this.databases = databases;
      this.sequence = sequence;
    }
  }

  /** How a pass has gone so far. */
  private enum Progress {
    ALL_SWEPT,
    /** Keys were skipped that somebody has written meanwhile. */
    SOME_SKIPPED,
    /** It ends here, and another is tried after a pause. */
    FAILED
  }

  private final Keyspace keyspace;
  private final Executor loop;
  private final Executor worker;
  private final Executor afterSockets;
  private final Timers timers;
  private final HeldClock clock;
  private final LongSupplier nanoClock;
  private volatile boolean stopped;
  private volatile boolean idle;

  /** Nothing is due up to here, but for what was let expire so early later than it was swept. */
  private long sweptMillis = ExpirySweep.FROM_START;

  /** The earliest moment that a key was let expire at, or filed under, since the pass began. */
  private long earliestMillis = Meta.NO_EXPIRY;

  private Progress progress = Progress.FAILED;

  /** Those that had failed when the pass began. */
  private long lostCommits;

  private long passFromMillis = ExpirySweep.FROM_START;
  private @Nullable Look sweeping;
  private @Nullable Look coming;

  /**
   * @param loop runs a task on the keyspace loop
   * @param worker runs a task that may block, one after the other
   * @param afterSockets runs a task on the keyspace loop, after its next look at its sockets
   * @param clock is told how far everything is swept
   * @param nanoClock as {@link System#nanoTime}
   */
  public ExpirySweeper(
      Keyspace keyspace,
      Executor loop,
      Executor worker,
      Executor afterSockets,
      Timers timers,
      HeldClock clock,
      LongSupplier nanoClock) {
    this.keyspace = keyspace;
    this.loop = loop;
    this.worker = worker;
    this.afterSockets = afterSockets;
    this.timers = timers;
    this.clock = clock;
    this.nanoClock = nanoClock;
  }

  /** Begins, and goes on until {@link #stop}. Any thread. */
  public void start() {
    loop.execute(this::begin);
  }

  /** Any thread. */
  public void stop() {
    stopped = true;
  }

  /** Whether it leaves expired keys where they are, as tests of clients may want it. Any thread. */
  public void idle(boolean isIdle) {
    idle = isIdle;
  }

  /**
   * Deletes keys that somebody has read and found expired, without waiting for the next pass; what
   * may not be written now is left to that. Any thread.
   */
  public void met(List<ExpiredKey> keys) {
    if (mayDeleteMet()) {
      loop.execute(() -> deleteMet(keys));
    }
  }

  /** As in Redis, DEBUG keeps only those where they are that nobody reads. */
  private boolean mayDeleteMet() {
    return !stopped && !isHeldUp() && keyspace.takesWrites();
  }

  private void deleteMet(List<ExpiredKey> keys) {
    if (!mayDeleteMet() || keyspace.engine().writeDelayMillis() == Engine.WRITES_STOPPED) {
      return;
    }
    try {
      keyspace.run(clock.getAsLong(), transaction -> ExpirySweep.delete(transaction, keys));
    } catch (ColdBlockSignal cold) {
      LOG.debug("keys that have expired are no longer in memory");
    } catch (RuntimeException | OutOfMemoryError failure) {
      LOG.error("keys that have expired could not be deleted: {}", failure.toString());
    }
  }

  private void begin() {
    if (stopped) {
      return;
    }
    try {
      beginPass();
    } catch (RuntimeException | OutOfMemoryError failure) {
      failed(failure);
      end(passFromMillis, Meta.NO_EXPIRY);
    }
  }

  private void failed(Throwable failure) {
    progress = Progress.FAILED;
    LOG.error("expiry sweep failed: {}", failure.toString());
  }

  private void beginPass() {
    if (keyspace.following().isOn()) {
      // Nothing expires here: what clients have not found was there all the time.
      clock.follow();
    }
    if (!keyspace.takesWrites() || mayNotWrite()) {
      timers.after(PAUSE_MILLIS_MAX, () -> loop.execute(this::begin));
      return;
    }
    if (keyspace.lostCommits() != lostCommits) {
      // What was swept may be there again.
      lostCommits = keyspace.lostCommits();
      sweptMillis = ExpirySweep.FROM_START;
      progress = Progress.FAILED;
    }
    takeEarliest();
    if (progress == Progress.ALL_SWEPT && earliestMillis > sweptMillis) {
      letClockGoBack();
    }
    progress = Progress.ALL_SWEPT;
    passFromMillis =
        sweptMillis == ExpirySweep.FROM_START
            ? ExpirySweep.FROM_START
            : Math.min(sweptMillis + 1, earliestMillis);
    earliestMillis = Meta.NO_EXPIRY;
    look(DueKeys.from(passFromMillis));
  }

  /**
   * Whether nothing may change now: a script has the right to write, or clients are paused, which
   * as in Redis are to see the same data for so long, or DEBUG says so, or another server, which is
   * followed, says what has expired.
   */
  private boolean mayNotWrite() {
    return idle || isHeldUp();
  }

  private boolean isHeldUp() {
    return keyspace.following().isOn() || keyspace.isHeldUp(clock.getAsLong());
  }

  /**
   * Whether a pass that has begun is to end, for nobody knows when it may go on, and clients write
   * meanwhile: what is noted of that would grow.
   */
  private boolean isGivenUp() {
    return stopped || idle || keyspace.following().isOn() || !keyspace.takesWrites();
  }

  private void takeEarliest() {
    earliestMillis = Math.min(earliestMillis, keyspace.takeEarliestExpiryMillis());
  }

  /*
   * A restarted server's clock does not start before the mark. It must have come down before anything
   * is written by the clock that went back: that would else expire at once after a restart.
   */
  private void letClockGoBack() {
    long systemMillis = clock.systemMillis();
    if (systemMillis >= sweptMillis) {
      return;
    }
    long markMillis = keyspace.engine().store().counter(CounterIds.CLOCK_MARK);
    if (markMillis > systemMillis) {
      StoreBatch lowered = new StoreBatch();
      lowered.count(CounterIds.CLOCK_MARK, systemMillis - markMillis);
      keyspace.write(lowered);
    }
    clock.swept(sweptMillis);
  }

  private void look(byte[] from) {
    takeEarliest();
    KeysWrittenSince touched = keyspace.writtenKeys().open();
    try {
      Look look =
          new Look(
              from, touched, keyspace.databases(), keyspace.engine().store().nextSequence() - 1);
      coming = look;
      // Behind the commit of what this pass of the loop has written.
      loop.execute(() -> worker.execute(() -> read(look)));
    } catch (RuntimeException | OutOfMemoryError failure) {
      // What is noted and asked for by nobody would grow for ever.
      keyspace.writtenKeys().close(touched);
      coming = null;
      throw failure;
    }
  }

  /** On the worker. */
  private void read(Look look) {
    if (stopped) {
      return;
    }
    if (keyspace.engine().publishedSequence() < look.sequence) {
      boolean isSoon = keyspace.takesWrites();
      timers.after(isSoon ? 1 : PAUSE_MILLIS_MAX, () -> worker.execute(() -> read(look)));
      return;
    }
    try (StoreView view = keyspace.engine().blockingView()) {
      look.nowMillis = clock.getAsLong();
      look.due = ExpirySweep.look(view, look.databases, look.from, look.nowMillis, LOOK_KEYS_MAX);
    } catch (RuntimeException | OutOfMemoryError failure) {
      LOG.error("expiry sweep failed: {}", failure.toString());
    }
    loop.execute(() -> found(look));
  }

  private void found(Look look) {
    look.isRead = true;
    if (sweeping == null) {
      sweep(look);
    }
  }

  private void sweep(Look look) {
    coming = null;
    DueKeys due = look.due;
    if (due == null || progress == Progress.FAILED) {
      progress = Progress.FAILED;
      keyspace.writtenKeys().close(look.touched);
      end(look.nowMillis, Meta.NO_EXPIRY);
      return;
    }
    sweeping = look;
    byte[] more = due.more();
    if (more != null) {
      lookOn(more);
    }
    slice(look, due);
  }

  private void lookOn(byte[] more) {
    try {
      look(more);
    } catch (RuntimeException | OutOfMemoryError failure) {
      failed(failure);
    }
  }

  private void slice(Look look, DueKeys due) {
    boolean mustWait =
        keyspace.engine().writeDelayMillis() == Engine.WRITES_STOPPED || mayNotWrite();
    if (mustWait && !isGivenUp()) {
      timers.after(PAUSE_MILLIS_MAX, () -> loop.execute(() -> slice(look, due)));
      return;
    }
    try {
      long startNanos = nanoClock.getAsLong();
      do {
        delete(look, due);
      } while (look.done < due.size() && nanoClock.getAsLong() - startNanos < SLICE_NANOS);
    } catch (RuntimeException | OutOfMemoryError failure) {
      failed(failure);
    }
    if (look.done < due.size() && progress != Progress.FAILED) {
      later(() -> slice(look, due));
      return;
    }
    keyspace.writtenKeys().close(look.touched);
    sweeping = null;
    Look next = coming;
    if (next == null) {
      end(look.nowMillis, due.deadlineMillis());
    } else if (next.isRead) {
      sweep(next);
    }
  }

  private void delete(Look look, DueKeys due) {
    if (isGivenUp()) {
      progress = Progress.FAILED;
      look.done = due.size();
      return;
    }
    int to = Math.min(due.size(), look.done + BATCH_KEYS_MAX);
    DueDeletion deletion = due.deletion(look.done, to, look.touched, keyspace.databases());
    look.done = to;
    if (deletion.skipped() > 0) {
      progress = Progress.SOME_SKIPPED;
    }
    if (deletion.isEmpty()) {
      return;
    }
    long nowMillis = clock.getAsLong();
    long markMillis = keyspace.engine().store().counter(CounterIds.CLOCK_MARK);
    if (nowMillis > markMillis && deletion.hasExpired()) {
      deletion.count(CounterIds.CLOCK_MARK, nowMillis - markMillis);
    }
    keyspace.delete(deletion, nowMillis);
    // The worker may have looked there before.
    earliestMillis = Math.min(earliestMillis, deletion.nextMillis());
  }

  /** As soon as whoever waits at a socket has been seen to. */
  private void later(Runnable slice) {
    int delayMillis = keyspace.engine().writeDelayMillis();
    if (delayMillis > 0) {
      timers.after(Math.min(delayMillis, PAUSE_MILLIS_MAX), () -> loop.execute(slice));
    } else {
      afterSockets.execute(slice);
    }
  }

  private void end(long nowMillis, long deadlineMillis) {
    if (stopped) {
      return;
    }
    long pauseMillis = PAUSE_MILLIS_MAX;
    switch (progress) {
      case ALL_SWEPT -> {
        sweptMillis = nowMillis;
        if (deadlineMillis != Meta.NO_EXPIRY) {
          pauseMillis = Math.min(PAUSE_MILLIS_MAX, deadlineMillis - nowMillis);
        }
      }
      case SOME_SKIPPED -> {
        earliestMillis = Math.min(earliestMillis, passFromMillis);
        pauseMillis = PAUSE_MILLIS_MIN;
      }
      case FAILED -> earliestMillis = Math.min(earliestMillis, passFromMillis);
    }
    timers.after(Math.max(PAUSE_MILLIS_MIN, pauseMillis), () -> loop.execute(this::begin));
  }
}
