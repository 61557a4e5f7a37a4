package dev.varve.server.engine;

import dev.varve.compaction.Compactor;
import dev.varve.lsm.LsmTree;
import dev.varve.lsm.entry.WalkObserver;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has the key ranges compacted in which readers walk over many deleted keys. Reports come from any
 * thread; the rest is for the compaction worker.
 */
final class WalkRelief implements WalkObserver {
  /*
   * One range at a time: it is flushed, then compacted, and then there is a pause in proportion, so
   * that a queue which is always full of deleted keys does not keep the device busy. What is
   * reported meanwhile is dropped: a range that still hurts will be reported again.
   */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int PAUSE_SHARE = 20;

  private record Report(byte[] from, byte[] to, long sequence, long atNanos) {}

  private final LsmTree tree;
  private final Compactor compactor;
  private final LongSupplier nanoClock;
  private final Object lock = new Object();
  private @Nullable Report report;
  private boolean requested;
  private long quietUntilNanos;
  private long requests;

  WalkRelief(LsmTree tree, Compactor compactor, LongSupplier nanoClock) {
    this.tree = tree;
    this.compactor = compactor;
    this.nanoClock = nanoClock;
    this.quietUntilNanos = nanoClock.getAsLong();
  }

  @Override
  public void walkedOver(byte[] from, byte[] toExclusive, long hiddenKeys) {
    synchronized (lock) {
      long now = nanoClock.getAsLong();
      if (report == null && now - quietUntilNanos >= 0) {
        report = new Report(from, toExclusive, tree.horizon(), now);
      }
    }
  }

  /** Whether the memtable should be flushed for a range that was reported. */
  boolean wantsFlush() {
    synchronized (lock) {
      return report != null && !requested && isInMemtable(report);
    }
  }

  /** Asks for the compaction of a reported range once it is flushed. */
  void step() {
    Report due;
    synchronized (lock) {
      if (report == null || requested || isInMemtable(report)) {
        return;
      }
      due = report;
      requested = true;
      requests++;
    }
    // Not under the lock: it may complete at once.
    CompletionStage<Void> done = compactor.compactRange(due.from(), due.to());
    var unused = done.whenComplete((nothing, failure) -> finished(due));
  }

  /** How many ranges were handed to the compactor so far. */
  long requests() {
    synchronized (lock) {
      return requests;
    }
  }

  private boolean isInMemtable(Report due) {
    return tree.oldestUnflushedSequence() <= due.sequence();
  }

  private void finished(Report due) {
    synchronized (lock) {
      long now = nanoClock.getAsLong();
      quietUntilNanos = now + Math.max(PAUSE_NANOS, PAUSE_SHARE * (now - due.atNanos()));
      report = null;
      requested = false;
    }
  }
}
