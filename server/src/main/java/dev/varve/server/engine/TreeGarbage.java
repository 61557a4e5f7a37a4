package dev.varve.server.engine;

import dev.varve.codec.Databases;
import dev.varve.codec.DeadRange;
import dev.varve.codec.Garbage;
import dev.varve.codec.GarbageRecord;
import dev.varve.codec.format.KeyFormat;
import dev.varve.compaction.Death;
import dev.varve.compaction.GarbageSource;
import dev.varve.compaction.KeyRange;
import dev.varve.lsm.LsmTree;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.entry.DeadEntryRule;
import dev.varve.lsm.entry.DeadRanges;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.lsm.table.ReadContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What codec knows of garbage, told to the passes: the dead-entry rule, and the recorded deaths
 * from which compaction chooses. Safe for use by several threads, which may wait for the disk.
 */
final class TreeGarbage implements DeadEntryRule, GarbageSource {
  /*
   * A garbage record may be younger than the last sync of the log, and what a pass drops is gone at
   * once. If power failed then, the end of the log would be lost and with it the record: the
   * collection would be alive again, without its members. So a record is heeded only once it is
   * synced. When there is no record there is nothing to sync for: a record leaves after the death
   * that it tells of has reached a table.
   *
   * When the log cannot be synced, or a record not be read, a pass drops nothing by records. It must
   * run all the same: a log that was poisoned is only replaced once all of it has been flushed.
   */

  private static final Logger LOG = LoggerFactory.getLogger(TreeGarbage.class);

  private static final long NONE_DIED = Long.MAX_VALUE;
  private static final byte[] GARBAGE_START = {KeyFormat.GARBAGE};
  private static final byte[] GARBAGE_END = {KeyFormat.GARBAGE + 1};

  private final LsmTree tree;
  private final TreeStore store;
  private final int databaseCount;

  /** When the oldest recorded death was, in ms since 1970, as of the last walk over all. */
  private volatile long oldestDiedMillis = NONE_DIED;

  TreeGarbage(LsmTree tree, TreeStore store, int databaseCount) {
    this.tree = tree;
    this.store = store;
    this.databaseCount = databaseCount;
  }

  @Override
  public DeadRanges deadRanges(long horizon) {
    // The state now, at or after the horizon: whoever reads once the pass is installed reads later.
    try (TreeView view = latest()) {
      return new RecordedRanges(this::latestForPass, Databases.load(view, databaseCount));
    } catch (IOException | ReadFailure unsynced) {
      LOG.warn("a pass drops nothing that died: {}", unsynced.getMessage());
      return DeadRanges.UNTOLD;
    }
  }

  /** The latest published state, of which all that it says of deaths is synced. */
  private TreeView latest() throws IOException {
    Snapshot snapshot = tree.snapshot(ReadContext.MAY_BLOCK);
    try {
      try (VisibleCursor records = records(snapshot)) {
        if (records.seekToFirst()) {
          tree.sync();
        }
      }
      return new TreeView(snapshot);
    } catch (IOException | RuntimeException e) {
      snapshot.close();
      throw e;
    }
  }

  /** The same in the middle of a pass. */
  private TreeView latestForPass() {
    try {
      return latest();
    } catch (IOException e) {
      throw new ReadFailure(e);
    }
  }

  @Override
  public long generation() {
    return store.caches().garbageGeneration();
  }

  @Override
  public void forEach(Consumer<Death> visitor) {
    try (Snapshot snapshot = tree.snapshot(ReadContext.MAY_BLOCK);
        VisibleCursor records = records(snapshot)) {
      boolean found = records.seekToFirst();
      if (found) {
        sync();
      }
      long oldest = NONE_DIED;
      for (; found; found = records.next()) {
        GarbageRecord record = Garbage.record(records.copyKey(), records.copyValue());
        if (record.living() == null) {
          oldest = Math.min(oldest, record.diedMillis());
        }
        visitor.accept(death(record, records.sequence()));
      }
      oldestDiedMillis = oldest;
    }
  }

  /** For how long the oldest recorded death has been waiting; 0 if there is none. */
  long oldestAgeMillis(long nowMillis) {
    long oldest = oldestDiedMillis;
    return oldest == NONE_DIED ? 0 : Math.max(0, nowMillis - oldest);
  }

  private static VisibleCursor records(Snapshot snapshot) {
    return snapshot.cursor(GARBAGE_START, GARBAGE_END);
  }

  /** Everything that was published before this call survives power loss after it. */
  private void sync() {
    try {
      tree.sync();
    } catch (IOException e) {
      throw new ReadFailure(e);
    }
  }

  /**
   * @param sequence the batch that wrote the record, which is the one that it died in
   */
  private static Death death(GarbageRecord record, long sequence) {
    List<KeyRange> ranges = new ArrayList<>();
    for (byte tag : record.tags()) {
      for (DeadRange range : record.ranges(tag)) {
        ranges.add(new KeyRange(range.start(), range.end()));
      }
    }
    return new Death(record, ranges, sequence, rawBytes(record), record.living() != null);
  }

  /** The record that a death was told of by {@link #forEach}. */
  static GarbageRecord record(Death death) {
    return (GarbageRecord) death.id();
  }

  /** Keys too, which are not counted with what died: each has about the record's key in front. */
  private static long rawBytes(GarbageRecord record) {
    return KeyFormat.isDatabaseGarbage(record.storedKey())
        ? Death.UNKNOWN
        : record.bytes() + record.entries() * (record.storedKey().length + Long.BYTES);
  }
}
