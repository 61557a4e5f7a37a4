package dev.varve.compaction;

import dev.varve.lsm.entry.DeadEntryRule;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a tree in shape: picks a plan, runs it, and counts what came of it. Has no thread of its
 * own: worker threads call {@link #runOnce}, several at once if they like.
 */
public final class Compactor {
  /*
   * One lock guards the choice of plans and the sums. It is never held during I/O: plans run, and
   * garbage is measured, outside it. Measuring walks all recorded deaths, so it is done at most once
   * a second, and at most a twentieth of the time.
   */

  private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);

  /** More requests than this at a time are refused. */
  public static final int REQUESTS_MAX = 64;

  /** So many garbage records are named for retirement at a time. */
  public static final int RETIREMENTS_MAX = 4096;

  /** A merge is ended once so much of its input has died since it began. */
  private static final double OVERTAKEN_SHARE = 0.5;

  private static final long MEASURE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MEASURE_SHARE = 20;

  private final TableStore store;
  private final GarbageSource source;
  private final CompactionPicker picker;
  private final CompactionPass pass;
  private final LongSupplier nanoClock;
  private volatile boolean stopped;

  // Guarded by this.
  private final SequenceClock sequences;
  private final FlushDemand flushDemand = new FlushDemand();
  private final List<Plan> running = new ArrayList<>();
  private final Map<RangeRequest, CompletableFuture<Void>> requests = new LinkedHashMap<>();
  private final FailedTables failedTables = new FailedTables();
  private final Totals totals = new Totals();
  private LevelCursors cursors = LevelCursors.START;
  private TableGarbage garbage = TableGarbage.NONE;
  private @Nullable Version measuredVersion;
  private long measuredGeneration;
  private long nextMeasureNanos;
  private boolean measuring;
  private String lastUntold = "";

  /**
   * @param rule what may be dropped although nothing hides it
   * @param source what died, for choosing what to compact
   */
  public Compactor(
      TableStore store,
      DeadEntryRule rule,
      GarbageSource source,
      CompactionOptions options,
      Pace pace,
      WorkTime time) {
    this.store = store;
    this.source = source;
    this.picker = new CompactionPicker(options);
    Pacer pacer = new Pacer(pace, this::pressure, time);
    this.pass = new CompactionPass(store, rule, options, pacer, () -> stopped);
    this.nanoClock = time.nanoClock();
    long now = nanoClock.getAsLong();
    this.sequences = new SequenceClock(now, store.publishedSequence());
    this.nextMeasureNanos = now;
  }

  /**
   * Runs the plan that is needed most. Returns whether it did work, so that there may be more. A
   * pass that fails is logged and counted; its tables are left alone for a while.
   */
  public boolean runOnce() {
    measureIfDue();
    completeRequests();
    Plan plan = take();
    if (plan == null) {
      return false;
    }
    try {
      long deadBefore = deadBytes(plan);
      PassResult result = pass.run(plan, () -> isOvertaken(plan, deadBefore));
      finished(plan, result);
      return result.installed() || !stopped;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      failed(plan, e);
      if (plan.reason() == Reason.REQUESTED) {
        failRequests(e);
      }
      return false;
    } finally {
      release(plan);
    }
  }

  /** Whether tables are left alone for a while, because a pass that was to merge them failed. */
  public synchronized boolean avoidsTables() {
    return !failedTables.avoided(nanoClock.getAsLong()).isEmpty();
  }

  /** Ends running passes at their next entry and starts no more. Returns at once. */
  public void stop() {
    stopped = true;
  }

  /**
   * Asks for a key range to be compacted to the deepest level with nothing dead left in it. Covers
   * what is in tables; flush first to cover all. Completes when it is done, or fails when a pass
   * for it does or too many are waiting.
   *
   * @param from first key, or null for the tree's first
   * @param to last key, or null for the tree's last
   */
  public CompletionStage<Void> compactRange(byte @Nullable [] from, byte @Nullable [] to) {
    synchronized (this) {
      if (stopped || requests.size() >= REQUESTS_MAX) {
        return CompletableFuture.failedFuture(
            new IllegalStateException("compaction is stopped, or has too many requests"));
      }
      RangeRequest request = new RangeRequest(from, to, store.publishedSequence());
      return requests.computeIfAbsent(request, unseen -> new CompletableFuture<>());
    }
  }

  /**
   * Deaths whose record may go now, at most {@link #RETIREMENTS_MAX}: no table and no memtable can
   * hold an entry of them. The answer holds as long as nothing new is declared dead under the same
   * record. None are known where the records cannot be read. May wait for the disk.
   */
  public List<Death> retirable() {
    try {
      return Retirement.retirable(store, source, RETIREMENTS_MAX);
    } catch (ReadFailure unread) {
      noteUntold(unread);
      return List.of();
    }
  }

  /**
   * Whether the memtable should be flushed although it is not full, so that space comes back. The
   * writer does that.
   */
  public synchronized boolean wantsFlush() {
    long now = nanoClock.getAsLong();
    flushDemand.tick(now, store.memtables());
    long oldestUnflushed = store.oldestUnflushedSequence();
    if (oldestUnflushed > store.publishedSequence()) {
      return false;
    }
    tick(now);
    return flushDemand.isDue(
        now,
        sequences.isQuiet(now),
        garbage.newestDeath() >= oldestUnflushed,
        garbage.pendingRawBytes(),
        garbage.oldestAgeMillis());
  }

  /** How far compaction is behind: 1 is on time. */
  public double pressure() {
    return picker.pressure(PickerInput.of(store.version()));
  }

  /** Figures for INFO. */
  public synchronized CompactionStatistics statistics() {
    return new CompactionStatistics(
        totals.merges,
        totals.deletions,
        totals.failures,
        totals.bytesRead,
        totals.bytesWritten,
        totals.bytesFreed,
        totals.shadowedEntries,
        totals.deadEntries,
        totals.deadRawBytes,
        pressure(),
        garbage,
        running.size(),
        totals.lastFailure);
  }

  private synchronized @Nullable Plan take() {
    if (stopped) {
      return null;
    }
    long now = nanoClock.getAsLong();
    tick(now);
    Plan plan =
        picker.pick(
            new PickerInput(
                store.version(),
                running,
                failedTables.avoided(now),
                garbage,
                store.publishedSequence(),
                sequences.isQuiet(now),
                List.copyOf(requests.keySet()),
                cursors));
    if (plan != null) {
      running.add(plan);
      cursors = cursors.with(plan.topLevel(), lastKeyOfTop(plan));
      LOG.debug("{}", plan);
    }
    return plan;
  }

  private byte[] lastKeyOfTop(Plan plan) {
    List<TableMeta> top = new ArrayList<>();
    for (PlacedTable placed : plan.inputs()) {
      if (placed.level() == plan.topLevel()) {
        top.add(placed.table());
      }
    }
    return Shape.largestKey(top, store.order());
  }

  private void tick(long now) {
    sequences.tick(now, store.publishedSequence());
  }

  private void measureIfDue() {
    Version version = store.version();
    long generation = source.generation();
    long now = nanoClock.getAsLong();
    synchronized (this) {
      boolean changed = version != measuredVersion || generation != measuredGeneration;
      boolean aging = garbage.pendingDeaths() > 0;
      if (stopped || measuring || (!changed && !aging) || now - nextMeasureNanos < 0) {
        return;
      }
      measuring = true;
    }
    TableGarbage measured = null;
    try {
      measured = GarbageMeasure.of(version, source, store, death -> ageMillis(death, now));
    } catch (ReadFailure unread) {
      noteUntold(unread);
    } finally {
      synchronized (this) {
        measuring = false;
        if (measured != null) {
          garbage = measured;
          measuredVersion = version;
          measuredGeneration = generation;
        }
        long tookNanos = nanoClock.getAsLong() - now;
        nextMeasureNanos = now + Math.max(MEASURE_NANOS, MEASURE_SHARE * tookNanos);
      }
    }
  }

  /*
   * One damaged block among the records of what died must not end all compaction, and with it all
   * writing. What was measured last goes on counting: tables do not change.
   */
  private synchronized void noteUntold(ReadFailure unread) {
    String what = String.valueOf(unread.getMessage());
    if (!what.equals(lastUntold)) {
      lastUntold = what;
      LOG.warn("what died cannot be told, passes are chosen without it: {}", what);
    }
  }

  private synchronized long ageMillis(long sequence, long nowNanos) {
    return sequences.ageMillis(sequence, nowNanos);
  }

  private void completeRequests() {
    List<CompletableFuture<Void>> done = new ArrayList<>();
    synchronized (this) {
      Version version = store.version();
      requests
          .entrySet()
          .removeIf(
              request ->
                  RequestPicker.isDone(version, garbage, request.getKey())
                      && done.add(request.getValue()));
    }
    // Not under the lock: whoever waits goes on in here.
    done.forEach(request -> request.complete(null));
  }

  private void failRequests(Throwable failure) {
    List<CompletableFuture<Void>> waiting;
    synchronized (this) {
      waiting = List.copyOf(requests.values());
      requests.clear();
    }
    waiting.forEach(request -> request.completeExceptionally(failure));
  }

  /** Whether deaths of late would let the picker choose better: tables that go unread, say. */
  private boolean isOvertaken(Plan plan, long deadBefore) {
    measureIfDue();
    return deadBytes(plan) - deadBefore >= OVERTAKEN_SHARE * plan.inputBytes();
  }

  private synchronized long deadBytes(Plan plan) {
    long sum = 0;
    for (PlacedTable placed : plan.inputs()) {
      sum += garbage.deadBytes(placed.table());
    }
    return sum;
  }

  private synchronized void finished(Plan plan, PassResult result) {
    totals.add(result);
    failedTables.succeeded(plan);
    if (result.installed()) {
      LOG.debug(
          "{}: {} bytes read, {} written, {} freed",
          plan,
          result.bytesRead(),
          result.bytesWritten(),
          result.bytesFreed());
    }
  }

  private synchronized void failed(Plan plan, Throwable failure) {
    if (failure instanceof RuntimeException) {
      LOG.warn("{} failed, nothing has changed", plan, failure);
    } else {
      // A full disk, or heap, has a new one every few seconds, and what it says is where.
      LOG.warn("{} failed, nothing has changed: {}", plan, failure.toString());
    }
    totals.addFailure(plan, failure);
    failedTables.failed(plan, nanoClock.getAsLong());
  }

  private synchronized void release(Plan plan) {
    running.remove(plan);
  }
}
