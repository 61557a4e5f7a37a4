package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.DeadEntryRule;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the shape costs: a small tree whose ratios are those of a large one. */
class ShapeSimulationTest {
  private static final int ENTRY_BYTES = 32;
  private static final int MEMTABLE_ENTRIES = 500;
  private static final int FLUSH_BYTES = MEMTABLE_ENTRIES * ENTRY_BYTES;
  private static final CompactionOptions OPTIONS =
      new CompactionOptions(
          4, 4L * FLUSH_BYTES, 10, 2L * FLUSH_BYTES, 10, 16L * FLUSH_BYTES, 0.25, 0.02, 0.25);

  private final MemoryStore store = new MemoryStore();
  private final FakeClock clock = new FakeClock();
  private final Graveyard graveyard = new Graveyard();
  private final Compactor compactor =
      new Compactor(
          store, graveyard, graveyard, OPTIONS, Pace.UNLIMITED, WorkTime.alone(clock, clock));

  /** The proportions of five million entries of 116 bytes over memtables of 64 MiB. */
  @Test
  void overwritingTheReferenceLoadCostsLittleAndLeavesLittleBehind() throws IOException {
    int keys = 10 * MEMTABLE_ENTRIES;
    fill(keys);
    Costs costs = overwrite(keys, 4 * keys);

    assertTrue(costs.writeAmplification() <= 4.0, costs.toString());
    assertTrue(costs.spaceAmplification() <= 1.5, costs.toString());
    quiet();
    assertTrue(space(keys) <= 1.25, "quiet " + space(keys));
  }

  @Test
  void aTreeOfManyBatchesGrowsASecondLevelAndStaysWithinBounds() throws IOException {
    int keys = 40 * 4 * MEMTABLE_ENTRIES;
    fill(keys);
    Costs costs = overwrite(keys, keys / 2);

    assertTrue(!store.version().level(5).isEmpty(), "no second level");
    assertTrue(costs.writeAmplification() <= 16, costs.toString());
    assertTrue(costs.spaceAmplification() <= 1.5, costs.toString());
    quiet();
    assertTrue(space(keys) <= 1.5, "quiet " + space(keys));
  }

  @Test
  void fillingInKeyOrderRewritesNothing() throws IOException {
    for (int key = 0; key < 50_000; key++) {
      write(key, false);
    }
    store.publishAll();
    quiet();

    assertEquals(0, compactor.statistics().bytesWritten());
    assertEquals(0, store.version().level(0).size());
  }

  @Test
  void tombstonesOfHalfTheKeysVanishWithWhatTheyHide() throws IOException {
    int keys = 10 * MEMTABLE_ENTRIES;
    fill(keys);
    quiet();
    for (int key = 0; key < keys; key += 2) {
      write(key, true);
    }
    store.publishAll();
    store.flush(DeadEntryRule.NONE);
    quiet();

    assertEquals(keys / 2, store.totalEntries());
    assertTrue(space(keys / 2) <= 1.1, "space " + space(keys / 2));
  }

  @Test
  void aQueueLeavesNothingBehind() throws IOException {
    int length = 100;
    for (int i = 0; i < 50_000; i++) {
      write(i, false);
      if (i >= length) {
        write(i - length, true);
      }
    }
    store.publishAll();
    store.flush(DeadEntryRule.NONE);
    quiet();

    assertTrue(store.totalEntries() <= 1.05 * length, "left " + store.totalEntries());
    assertTrue(
        compactor.statistics().bytesWritten() <= store.flushedBytes,
        compactor.statistics() + " after " + store.flushedBytes);
  }

