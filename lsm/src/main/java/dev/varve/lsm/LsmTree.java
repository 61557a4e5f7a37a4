package dev.varve.lsm;

import dev.varve.lsm.entry.DeadEntryRule;
import dev.varve.lsm.entry.EmptyRanges;
import dev.varve.lsm.memtable.EntryPlace;
import dev.varve.lsm.table.BlockPins;
import dev.varve.lsm.table.ReadContext;
import dev.varve.lsm.version.Version;
import dev.varve.wal.Log;
import dev.varve.wal.StorageDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * An ordered map from bytes to bytes on disk: a log-structured merge tree.
 *
 * <p>Thread rule: one thread at a time is the writer ({@link #apply}, {@link #commit}, {@link
 * #write}, {@link #writerSnapshot}, {@link #rotate}); any thread takes {@link #snapshot}s; {@link
 * #sync}, {@link #maintain} and all of {@link TreeTables} are for worker threads, for they wait for
 * the disk.
 *
 * <p>The order of keys, the log and recovery, flushing and compaction are described in
 * docs/architecture.md, the files in docs/formats.
 */
public final class LsmTree implements Closeable {
  /** What {@link #applyAndCommit} returns for a batch that is still to be committed. */
  public static final long UNCOMMITTED = -1;

  private static final long COMING_NANOS = 20_000;

  private final StorageDirectory directory;
  private final TreeOptions options;
  private final TreeTables tables;
  private final TreeWriter writer;
  private final TreeUpkeep upkeep;
  private final Counters counters;
  private final Object publishing = new Object();
  private final RecoveryReport recovery;
  private final EmptyRanges emptyRanges;
  private final LiveSnapshots snapshots;
  private final TreeLog log;

  private volatile DeadEntryRule deadEntries = DeadEntryRule.NONE;

  /** The newest sequence number that readers see. */
  private volatile long published;

  LsmTree(
      StorageDirectory directory,
      TreeOptions options,
      TreeTables tables,
      Counters counters,
      Log log,
      long nextSequence,
      RecoveryReport recovery) {
    this.directory = directory;
    this.options = options;
    this.tables = tables;
    this.counters = counters;
    this.log = new TreeLog(log);
    this.published = nextSequence - 1;
    this.recovery = recovery;
    this.snapshots = new LiveSnapshots(() -> this.published, published);
    this.emptyRanges = new EmptyRanges(published, options.walkObserver());
    this.writer =
        new TreeWriter(
            tables,
            options,
            counters,
            this.log,
            emptyRanges,
            snapshots,
            () -> this.published,
            nextSequence);
    this.upkeep = new TreeUpkeep(this, directory, tables, this.log);
  }

  /**
   * Opens the tree in a directory, or begins one in an empty directory. The tree owns the directory
   * from then on, and closes it.
   *
   * @throws dev.varve.wal.DirectoryLockedException when somebody else has the directory
   * @throws ForeignDirectoryException when there are files but no tree
   * @throws dev.varve.lsm.version.OtherKeyOrderException when its keys have another order
   * @throws dev.varve.wal.FormatTooNewException when a later release wrote it
   * @throws dev.varve.wal.CorruptionException naming file and offset, when something that was
   *     durable cannot be read; nothing has been changed then
   */
  public static LsmTree open(StorageDirectory directory, TreeOptions options) throws IOException {
    return TreeRecovery.open(directory, options);
  }

  /** What opening found. */
  public RecoveryReport recovery() {
    return recovery;
  }

  /** The options it was opened with. */
  public TreeOptions options() {
    return options;
  }

  // ---- the writer, see TreeWriter ---------------------------------------------------------------

  /** The sequence number that the next batch will get. For the writer. */
  public long nextSequence() {
    return writer.nextSequence();
  }

  /**
   * Applies a batch: the writer sees it at once, others after {@link #commit} and {@link #publish}.
   * Waits for no disk; what is much is handed to the operating system before {@link #commit}.
   * Returns the batch's sequence number.
   *
   * <p>Should memory run out half-way, what is there of the batch is never seen and never gets into
   * a table: the tree takes nothing any more. What was committed stays in the log, and opening it
   * again finds all of it, and the batch whole or not at all.
   *
   * @throws IOException when a sync of the log has failed and no other has taken its place yet, or
   *     an earlier batch got only half-way; nothing has changed then
   */
  public long apply(WriteBatch batch) throws IOException {
    return writer.apply(batch, false);
  }

  /**
   * Applies a batch and commits it with all before it, for who does nothing else before {@link
   * #publish}: readers that come in between wait for that, and no older versions are kept for them.
   * Takes as long as {@link #apply} and {@link #commit}, and fails as {@link #apply} does.
   *
   * @return what {@link #commit} returns, or {@link #UNCOMMITTED} if the operating system has not
   *     taken it: it was applied then, and a later commit tries again
   */
  public long applyAndCommit(WriteBatch batch) throws IOException {
    writer.apply(batch, true);
    long committed = writer.written().sequence();
    return committed == nextSequence() - 1 ? committed : UNCOMMITTED;
  }

  /**
   * Whether a batch can be applied: not while a log is being replaced since a sync of it failed,
   * and not after a batch that got only half-way. For any thread.
   */
  public boolean isWritable() {
    return log.isSound() && isWhole();
  }

  /** Whether no batch got only half-way into memory, as {@link #apply} says. For any thread. */
  public boolean isWhole() {
    return writer.isWhole();
  }

  /**
   * Brings to the processor what {@link #apply} will want of a key. Many calls one after the other
   * cost little more than one. For the writer; the result means nothing, but to the compiler.
   *
   * @param place where the newest entry of the key stands, as {@link WriteBatch#place} said; {@link
   *     EntryPlace#NONE} if that is not known
   * @param mark and {@link WriteBatch#mark}
   */
  public int touch(byte[] key, long place, long mark) {
    MemtableSlot active = tables.active();
    return EntryPlace.sequence(mark) >= active.firstSequence() && place != EntryPlace.NONE
        ? active.table().touch(place, mark)
        : active.table().touch(key);
  }

  /**
   * Hands all applied batches to the operating system, if that takes them: {@link #commit} has
   * little left to do then. For the writer.
   */
  public void writeAhead() {
    writer.writeAhead();
  }

  /**
   * Hands all applied batches to the operating system with one write. Returns the newest sequence
   * number that is there now; readers see it after {@link #publish}.
   *
   * @throws IOException when the operating system does not take them: they are not lost, a later
   *     commit tries again
   */
  public long commit() throws IOException {
    return writer.commit();
  }

  /**
   * Shows readers everything up to {@code sequence}, which {@link #commit} or {@link #sync} has
   * returned, and nothing else: who promises more than a kill to survive publishes only what is
   * synced. For any thread; an older number than before changes nothing.
   */
  public void publish(long sequence) {
    synchronized (publishing) {
      if (sequence > published) {
        counters.publish(sequence);
        published = sequence;
      }
    }
  }

  /**
   * Applies, commits and publishes one batch, waiting while the tree is under full {@link
   * #pressure}. For programs that are not an event loop. Returns the batch's sequence number.
   */
  public long write(WriteBatch batch) throws IOException {
    while (tables.pressure() >= 1) {
      // What presses may be the active memtable itself, and nobody else makes it immutable.
      rotateIfFull();
      tables.awaitRoom();
    }
    long sequence = apply(batch);
    publish(commit());
    return sequence;
  }

  /** The state as the writer sees it: with all that it has applied. For the writer. */
  public Snapshot writerSnapshot(ReadContext context) {
    TreeState state = tables.hold();
    long sequence = nextSequence() - 1;
    return snapshot(state, sequence, context, true, snapshots.enterWriter(sequence));
  }

  /** A snapshot that has the state and the place of a reader, or gives them back. */
  private Snapshot snapshot(
      TreeState state, long sequence, ReadContext context, boolean isWriters, int entered) {
    try {
      return new Snapshot(state, sequence, context, emptyRanges, isWriters, snapshots, entered);
    } catch (RuntimeException | Error e) {
      snapshots.leave(entered);
      state.release();
      throw e;
    }
  }

  /** {@link #counter} with what is applied and not published yet. For the writer. */
  public long writerCounter(long counter) {
    return counters.getWithWaiting(counter);
  }

  /**
   * Makes the active memtable immutable, so that it is flushed. For the writer. Returns false when
   * it is empty, when no log segment is prepared ({@link #maintain} prepares one), or when a batch
   * is only half in it.
   */
  public boolean rotate() throws IOException {
    return writer.rotate();
  }

  /**
   * Whether a batch of this sequence number or a smaller one may be in the active memtable: without
   * {@link #rotate} it gets into no table. For the writer.
   */
  public boolean isActive(long sequence) {
    MemtableSlot active = tables.active();
    return !active.isEmpty() && active.firstSequence() <= sequence;
  }

  /**
   * Makes the active memtable immutable if it is full and may be: each {@link #apply} begins so,
   * and who holds writers back under full {@link #pressure} calls it meanwhile, since that may come
   * from the active memtable itself. For the writer.
   */
  public void rotateIfFull() throws IOException {
    writer.rotateIfFull();
  }

  /**
   * Whether a log segment could not be prepared in time and {@link #rotate} should be called again.
   */
  public boolean wantsRotation() {
    return writer.wantsRotation();
  }

  // ---- readers ----------------------------------------------------------------------------------

  /** The latest published state. For any thread. */
  public Snapshot snapshot(ReadContext context) {
    while (true) {
      TreeState state = tables.state();
      if (state.tryRetain()) {
        // Between two looks at the same state nothing was rotated or installed, so that everything
        // up to this sequence number is in it, and no pass has dropped what this sequence sees.
        // Once entered, the writer does not either.
        long sequence = published;
        int entered = snapshots.enter(sequence);
        if (entered != LiveSnapshots.TOO_OLD) {
          if (state == tables.state()) {
            return snapshot(state, sequence, context, false, entered);
          }
          snapshots.leave(entered);
        }
        state.release();
        if (entered == LiveSnapshots.TOO_OLD && published == sequence) {
          // A batch is being applied that readers wait for, which takes a moment.
          LockSupport.parkNanos(COMING_NANOS);
        }
      }
    }
  }

  /** A snapshot that may wait for the disk. */
  public Snapshot snapshot() {
    return snapshot(ReadContext.MAY_BLOCK);
  }

  /** A fresh set of pins, see {@link ReadContext}. */
  public BlockPins newPins() {
    return new BlockPins();
  }

  /** The sum of all deltas that published batches have given to a counter. For any thread. */
  public long counter(long counter) {
    return counters.get(counter);
  }

  /** The newest sequence number that readers see. No new reader looks behind it. */
  public long horizon() {
    return published;
  }

  /** The tables and their levels as of now. */
  public Version version() {
    return tables.state().version();
  }

  /**
   * How hard writers should be slowed: 0 not at all, 1 they must stop until flush and compaction
   * have caught up. For any thread; costs a few loads.
   */
  public double pressure() {
    return tables.pressure();
  }

  /**
   * The least sequence number that may be in a memtable, or {@link Long#MAX_VALUE} when all
   * memtables are empty.
   */
  public long oldestUnflushedSequence() {
    // Not from the manifest's marks: they move before the state does, and then a flushed entry
    // would be neither here nor in the tables that a reader of the state sees.
    return tables.state().oldestUnflushedSequence();
  }

  /**
   * Whether a memtable has an entry with a key in {@code [from, toExclusive)}, of whatever sequence
   * number. What is applied meanwhile may or may not be seen. For any thread.
   */
  public boolean isInMemory(byte[] from, byte[] toExclusive) {
    TreeState state = tables.hold();
    try {
      return state.isInMemory(options.keyOrder(), from, toExclusive);
    } finally {
      state.release();
    }
  }

  /** What all memtables hold together. For any thread. */
  public MemtableFigures memtables() {
    return tables.state().memtables();
  }

  /** Figures of this moment. */
  public TreeStats stats() {
    return TreeStats.of(tables, upkeep.flushes());
  }

  // ---- workers ----------------------------------------------------------------------------------

  /**
   * Makes all committed batches survive power loss; callers at the same time share one sync.
   * Returns the newest sequence number that does.
   *
   * @throws IOException when the device failed: the log is poisoned, see docs/durability.md. It
   *     goes on failing until {@link #rotateIfFull} and {@link #maintain} have put another in its
   *     place
   */
  public long sync() throws IOException {
    TreeWriter.Written before = writer.written();
    log.sync(before.position());
    return before.sequence();
  }

  /**
   * Does what is due of the tree's own upkeep: prepares the next log segment, flushes the oldest
   * immutable memtable, deletes files that nobody reads. Returns whether there may be more to do at
   * once.
   *
   * @throws IOException when the disk fails; what could not be done is as before, try again later
   */
  public boolean maintain() throws IOException {
    return upkeep.run();
  }

  /**
   * Writes everything in memory to tables and syncs. For the writer, when it is no event loop;
   * others call {@link #rotate} on the writer and {@link #maintain} on a worker.
   */
  public void flush() throws IOException {
    publish(commit());
    sync();
    while (!tables.active().isEmpty()) {
      writer.requireWhole();
      maintain();
      rotate();
    }
    while (maintain()) {
      continue;
    }
  }

  /** Says what a pass may drop beyond what is shadowed. Set once, right after opening. */
  public void useDeadEntryRule(DeadEntryRule rule) {
    deadEntries = rule;
  }

  /** What a pass may drop beyond what is shadowed. */
  public DeadEntryRule deadEntryRule() {
    return deadEntries;
  }

  /**
   * Makes an empty directory one that opens as this tree: with all that was committed before the
   * call, and as it was at one moment after that. Durable when this returns; tables take no space
   * as long as both have them, where the file system has links. The caller closes {@code target}.
   *
   * @param isEnding is asked between tables, and ends it by an IOException
   * @throws IOException when a disk fails, or a sync of the log has failed and no other has taken
   *     its place yet: files may be left in {@code target}, but nothing that opens
   */
  public void checkpoint(StorageDirectory target, BooleanSupplier isEnding) throws IOException {
    if (!target.list().isEmpty()) {
      throw new IOException("a checkpoint needs an empty directory: " + target.path());
    }
    try (Checkpoint checkpoint = upkeep.beginCheckpoint()) {
      checkpoint.writeTo(target, isEnding);
    }
  }

  /** The tables, for the passes that rewrite them. */
  public TreeTables tables() {
    return tables;
  }

  /**
   * Commits and syncs what was applied, and gives back everything. Memtables are not flushed: the
   * next opening replays the log. All snapshots must be closed before. For the writer.
   *
   * @throws IOException also when somebody else has deleted files of the tree meanwhile, or a sync
   *     of the log had failed and no other has taken its place yet
   */
  @Override
  public void close() throws IOException {
    if (!upkeep.end()) {
      return;
    }
    boolean isInDoubt = !log.isSound() && isAnyInMemory();
    try (directory;
        tables) {
      try {
        if (log.isSound()) {
          commit();
        }
      } finally {
        log.close();
      }
      tables.seal(log.end());
    }
    if (isInDoubt) {
      throw new IOException(
          "a sync of the log had failed, and not all that is in memory was in tables yet:"
              + " power loss may take it");
    }
  }

  private boolean isAnyInMemory() {
    return !tables.active().isEmpty() || tables.immutableCount() > 0;
  }
}
