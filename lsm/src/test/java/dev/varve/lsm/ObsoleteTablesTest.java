package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.VersionEdit;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What happens when memory runs out while tables are let go of. */
class ObsoleteTablesTest {
  private static final int TABLES = 3;

  private static byte[] key(int number) {
    return new byte[] {(byte) number};
  }

  @Test
  void anErrorWhileOneIsClosedGivesNothingBackTwice() throws IOException {
    CrashableStorageDirectory device = new CrashableStorageDirectory();
    FailingStorageDirectory disk = new FailingStorageDirectory(device);
    OffHeap memory = new OffHeap();
    LsmTree tree = LsmTree.open(disk, TreeOptions.builder().offHeap(memory).build());
    for (int i = 0; i < TABLES; i++) {
      tree.write(new WriteBatch().put(key(i), key(i)));
      tree.flush();
    }
    List<TableMeta> tables = tree.version().level(0);
    String leaving = tables.get(TABLES - 1).fileName();
    disk.beforeClose(
        file -> {
          if (file.equals(leaving)) {
            disk.beforeClose(none -> {});
            throw new OutOfMemoryError("of this test");
          }
        });
    tree.tables().install(new VersionEdit().delete(0, tables.get(TABLES - 1).number()));
    assertThrows(OutOfMemoryError.class, tree::maintain);
    tree.maintain();
    tree.write(new WriteBatch().put(key(TABLES), key(TABLES)));
    tree.flush();
    tree.maintain();
    assertFalse(device.list().contains(leaving));
    try (Snapshot snapshot = tree.snapshot()) {
      for (int i = 1; i <= TABLES; i++) {
        assertArrayEquals(key(i), snapshot.get(key(i)));
      }
    }
    tree.close();
    assertEquals(0, memory.heldBytes());
  }
}