  @Test
  void smallFlushesDoNotRewriteTheTreeEachTime() throws IOException {
    int keys = 40 * MEMTABLE_ENTRIES;
    fill(keys);
    quiet();
    long before = compactor.statistics().bytesWritten();
    store.flushedBytes = 0;
    Random random = new Random(5);
    for (int i = 0; i < 5_000; i++) {
      write(random.nextInt(keys), false);
      if (i % 20 == 0) {
        flushAndCompact();
      }
    }

    double amplification =
        (double) (compactor.statistics().bytesWritten() - before) / store.flushedBytes;
    assertTrue(amplification <= 20, "write amplification " + amplification);
    assertTrue(
        store.version().level(0).size() <= 2 * OPTIONS.levelZeroTables(),
        "level 0 has " + store.version().level(0));
  }

  @Test
  void aDeadCollectionComesBackAlmostUnread() throws IOException {
    for (int collection = 1; collection <= 3; collection++) {
      for (int member = 0; member < 20_000; member++) {
        put(Keys.member(collection, member));
      }
    }
    store.publishAll();
    flushAndCompact();
    quiet();
    CompactionStatistics before = compactor.statistics();

    long death = put(Keys.member(9, 9));
    store.publishAll();
    graveyard.bury(Keys.collection(2), Keys.collection(3), death);
    store.flush(graveyard);
    quiet();

    CompactionStatistics after = compactor.statistics();
    long reclaimed = after.deadRawBytes() - before.deadRawBytes();
    long read = after.bytesRead() - before.bytesRead();
    assertEquals(20_000L * ENTRY_BYTES, reclaimed);
    assertTrue(read < 0.2 * reclaimed, read + " read for " + reclaimed);
    assertEquals(1, compactor.retirable().size());
  }

  private record Costs(double writeAmplification, double spaceAmplification) {}

  private void fill(int keys) throws IOException {
    Random random = new Random(1);
    java.util.List<Integer> order = new java.util.ArrayList<>();
    for (int key = 0; key < keys; key++) {
      order.add(key);
    }
    java.util.Collections.shuffle(order, random);
    for (int key : order) {
      write(key, false);
    }
    store.publishAll();
    flushAndCompact();
  }

  private Costs overwrite(int keys, int writes) throws IOException {
    long writtenBefore = compactor.statistics().bytesWritten() + store.flushedBytes;
    Random random = new Random(2);
    double space = 0;
    for (int i = 0; i < writes; i++) {
      write(random.nextInt(keys), false);
      space = Math.max(space, i % MEMTABLE_ENTRIES == 0 ? space(keys) : 0);
    }
    long written = compactor.statistics().bytesWritten() + store.flushedBytes - writtenBefore;
    return new Costs((double) written / ((long) writes * ENTRY_BYTES), space);
  }

  private double space(int keys) {
    return (double) store.totalBytes() / ((long) keys * ENTRY_BYTES);
  }

  private void write(int key, boolean tombstone) throws IOException {
    if (tombstone) {
      store.delete(Keys.member(1, key));
      store.publishAll();
    } else {
      put(Keys.member(1, key));
    }
  }

  private int unflushed;

  private long put(byte[] key) throws IOException {
    long sequence = store.put(key, Keys.value(store.nextSequence, ENTRY_BYTES - 8));
    store.publishAll();
    if (++unflushed % MEMTABLE_ENTRIES == 0) {
      flushAndCompact();
    }
    return sequence;
  }

  private void flushAndCompact() throws IOException {
    store.flush(graveyard);
    clock.advanceMillis(100);
    while (compactor.runOnce()) {
      checkLevels();
    }
  }

  private void quiet() {
    int passes = 0;
    for (int second = 0; second < 10; second++) {
      clock.advanceMillis(1_000);
      while (compactor.runOnce()) {
        checkLevels();
        assertTrue(++passes < 1_000, "never comes to rest");
      }
    }
  }

  /** No level that level 0 skips over holds anything. */
  private void checkLevels() {
    Version version = store.version();
    int base = new LevelTargets(version, OPTIONS).baseLevel();
    for (int level = 1; level < base; level++) {
      List<TableMeta> tables = version.level(level);
      assertTrue(tables.isEmpty(), "level " + level + " above base " + base + ": " + tables);
    }
  }
}
