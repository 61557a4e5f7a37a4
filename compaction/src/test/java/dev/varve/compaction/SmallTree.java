package dev.varve.compaction;

import dev.varve.lsm.LsmTree;
import dev.varve.lsm.TreeOptions;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;

/** A real tree whose memtables, tables and levels are so small that a test sees many of each. */
final class SmallTree {
  private static final CompactionOptions OPTIONS =
      new CompactionOptions(3, 8_000, 4, 4_000, 3, 30_000, 0.25, 0.02, 0.25);

  private SmallTree() {}

  /** Opens one in which {@code graveyard} says what is dead. */
  static LsmTree open(
      StorageDirectory directory, OffHeap memory, int immutableMemtablesMax, Graveyard graveyard)
      throws IOException {
    LsmTree tree =
        LsmTree.open(
            directory,
            TreeOptions.builder()
                .offHeap(memory)
                .memtableBytesMax(16 << 10)
                .blockBytes(256)
                .blockCacheBytesMax(0)
                .flushedTableBytes(4_000)
                .immutableMemtablesMax(immutableMemtablesMax)
                .levelZeroRuns(1_000, 2_000)
                .keyOrder(new CollectionsApart())
                .build());
    tree.useDeadEntryRule(graveyard);
    return tree;
  }

  static Compactor compactor(LsmTree tree, Graveyard graveyard, FakeClock clock) {
    return new Compactor(
        new TreeTableStore(tree),
        graveyard,
        graveyard,
        OPTIONS,
        Pace.UNLIMITED,
        WorkTime.alone(clock, clock));
  }
}
