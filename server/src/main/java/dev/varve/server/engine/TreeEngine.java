package dev.varve.server.engine;

import dev.varve.codec.GarbageRecord;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreChanges;
import dev.varve.codec.store.StoreView;
import dev.varve.compaction.CompactionOptions;
import dev.varve.compaction.CompactionStatistics;
import dev.varve.compaction.Compactor;
import dev.varve.compaction.DutyCycle;
import dev.varve.compaction.Pace;
import dev.varve.compaction.Pacer;
import dev.varve.compaction.TreeTableStore;
import dev.varve.compaction.WorkTime;
import dev.varve.lsm.LsmTree;
import dev.varve.lsm.RecoveryReport;
import dev.varve.lsm.TreeOptions;
import dev.varve.lsm.TreeStats;
import dev.varve.lsm.entry.ReadMode;
import dev.varve.lsm.entry.WalkObserver;
import dev.varve.lsm.table.BlockPins;
import dev.varve.lsm.table.ReadContext;
import dev.varve.wal.DirectoryLockedException;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Keeps a server's data in an {@link LsmTree} on disk. Threads as {@link Engine} says. */
public final class TreeEngine implements Engine {

  /** The longest that a write is delayed while flush and compaction lag, before it is stopped. */
  private static final int WRITE_DELAY_MILLIS_MAX = 50;

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long FLUSH_POLL_MILLIS = 5;

  /** The rest is for what clients send and are sent, and for caches. */
  private static final int READ_HEAP_PART = 8;

  /** How long a flush waits where the disk takes nothing: it may be over in a moment. */
  private static final long REFUSED_FLUSH_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final String LOG_IN_DOUBT = "MISCONF Errors writing to the log: it is replaced";
  private static final String HALF_APPLIED =
      "MISCONF Memory ran out in the middle of a write: the server has to be started again";
  private static final String NO_BALLAST = "MISCONF The disk was full at the start, and still is";

  private final LsmTree tree;
  private final StorageDirectory directory;
  private final SpoolFiles spoolFiles;
  private final LongSupplier clock;
  private final LongSupplier nanoClock;
  private final TreeStore store;
  private final TreeGarbage garbage;
  private final Compactor compactor;
  private final WalkRelief walkRelief;
  private final OffHeap offHeap;
  private final ReadRoom readRoom = new ReadRoom(Runtime.getRuntime().maxMemory() / READ_HEAP_PART);
  private final FlushWork flushing;
  private final CompactionWork compacting;

  /** Who wants what is in memory in tables wants it up to this sequence number. */
  private final AtomicLong flushWanted = new AtomicLong();

  private volatile Consumer<BackgroundWork> wake = work -> {};
  private volatile boolean isEnding;
  private volatile @Nullable String writeRefusal;

  private long nextLookNanos;

  /**
   * Opens the tree in a directory, or begins one there.
   *
   * @param options sizes; key order and callbacks are set here
   * @param databaseCount how many database numbers there are
   * @throws IOException as {@link LsmTree#open} says
   */
  public static TreeEngine open(
      StorageDirectory directory, TreeOptions.Builder options, OffHeap offHeap, int databaseCount)
      throws IOException {
    return open(
        directory,
        options,
        offHeap,
        databaseCount,
        System::currentTimeMillis,
        new WorkTime(System::nanoTime, new ProcessorLoad(System::nanoTime), Pacer.Sleeper.PARKING));
  }

  /**
   * The same, and a disk that is full does not keep it from starting: a small file is kept there
   * whose space is given up for that. Writes are refused then until there is space again.
   */
  public static TreeEngine openWithBallast(
      StorageDirectory directory, TreeOptions.Builder options, OffHeap offHeap, int databaseCount)
      throws IOException {
    Ballast ballast = new Ballast(directory, System::nanoTime);
    TreeEngine engine;
    try {
      engine = open(directory, options, offHeap, databaseCount);
    } catch (DirectoryLockedException others) {
      throw others;
    } catch (IOException failure) {
      if (!ballast.releaseIfFull()) {
        throw failure;
      }
      engine = open(directory, options, offHeap, databaseCount);
    }
    engine.flushing.keep(ballast);
    return engine;
  }

