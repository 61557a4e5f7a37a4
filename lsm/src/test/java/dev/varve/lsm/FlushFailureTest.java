package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.OffHeap.Part;
import dev.varve.wal.ScarceMemory;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A flush that finds no memory leaves nothing behind, wherever it finds none. */
class FlushFailureTest {
  private static final int ENTRIES = 200;
  private static final int VALUE_BYTES = 1000;

  /** No two passes over the same entries need more. */
  private static final int ALLOCATIONS_MAX = 1_000;

  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();
  private final ScarceMemory memory = new ScarceMemory(Part.COMPACTION_BUFFER);
  private final Random random = new Random(1);

  private LsmTree open() throws IOException {
    // A dozen tables.
    return LsmTree.open(
        directory, TreeOptions.builder().offHeap(memory).flushedTableBytes(16 << 10).build());
  }

  private static byte[] key(int number) {
    return String.format("key%04d", number).getBytes();
  }

  private byte[] fill(LsmTree tree) throws IOException {
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    for (int i = 0; i < ENTRIES; i++) {
      tree.write(new WriteBatch().put(key(i), value));
    }
    tree.maintain();
    assertTrue(tree.rotate());
    return value;
  }

  private long tableFiles() {
    return directory.list().stream().filter(name -> name.endsWith(TableMeta.FILE_SUFFIX)).count();
  }

  /** For the flush is what gives memory back. */
  @Test
  void aFlushGoesOnWhereMemoryRunsOutForAFreshLog() throws IOException {
    FailingStorageDirectory failing = new FailingStorageDirectory(directory);
    ScarceMemory logMemory = new ScarceMemory(Part.LOG_BUFFER);
    LsmTree tree = LsmTree.open(failing, TreeOptions.builder().offHeap(logMemory).build());
    byte[] value = fill(tree);
    failing.failCall(Kind.SYNC_FILE, 1, new IOException("Input/output error"));
    assertThrows(IOException.class, tree::sync);
    tree.rotateIfFull();
    assertEquals(1, tree.stats().immutableMemtables());
    logMemory.runOutAfter(0);
    assertThrows(OutOfMemoryError.class, tree::maintain);
    assertEquals(0, tree.stats().immutableMemtables());
    try (Snapshot snapshot = tree.snapshot()) {
      assertArrayEquals(value, snapshot.get(key(0)));
    }
    tree.close();
    assertEquals(0, logMemory.heldBytes());
  }

  @Test
  void aFlushThatMemoryRunsOutForLeavesNoTableAndNoMemory() throws IOException {
    LsmTree tree = open();
    byte[] value = fill(tree);
    int allocations = 0;
    while (tree.version().tableCount() == 0) {
      assertTrue(allocations < ALLOCATIONS_MAX, "it never succeeds");
      memory.runOutAfter(allocations++);
      try {
        tree.maintain();
      } catch (OutOfMemoryError expected) {
        assertEquals(0, tableFiles(), () -> "left by " + expected);
        assertEquals(0, memory.heldBytes(Part.COMPACTION_BUFFER));
      }
    }
    memory.relax();
    assertTrue(tree.version().tableCount() > 1);
    try (Snapshot snapshot = tree.snapshot()) {
      for (int i = 0; i < ENTRIES; i++) {
        assertArrayEquals(value, snapshot.get(key(i)));
      }
    }
    tree.close();
    assertEquals(0, memory.heldBytes());
  }

  @Test
  void aTableThatCouldNeitherBeWrittenNorDeletedIsDeletedLater() throws IOException {
    FailingStorageDirectory failing = new FailingStorageDirectory(directory);
    try (LsmTree tree = LsmTree.open(failing, TreeOptions.builder().offHeap(memory).build())) {
      fill(tree);
      failing.failAll(
          call ->
              call.file().endsWith(TableMeta.FILE_SUFFIX)
                  && (call.kind() == Kind.WRITE || call.kind() == Kind.DELETE),
          new IOException("Input/output error"));
      IOException failure = assertThrows(IOException.class, tree::maintain);
      // It says what ended the flush, and then what else went wrong.
      assertEquals(1, failure.getSuppressed().length);
      assertEquals(1, tableFiles());
      failing.heal();
      tree.flush();
      tree.maintain();
      assertEquals(1, tree.version().tableCount());
      assertEquals(1, tableFiles());
    }
  }
}
