package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.LsmTree;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.TreeOptions;
import dev.varve.lsm.WriteBatch;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys of megabytes that start alike: an index has what they share once, while all share it. */
class LongKeysMergeTest {
  private static final byte[] VALUE = {1};
  private static final int KEY_BYTES = 4 << 20;
  private static final int KEYS_ALIKE = 20;
  private static final int FLUSHES = 4;

  @TempDir private Path directory;

  private static byte[] key(int first, int number) {
    byte[] key = new byte[KEY_BYTES];
    key[0] = (byte) first;
    key[KEY_BYTES - 1] = (byte) number;
    return key;
  }

  @Test
  void aMergeEndsATableBeforeAKeyThatMakesItsIndexLong() throws IOException {
    OffHeap memory = new OffHeap();
    FakeClock clock = new FakeClock();
    Graveyard graveyard = new Graveyard();
    try (LsmTree tree =
        LsmTree.open(
            RealStorageDirectory.open(directory),
            TreeOptions.builder().offHeap(memory).memtableBytesMax(256 << 20).build())) {
      // Over each other, so that one merge has all of them.
      for (int flush = 0; flush < FLUSHES; flush++) {
        for (int number = flush; number < KEYS_ALIKE; number += FLUSHES) {
          tree.write(new WriteBatch().put(key(1, number), VALUE));
        }
        if (flush == FLUSHES - 1) {
          tree.write(new WriteBatch().put(key(2, 0), VALUE));
        }
        tree.flush();
      }
      assertEquals(FLUSHES, tree.version().level(0).size());
      Compactor compactor =
          new Compactor(
              new TreeTableStore(tree),
              graveyard,
              graveyard,
              CompactionOptions.DEFAULT,
              Pace.UNLIMITED,
              WorkTime.alone(clock, clock));
      CompletionStage<Void> merged = compactor.compactRange(null, null);
      while (compactor.runOnce()) {
        continue;
      }
      tree.maintain();
      merged.toCompletableFuture().join();

      assertEquals(0, compactor.statistics().failures());
      assertEquals(1, compactor.statistics().merges());
      assertTrue(tree.version().level(0).isEmpty());
      assertEquals(2, tree.version().tableCount());
      long indexBytes = memory.heldBytes(OffHeap.Part.INDEX_AND_FILTER);
      assertTrue(indexBytes < 3L * KEY_BYTES, indexBytes + " bytes");
      try (Snapshot now = tree.snapshot()) {
        for (int number = 0; number < KEYS_ALIKE; number++) {
          assertArrayEquals(VALUE, now.get(key(1, number)), "key " + number);
        }
        assertArrayEquals(VALUE, now.get(key(2, 0)));
      }
      assertFalse(compactor.avoidsTables());
    }
  }
}
