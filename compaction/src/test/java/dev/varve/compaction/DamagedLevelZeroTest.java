package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.LsmTree;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.TreeOptions;
import dev.varve.lsm.WriteBatch;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A table of level 0 with a block that nobody can read: what is written over it goes on. */
class DamagedLevelZeroTest {
  private static final int OLD_KEYS = 200;
  private static final int NEW_KEYS = 10;
  private static final int FLUSHES = 100;

  /** Those that wait, and as many as there are sizes of merged ones. */
  private static final int TABLES_MAX = 12;

  private final OffHeap memory = new OffHeap();
  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();
  private final Graveyard graveyard = new Graveyard();
  private final FakeClock clock = new FakeClock();

  private static byte[] key(int number) {
    return String.format("key%04d", number).getBytes();
  }

  private static byte[] value(int round) {
    return ("value" + round).getBytes();
  }

  private void damage(TableMeta table) throws IOException {
    byte[] content = directory.content(table.fileName());
    content[0] ^= 1;
    directory.setContent(table.fileName(), content);
  }

  private LsmTree open() throws IOException {
    return LsmTree.open(
        directory, TreeOptions.builder().offHeap(memory).blockCacheBytesMax(0).build());
  }

  /** Returns a table of old values, which can be opened, but not read. */
  private TableMeta writeAndDamage() throws IOException {
    try (LsmTree tree = open()) {
      for (int number = 0; number < OLD_KEYS; number++) {
        tree.write(new WriteBatch().put(key(number), new byte[1_000]));
      }
      tree.flush();
      TableMeta table = tree.version().level(0).get(0);
      damage(table);
      return table;
    }
  }

  @Test
  void tablesThatAreFlushedOverItStayFewAndAreReadFirst() throws IOException {
    TableMeta damaged = writeAndDamage();
    try (LsmTree tree = open()) {
      Compactor compactor = SmallTree.compactor(tree, graveyard, clock);
      for (int round = 1; round <= FLUSHES; round++) {
        for (int number = 0; number < NEW_KEYS; number++) {
          tree.write(new WriteBatch().put(key(number), value(round)));
        }
        tree.flush();
        clock.advanceMillis(500);
        while (compactor.runOnce()) {
          continue;
        }
        tree.maintain();
        int tables = tree.version().level(0).size();
        assertTrue(tables <= TABLES_MAX, tables + " tables in round " + round);
        try (Snapshot now = tree.snapshot()) {
          for (int number = 0; number < NEW_KEYS; number++) {
            assertArrayEquals(value(round), now.get(key(number)));
          }
        }
      }
      assertTrue(compactor.statistics().failures() > 0);
      assertTrue(tree.version().level(0).contains(damaged));
    }
    assertEquals(0, memory.heldBytes());
  }
}
