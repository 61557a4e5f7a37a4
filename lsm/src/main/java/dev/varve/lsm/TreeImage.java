package dev.varve.lsm;

import dev.varve.lsm.entry.EmptyRanges;
import dev.varve.lsm.entry.WalkObserver;
import dev.varve.lsm.table.ReadContext;
import dev.varve.wal.StorageDirectory;
import java.io.Closeable;
import java.io.IOException;

/**
 * What a directory's tree holds, its log included, for who only looks: nothing in the directory
 * changes, and nobody writes to it meanwhile.
 *
 * <p>What the log has is in memory, as much as it is. For one thread at a time; its reads wait for
 * the disk.
 */
public final class TreeImage implements Closeable {
  private final TreeTables tables;
  private final Counters counters;
  private final long sequence;
  private final EmptyRanges emptyRanges;
  private final LiveSnapshots snapshots;

  /** Takes over the tables. */
  TreeImage(TreeTables tables, Counters counters, long sequence) {
    this.tables = tables;
    this.counters = counters;
    this.sequence = sequence;
    this.emptyRanges = new EmptyRanges(sequence, WalkObserver.NONE);
    this.snapshots = new LiveSnapshots(() -> this.sequence, sequence);
  }

  /**
   * Reads what a start would find. The directory stays the caller's, who has it {@linkplain
   * StorageDirectory#lockToRead locked}.
   *
   * @param options of which sizes and {@code salts} do not matter
   * @throws IOException as {@link LsmTree#open} does, and when there is no tree
   */
  public static TreeImage open(StorageDirectory directory, TreeOptions options) throws IOException {
    return TreeRecovery.image(directory, options);
  }

  /** All of it. The caller closes it first. */
  public Snapshot snapshot() {
    TreeState state = tables.hold();
    int entered = snapshots.enter(sequence);
    return new Snapshot(
        state, sequence, ReadContext.MAY_BLOCK, emptyRanges, false, snapshots, entered);
  }

  /** A counter, as {@link LsmTree#counter} has it. */
  public long counter(long counter) {
    return counters.get(counter);
  }

  @Override
  public void close() throws IOException {
    tables.close();
  }
}
