package dev.varve.server.engine;

import dev.varve.codec.Databases;
import dev.varve.codec.Garbage;
import dev.varve.codec.GarbageRecord;
import dev.varve.codec.format.KeyFormat;
import dev.varve.compaction.DeadRange;
import dev.varve.compaction.GarbageSource;
import dev.varve.lsm.LsmTree;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.entry.DeadEntryRule;
import dev.varve.lsm.entry.DeadRanges;
import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.lsm.table.ReadContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What codec knows of garbage, told to the passes: the dead-entry rule, and the recorded ranges
 * from which compaction chooses. Safe for use by several threads, which may wait for the disk.
 */
final class TreeGarbage implements DeadEntryRule, GarbageSource {

  /** A garbage record and the sequence number of the batch that wrote it. */
  private record Death(GarbageRecord record, long sequence) {
    DeadRange range(byte tag) {
      return new DeadRange(record.start(tag), record.end(tag), sequence, rawBytes());
    }

    /** Keys too, which are not counted with what died: each has about the record's key in front. */
    private long rawBytes() {
      return KeyFormat.isDatabaseGarbage(record.storedKey())
          ? Long.MAX_VALUE
          : record.bytes() + record.entries() * (record.storedKey().length + Long.BYTES);
    }
  }

  private static final byte[] GARBAGE_START = {KeyFormat.GARBAGE};
  private static final byte[] GARBAGE_END = {KeyFormat.GARBAGE + 1};

  private final LsmTree tree;
  private final TreeStore store;
  private final int databaseCount;

  TreeGarbage(LsmTree tree, TreeStore store, int databaseCount) {
    this.tree = tree;
    this.store = store;
    this.databaseCount = databaseCount;
  }

  @Override
  public DeadRanges deadRanges(long horizon) {
    // The state now, at or after the horizon: whoever reads once the pass is installed reads later.
    TreeView view = new TreeView(tree.snapshot(ReadContext.MAY_BLOCK), null);
    try {
      return new RecordedRanges(view, Databases.load(view, databaseCount));
    } catch (RuntimeException e) {
      view.close();
      throw e;
    }
  }

  @Override
  public long generation() {
    return store.garbageGeneration();
  }

  @Override
  public void forEach(Consumer<DeadRange> visitor) {
    List<Death> deaths = deaths();
    for (byte tag : GarbageRecord.DATABASE_TAGS) {
      for (Death death : deaths) {
        if (death.record().covers(tag)) {
          visitor.accept(death.range(tag));
        }
      }
    }
  }

  /** The stored keys of at most {@code max} records of which nothing is left to drop. */
  List<byte[]> retirable(Predicate<DeadRange> isGone, int max) {
    List<byte[]> keys = new ArrayList<>();
    for (Death death : deaths()) {
      boolean gone = true;
      for (byte tag : death.record().tags()) {
        gone = gone && isGone.test(death.range(tag));
      }
      if (gone) {
        keys.add(death.record().storedKey());
        if (keys.size() == max) {
          break;
        }
      }
    }
    return keys;
  }

  private List<Death> deaths() {
    List<Death> deaths = new ArrayList<>();
    try (Snapshot snapshot = tree.snapshot(ReadContext.MAY_BLOCK);
        VisibleCursor cursor = snapshot.cursor(GARBAGE_START, GARBAGE_END)) {
      for (boolean found = cursor.seekToFirst(); found; found = cursor.next()) {
        GarbageRecord record = Garbage.record(cursor.copyKey(), cursor.copyValue());
        deaths.add(new Death(record, cursor.sequence()));
      }
    }
    return deaths;
  }
}
