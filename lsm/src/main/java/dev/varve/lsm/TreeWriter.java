package dev.varve.lsm;

import dev.varve.lsm.entry.EmptyRanges;
import dev.varve.lsm.memtable.Memtable;
import dev.varve.wal.Log;
import java.io.IOException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The writer's side of a tree: batches go to the log and into the active memtable, which gives way
 * to another when it is full.
 *
 * <p>Thread rule: for the writer, but for {@link #isWhole}, {@link #written} and {@link
 * #wantsRotation}, which any thread asks.
 */
final class TreeWriter {

  /** What was committed last: where the log stood, and the newest sequence number. */
  record Written(long position, long sequence) {}

  private final TreeTables tables;
  private final TreeOptions options;
  private final Counters counters;
  private final TreeLog log;
  private final EmptyRanges emptyRanges;
  private final LiveSnapshots snapshots;
  private final LongSupplier published;
  private final BatchReader batchReader = new BatchReader();

  /** Why a batch got only half-way into the active memtable; null as long as none did. */
  private volatile @Nullable Throwable halfApplied;

  private volatile Written written;
  private volatile boolean wantsRotation;
  private long nextSequence;

  /**
   * @param published the newest sequence number that readers see
   * @param nextSequence what the first batch gets
   */
  TreeWriter(
      TreeTables tables,
      TreeOptions options,
      Counters counters,
      TreeLog log,
      EmptyRanges emptyRanges,
      LiveSnapshots snapshots,
      LongSupplier published,
      long nextSequence) {
    this.tables = tables;
    this.options = options;
    this.counters = counters;
    this.log = log;
    this.emptyRanges = emptyRanges;
    this.snapshots = snapshots;
    this.published = published;
    this.nextSequence = nextSequence;
    this.written = new Written(log.current().writtenPosition(), nextSequence - 1);
  }

  /** As {@link LsmTree#nextSequence}. */
  long nextSequence() {
    return nextSequence;
  }

  /** What was committed last. Any thread. */
  Written written() {
    return written;
  }

  /** As {@link LsmTree#isWhole}. Any thread. */
  boolean isWhole() {
    return halfApplied == null;
  }

  /** As {@link LsmTree#wantsRotation}. Any thread. */
  boolean wantsRotation() {
    return wantsRotation;
  }

  /**
   * As {@link LsmTree#apply}, and commits if that is said and the operating system takes it, which
   * {@link #written} then tells: as {@link LsmTree#applyAndCommit}.
   */
  long apply(WriteBatch batch, boolean commits) throws IOException {
    requireWhole();
    rotateIfFull();
    long sequence = nextSequence;
    byte[] payload = batch.encode(sequence);
    int payloadBytes = batch.encodedBytes();
    batchReader.reset(payload, payloadBytes);
    // Most of what a large batch needs, while nothing has changed yet.
    batch.places().begin(batchReader.entries());
    log.append(payload, 0, payloadBytes);
    Written its = commits ? writtenThrough(sequence + batch.reservedSequences() - 1) : null;
    insert(batch, sequence, its != null && published.getAsLong() == sequence - 1);
    // From here on nothing fails: readers may wait for what only its own publication shows them.
    batchReader.forgetLarge();
    nextSequence = sequence + batch.reservedSequences();
    emptyRanges.applied(nextSequence - 1);
    if (its != null) {
      committed(its);
    }
    return sequence;
  }

  /**
   * Writes the log. Returns what is committed once the batch is in memory that ends at {@code
   * sequence}, or null if that has to be tried again.
   */
  private @Nullable Written writtenThrough(long sequence) {
    try {
      log.write();
      return new Written(log.current().writtenPosition(), sequence);
    } catch (IOException | RuntimeException | OutOfMemoryError notYet) {
      // Who commits is told when that fails again. The log has the batch, so memory must, too.
      return null;
    }
  }

  /** As {@link LsmTree#writeAhead}. */
  void writeAhead() {
    try {
      log.write();
    } catch (IOException | RuntimeException | OutOfMemoryError notYet) {
      // Who commits is told when that fails again.
    }
  }

  /**
   * Puts the batch that was encoded last into the active memtable.
   *
   * @param isPublishedNext whether readers see all before it already, and it before they see
   *     anything else
   */
  private void insert(WriteBatch batch, long sequence, boolean isPublishedNext) {
    MemtableSlot active = tables.active();
    Memtable table = active.table();
    try {
      table.dropSpent(published.getAsLong(), snapshots);
      if (isPublishedNext) {
        snapshots.publishedNext(sequence);
        table.beginRetractable(sequence);
      }
      active.insert(batchReader, batch.places(), counters, emptyRanges, snapshots);
      table.keep();
    } catch (RuntimeException | Error failure) {
      halfApplied = failure;
      table.takeBack();
      snapshots.notPublishedNext();
      throw failure;
    }
  }

  /** As {@link LsmTree#commit}. */
  long commit() throws IOException {
    log.write();
    Written its = new Written(log.current().writtenPosition(), nextSequence - 1);
    committed(its);
    return its.sequence;
  }

  private void committed(Written its) {
    written = its;
    snapshots.committed(its.sequence);
  }

  /**
   * Nothing is done with a memtable that has only half of a batch.
   *
   * @throws IOException that says why there is such a one
   */
  void requireWhole() throws IOException {
    Throwable failure = halfApplied;
    if (failure != null) {
      throw new IOException(
          "a batch got only half-way into memory, open the tree again: " + failure, failure);
    }
  }

  /** As {@link LsmTree#rotate}. */
  boolean rotate() throws IOException {
    if (!isWhole()) {
      return false;
    }
    if (log.wantsStep()) {
      return replaceLog();
    }
    MemtableSlot full = tables.active();
    if (full.isEmpty() || !log.isSound()) {
      return false;
    }
    if (!log.roll()) {
      if (!wantsRotation) {
        wantsRotation = true;
        options.onWork().run();
      }
      return false;
    }
    emptyRanges.forgetUnused();
    rotateTo(log.current(), full);
    return true;
  }

  private void rotateTo(Log next, MemtableSlot full) {
    wantsRotation = false;
    tables.rotate(
        new MemtableSlot(tables.newMemtable(), next.segmentNumber(), full.lastSequence()));
    options.onWork().run();
  }

  /** Goes on with the log that takes the place of a poisoned one; its memtable is flushed first. */
  private boolean replaceLog() {
    boolean replaced = log.step(fresh -> rotateTo(fresh, tables.active()));
    options.onWork().run();
    return replaced;
  }

  /** As {@link LsmTree#rotateIfFull}. */
  void rotateIfFull() throws IOException {
    if (!isWhole()) {
      return;
    }
    if (log.wantsStep()) {
      replaceLog();
    } else if (tables.active().table().bytes() >= options.memtableBytesMax()
        && tables.immutableCount() < options.immutableMemtablesMax()) {
      rotate();
    }
  }
}
