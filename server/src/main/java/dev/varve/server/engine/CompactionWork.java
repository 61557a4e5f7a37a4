package dev.varve.server.engine;

import dev.varve.codec.GarbageRecord;
import dev.varve.compaction.CompactionStatistics;
import dev.varve.compaction.Compactor;
import dev.varve.lsm.LsmTree;
import dev.varve.wal.FailureReason;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Merges tables, has the memtable flushed where that brings space back, and finds out which garbage
 * has gone.
 *
 * <p>One worker runs it; any thread asks how it went, and the keyspace loop takes the records.
 */
final class CompactionWork implements BackgroundWork {

  /** So many garbage records leave in one batch. */
  private static final int RETIREMENTS_AT_A_TIME = 256;

  /** Looking for records that can go takes at most one part in so many of the time. */
  private static final int RETIRE_SHARE = 10;

  private static final long RETIRE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LsmTree tree;
  private final Compactor compactor;
  private final WalkRelief walkRelief;
  private final AtomicLong flushWanted;
  private final LongSupplier nanoClock;
  private final Runnable onWorked;

  /** Why the last pass failed; null since one has not, or none is wanted. */
  private volatile @Nullable String failure;

  private volatile List<GarbageRecord> retirable = List.of();
  private long failures;
  private long nextRetirementNanos;

  /**
   * @param flushWanted up to which sequence number somebody wants a flush
   * @param onWorked called after a pass: files may have to be deleted
   */
  CompactionWork(
      LsmTree tree,
      Compactor compactor,
      WalkRelief walkRelief,
      AtomicLong flushWanted,
      LongSupplier nanoClock,
      Runnable onWorked) {
    this.tree = tree;
    this.compactor = compactor;
    this.walkRelief = walkRelief;
    this.flushWanted = flushWanted;
    this.nanoClock = nanoClock;
    this.onWorked = onWorked;
    this.nextRetirementNanos = nanoClock.getAsLong();
  }

  @Override
  public String name() {
    return "compaction";
  }

  @Override
  public boolean runOnce() {
    walkRelief.step();
    boolean worked;
    try {
      worked = compactor.runOnce();
    } catch (RuntimeException | OutOfMemoryError failed) {
      failure = FailureReason.of(failed);
      throw failed;
    }
    noteOutcome(worked);
    askForFlush();
    findRetirable();
    if (worked) {
      onWorked.run();
    }
    return worked;
  }

  private void noteOutcome(boolean worked) {
    CompactionStatistics statistics = compactor.statistics();
    if (statistics.failures() != failures) {
      failures = statistics.failures();
      failure = statistics.lastFailure();
    } else if (worked || !compactor.avoidsTables()) {
      // What failed has been done meanwhile, or need not be done any more.
      failure = null;
    }
  }

  private void askForFlush() {
    boolean isWanted = compactor.wantsFlush() || walkRelief.wantsFlush();
    if (isWanted && tree.oldestUnflushedSequence() > flushWanted.get()) {
      // Not while the last one is under way: what has come since would be a table of its own.
      flushWanted.accumulateAndGet(tree.horizon(), Math::max);
    }
  }

  private void findRetirable() {
    long now = nanoClock.getAsLong();
    if (retirable.isEmpty() && now - nextRetirementNanos >= 0) {
      retirable = compactor.retirable().stream().map(TreeGarbage::record).toList();
      long tookNanos = nanoClock.getAsLong() - now;
      nextRetirementNanos = now + Math.max(RETIRE_NANOS, RETIRE_SHARE * tookNanos);
    }
  }

  /** Why the last pass failed that is still wanted, or null. */
  @Nullable String failure() {
    return failure;
  }

  /** Some records that have done their work. Keyspace loop. */
  List<GarbageRecord> takeRetirable() {
    List<GarbageRecord> records = retirable;
    int taken = Math.min(RETIREMENTS_AT_A_TIME, records.size());
    if (taken > 0) {
      retirable = records.subList(taken, records.size());
    }
    return records.subList(0, taken);
  }
}
