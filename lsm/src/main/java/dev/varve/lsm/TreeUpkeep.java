package dev.varve.lsm;

import dev.varve.wal.StorageDirectory;
import java.io.IOException;

/**
 * What a tree does for itself: prepares log segments, flushes memtables, deletes files. For worker
 * threads, one at a time: others wait.
 */
final class TreeUpkeep {
  private final LsmTree tree;
  private final StorageDirectory directory;
  private final TreeTables tables;
  private final TreeLog log;
  private final FlushTotals flushes = new FlushTotals();

  /** Guarded by this. */
  private boolean ended;

  TreeUpkeep(LsmTree tree, StorageDirectory directory, TreeTables tables, TreeLog log) {
    this.tree = tree;
    this.directory = directory;
    this.tables = tables;
    this.log = log;
  }

  /** As {@link LsmTree#maintain}. */
  synchronized boolean run() throws IOException {
    if (ended) {
      return false;
    }
    boolean prepared;
    try {
      // First: a full disk needs what they hold. What fails is tried again, and told, at the end.
      tables.deleteObsolete();
      prepared = log.prepare();
    } catch (IOException | OutOfMemoryError unprepared) {
      // A flush may still work, and it lets go of log segments and of memory.
      flushOldest();
      tables.deleteObsolete();
      throw unprepared;
    }
    boolean flushed = flushOldest();
    IOException undeleted = tables.deleteObsolete();
    if (prepared && (tree.wantsRotation() || log.wantsStep())) {
      tree.options().onWork().run();
    }
    if (undeleted != null) {
      throw undeleted;
    }
    return flushed;
  }

  private boolean flushOldest() throws IOException {
    MemtableSlot oldest = tables.oldestImmutable();
    if (oldest != null) {
      FlushPass.run(tree, tables, oldest, flushes);
    }
    log.flushed(() -> tables.immutableCount() == 0);
    if (oldest != null) {
      log.current().deleteSegmentsBelow(tables.shape().oldestLogSegment());
    }
    return oldest != null;
  }

  /** Takes the moment of a checkpoint, while no flush lets go of what it needs. */
  synchronized Checkpoint beginCheckpoint() throws IOException {
    if (ended) {
      throw new IOException("the tree is closed");
    }
    return Checkpoint.begin(directory, tree.options(), tables, log);
  }

  /** What flushes have written and dropped. Any thread. */
  FlushTotals flushes() {
    return flushes;
  }

  /** Does nothing from now on. Returns false if it was told before. */
  synchronized boolean end() {
    boolean isFirst = !ended;
    ended = true;
    return isFirst;
  }
}
