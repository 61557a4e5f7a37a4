package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.LsmTree;
import dev.varve.lsm.WriteBatch;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A merge that fails while it writes a table, on a disk that does not let that one go either. */
class UnfinishedTableTest {
  private static final int FLUSHES = 4;
  private static final int KEYS = 50;

  private final OffHeap memory = new OffHeap();
  private final CrashableStorageDirectory device = new CrashableStorageDirectory();
  private final FailingStorageDirectory disk = new FailingStorageDirectory(device);
  private final Graveyard graveyard = new Graveyard();
  private final FakeClock clock = new FakeClock();

  private long tableFiles() {
    return device.list().stream().filter(name -> name.endsWith(TableMeta.FILE_SUFFIX)).count();
  }

  @Test
  void isDeletedLater() throws IOException {
    try (LsmTree tree = SmallTree.open(disk, memory, 100, graveyard)) {
      for (int flush = 0; flush < FLUSHES; flush++) {
        for (int i = 0; i < KEYS; i++) {
          tree.write(new WriteBatch().put(("key" + i).getBytes(), new byte[100]));
        }
        tree.flush();
      }
      long tables = tree.version().tableCount();
      assertEquals(tables, tableFiles());
      disk.failAll(
          call ->
              call.file().endsWith(TableMeta.FILE_SUFFIX)
                  && (call.kind() == Kind.WRITE || call.kind() == Kind.DELETE),
          new IOException("Input/output error"));
      Compactor compactor = SmallTree.compactor(tree, graveyard, clock);
      assertFalse(compactor.runOnce());
      assertEquals(1, compactor.statistics().failures());
      assertTrue(tableFiles() > tables);
      disk.heal();
      tree.maintain();
      assertEquals(tables, tree.version().tableCount());
      assertEquals(tables, tableFiles());
    }
    assertEquals(0, memory.heldBytes());
  }
}