  /**
   * Opens an engine with other clocks than the system's.
   *
   * @param clock ms since 1970
   * @param time of the work in the background
   */
  public static TreeEngine open(
      StorageDirectory directory,
      TreeOptions.Builder options,
      OffHeap offHeap,
      int databaseCount,
      LongSupplier clock,
      WorkTime time)
      throws IOException {
    Runnable[] onWork = {() -> {}};
    WalkObserver[] onWalk = {WalkObserver.NONE};
    LsmTree tree =
        LsmTree.open(
            directory,
            options
                .keyOrder(StoredKeyOrder.INSTANCE)
                .offHeap(offHeap)
                .onWork(() -> onWork[0].run())
                .onFlushStep(new DutyCycle(time)::step)
                .walkObserver((from, to, keys) -> onWalk[0].walkedOver(from, to, keys))
                .build());
    SpoolFiles spoolFiles = SpoolFiles.open(directory);
    TreeEngine engine =
        new TreeEngine(tree, directory, spoolFiles, offHeap, databaseCount, clock, time);
    onWork[0] = engine::wakeAll;
    onWalk[0] = engine.walkRelief;
    return engine;
  }

  private TreeEngine(
      LsmTree tree,
      StorageDirectory directory,
      SpoolFiles spoolFiles,
      OffHeap offHeap,
      int databaseCount,
      LongSupplier clock,
      WorkTime time) {
    this.tree = tree;
    this.directory = directory;
    this.spoolFiles = spoolFiles;
    this.clock = clock;
    this.nanoClock = time.nanoClock();
    this.nextLookNanos = nanoClock.getAsLong();
    this.offHeap = offHeap;
    this.store = new TreeStore(tree);
    this.garbage = new TreeGarbage(tree, store, databaseCount);
    this.compactor =
        new Compactor(
            new TreeTableStore(tree),
            garbage,
            garbage,
            CompactionOptions.forMemtable(tree.options().memtableBytesMax()),
            Pace.DEFAULT,
            time);
    this.walkRelief = new WalkRelief(tree, compactor, nanoClock);
    this.flushing = new FlushWork(tree);
    this.compacting =
        new CompactionWork(
            tree, compactor, walkRelief, flushWanted, nanoClock, () -> wake.accept(flushing));
    tree.useDeadEntryRule(garbage);
  }

  @Override
  public long rawDataBytes() {
    TreeStats stats = tree.stats();
    return stats.rawBytes() + stats.activeMemtableBytes() + stats.immutableMemtableBytes();
  }

  @Override
  public Spool spool() {
    return new Spool(spoolFiles);
  }

  /** What opening found. */
  public RecoveryReport recovery() {
    return tree.recovery();
  }

  /** The tree itself, for harnesses and tests. */
  public LsmTree tree() {
    return tree;
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public void foresee(byte[][] keys, int count, Use use) {
    store.foresee(keys, count, use);
  }

  @Override
  public byte @Nullable [] atHand(byte[] key) {
    return store.isLent() ? null : store.caches().rows().get(key);
  }

  /** What the keyspace loop walked over of late. */
  WalkCache walks() {
    return store.caches().walks();
  }

  @Override
  public StoreView blockingView() {
    return pinningView(readRoom.share(ReadPause.NONE));
  }

  @Override
  public StoreView leasedView() {
    return store.isLent() ? store.lentView() : pinningView(null);
  }

  private TreeView pinningView(ReadRoom.@Nullable Share room) {
    BlockPins pins = tree.newPins();
    return new TreeView(tree.snapshot(new ReadContext(ReadMode.MAY_BLOCK, pins)), pins, room);
  }

  @Override
  public StoreView passingView(ReadPause pause) {
    return new TreeView(tree.snapshot(ReadContext.MAY_BLOCK), null, readRoom.share(pause));
  }

  @Override
  public int waitingReads() {
    return readRoom.waiting();
  }

  @Override
  public StoreView lastingView() {
    return new TreeView(tree.snapshot(ReadContext.MAY_BLOCK));
  }

  @Override
  public StoreView aheadView() {
    return new TreeView(tree.snapshot(ReadContext.MAY_BLOCK_AHEAD));
  }

  @Override
  public StoreView peekingView() {
    return new TreeView(tree.snapshot(ReadContext.MEMORY_ONLY_AHEAD));
  }

  @Override
  public void lend(@Nullable StoreView brought) {
    boolean isAllPublished = tree.horizon() + 1 == store.nextSequence();
    if (isAllPublished && !isEnding && writeRefusal() == null) {
      store.lend(pins(brought));
    }
  }

  @Override
  public boolean isLent() {
    return store.isLent();
  }

  @Override
  public void writeLent(StoreChanges changes) {
    store.writeLent(changes);
  }

  @Override
  public void takeBack() {
    store.takeBack();
  }

  @Override
  public void endLending() {
    store.endLending();
  }

  @Override
  public void useBrought(@Nullable StoreView view) {
    store.useBrought(pins(view));
  }

  private static @Nullable BlockPins pins(@Nullable StoreView view) {
    return view instanceof TreeView brought ? brought.pins() : null;
  }

  @Override
  public void markReadsBrought(boolean areBrought) {
    store.markReadsBrought(areBrought);
  }

  @Override
  public long commit(boolean isPublishedNext) throws IOException {
    try {
      long sequence = store.commit(isPublishedNext);
      writeRefusal = null;
      store.setShowsUnpublished(true);
      return sequence;
    } catch (IOException e) {
      writeRefusal = WriteFailure.misconf(e.getMessage());
      store.setShowsUnpublished(false);
      throw e;
    }
  }

  @Override
  public void doubtUnpublished() {
    store.setShowsUnpublished(false);
  }

  @Override
  public boolean showsUnpublished() {
    return store.showsUnpublished();
  }

  @Override
  public long sync() throws IOException {
    try {
      return tree.sync();
    } catch (IOException e) {
      writeRefusal = WriteFailure.misconf(e.getMessage());
      throw e;
    }
  }

  @Override
  public void publish(long sequence) {
    tree.publish(sequence);
  }

  @Override
  public long publishedSequence() {
    return tree.horizon();
  }

  @Override
  public int writeDelayMillis() {
    double pressure = tree.pressure();
    if (pressure <= 0) {
      return 0;
    }
    return pressure >= 1
        ? WRITES_STOPPED
        : (int) Math.ceil(WRITE_DELAY_MILLIS_MAX * pressure * pressure);
  }

  @Override
  public @Nullable String writeRefusal() {
    if (!tree.isWhole()) {
      return HALF_APPLIED;
    }
    String refusal = writeRefusal;
    if (refusal != null) {
      return refusal;
    }
    // A commit that began before a sync failed may have ended after that, and all looked well.
    if (!store.showsUnpublished() || !tree.isWritable()) {
      return LOG_IN_DOUBT;
    }
    return flushing.isShortOfBallast() ? NO_BALLAST : refusalOfStopped();
  }

  /**
   * A client that has to wait for a flush which cannot be done is told so, and not left waiting.
   */
  private @Nullable String refusalOfStopped() {
    String flush = flushing.failure();
    String failure = flush != null ? flush : compacting.failure();
    return failure == null || tree.pressure() < 1
        ? null
        : "MISCONF Errors writing tables, and no room for more in memory: " + failure;
  }

  @Override
  public void upkeep() {
    if (store.isLent()) {
      // Whoever writes beside the loop rotates too.
      return;
    }
    boolean isInDoubt = writeRefusal != null || !store.showsUnpublished();
    if (isInDoubt && !store.isAnyToCommit()) {
      retryCommit();
    }
    rotate();
    long now = nanoClock.getAsLong();
    if (now - nextLookNanos >= 0) {
      nextLookNanos = now + LOOK_NANOS;
      wakeAll();
    }
  }

  private void retryCommit() {
    try {
      // Who commits the commands knows when readers may see it.
      commit(false);
    } catch (IOException stillFailing) {
      // The refusal says so already; the next upkeep tries again.
      return;
    }
  }

  private void rotate() {
    try {
      if (tree.isActive(flushWanted.get()) || tree.wantsRotation()) {
        tree.rotate();
      } else {
        // Writers that are held back until there is room do not come to make it.
        tree.rotateIfFull();
      }
    } catch (IOException e) {
      writeRefusal = WriteFailure.misconf(e.getMessage());
    }
  }

  @Override
  public List<GarbageRecord> takeRetirableGarbage() {
    return compacting.takeRetirable();
  }

  @Override
  public void flush() throws IOException {
    sync();
    long wanted = tree.horizon();
    flushWanted.accumulateAndGet(wanted, Math::max);
    long lastGoodNanos = nanoClock.getAsLong();
    while (tree.oldestUnflushedSequence() <= wanted) {
      String refusal = tree.isWhole() ? writeRefusal : HALF_APPLIED;
      long now = nanoClock.getAsLong();
      if (refusal == null) {
        lastGoodNanos = now;
      } else if (now - lastGoodNanos > REFUSED_FLUSH_NANOS) {
        // Who rotates needs the log, which takes nothing.
        throw new IOException("what is in memory cannot become tables: " + refusal);
      }
      if (isEnding) {
        // Nobody rotates any more: it could wait for ever, and the server with it.
        throw new IOException("the server stops; what is not in tables stays in the log");
      }
      if (!tree.maintain()) {
        pause();
      }
    }
  }

  @Override
  public void checkpoint(StorageDirectory target) throws IOException {
    tree.checkpoint(target, () -> isEnding);
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(FLUSH_POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while flushing", e);
    }
  }

  @Override
  public List<BackgroundWork> backgroundWork() {
    return List.of(flushing, compacting);
  }

  @Override
  public void onBackgroundWork(Consumer<BackgroundWork> listener) {
    wake = listener;
    wakeAll();
  }

  @Override
  public void endBackgroundWork() {
    isEnding = true;
    compactor.stop();
  }

  private void wakeAll() {
    Consumer<BackgroundWork> waker = wake;
    waker.accept(flushing);
    waker.accept(compacting);
  }

  @Override
  public long corruptBlocks() {
    return tree.stats().corruptBlocks();
  }

  @Override
  public Map<String, String> statistics() {
    TreeStats ofTree = tree.stats();
    CompactionStatistics ofPasses = compactor.statistics();
    TreeFigures figures = new TreeFigures();
    figures.add(ofTree, store.caches());
    figures.add(ofPasses, walkRelief);
    figures.addReclaimed(ofTree, ofPasses);
    figures.add("garbage_oldest_pending_millis", garbage.oldestAgeMillis(clock.getAsLong()));
    return figures.all();
  }

  @Override
  public Map<String, Long> memoryParts() {
    Map<String, Long> parts = new LinkedHashMap<>();
    for (OffHeap.Part part : OffHeap.Part.values()) {
      parts.put(part.name().toLowerCase(Locale.ROOT), offHeap.heldBytes(part));
    }
    return parts;
  }

  @Override
  public long dataBytes() {
    return offHeap.heldBytes(OffHeap.Part.MEMTABLE)
        + offHeap.heldBytes(OffHeap.Part.BLOCK_CACHE)
        + store.caches().heldBytes();
  }

  @Override
  public void close() throws IOException {
    compactor.stop();
    store.forgetForeseen();
    try {
      store.settleToCommit(false);
    } finally {
      tree.close();
    }
  }
}
