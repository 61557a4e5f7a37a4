package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.ScarceMemory;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A start that fails half-way leaves no file open, no memory, and no lock, wherever it fails. */
class StartFailureTest {
  private static final int TABLES = 3;
  private static final int KEYS = 40;
  private static final int STEPS_MAX = 1_000;
  private static final byte[] VALUE = new byte[4_000];
  private static final int MEMTABLE_BYTES = 64 << 10;

  private final CrashableStorageDirectory device = new CrashableStorageDirectory();
  private FailingStorageDirectory directory = new FailingStorageDirectory(device);
  private final ScarceMemory memory = new ScarceMemory();

  /** With memtables so small that the log fills several. */
  private LsmTree open() throws IOException {
    return open(MEMTABLE_BYTES);
  }

  private LsmTree open(int memtableBytes) throws IOException {
    return LsmTree.open(
        directory,
        TreeOptions.builder()
            .offHeap(memory)
            .memtableBytesMax(memtableBytes)
            .salts(new Random(1))
            .build());
  }

  private static byte[] key(int number) {
    return String.format("key%04d", number).getBytes();
  }

  /** Tables, and a log of several segments. */
  @BeforeEach
  void write() throws IOException {
    try (LsmTree tree = open(KEYS * MEMTABLE_BYTES)) {
      int number = 0;
      for (int table = 0; table < TABLES; table++) {
        tree.write(new WriteBatch().put(key(number++), VALUE));
        tree.flush();
      }
      while (number < KEYS) {
        tree.write(new WriteBatch().put(key(number++), VALUE));
        if (number == KEYS / 2) {
          tree.maintain();
          assertTrue(tree.rotate());
        }
      }
      assertEquals(TABLES, tree.version().tableCount());
    }
  }

  private void requireNothingOpen(Throwable failure) {
    assertEquals(List.of(), directory.openFiles(), () -> "left by " + failure);
    assertEquals(0, memory.heldBytes(), () -> "left by " + failure);
  }

  private void requireAll(LsmTree tree) {
    try (Snapshot now = tree.snapshot()) {
      for (int number = 0; number < KEYS; number++) {
        assertArrayEquals(VALUE, now.get(key(number)), "key " + number);
      }
    }
  }

  @Test
  void nothingIsLeftOfAStartWhateverCallOfTheDiskFails() throws IOException {
    int failed = 0;
    boolean allCalls = false;
    for (int call = 1; !allCalls; call++) {
      assertTrue(call < STEPS_MAX, "it never succeeds");
      // As it was written: each start adds to the log that the next one reads.
      directory = new FailingStorageDirectory(device.kill());
      directory.failCall(call, new IOException("Input/output error"));
      try (LsmTree tree = open()) {
        // Or one failed that a start does not need: that deletes the manifest before, say.
        allCalls = directory.calls() < call;
        directory.heal();
        requireAll(tree);
      } catch (IOException failure) {
        directory.heal();
        assertEquals("Input/output error", failure.getMessage());
        requireNothingOpen(failure);
        failed++;
      }
    }
    assertTrue(failed > 10 * TABLES, failed + " failed");
  }

  @Test
  void nothingIsLeftOfAStartWhereverMemoryRunsOut() throws IOException {
    int failed = 0;
    for (int allocations = 0; ; allocations++) {
      assertTrue(allocations < STEPS_MAX, "it never succeeds");
      directory = new FailingStorageDirectory(device.kill());
      memory.runOutAfter(allocations);
      try (LsmTree tree = open()) {
        memory.relax();
        requireAll(tree);
        break;
      } catch (OutOfMemoryError failure) {
        memory.relax();
        assertEquals(ScarceMemory.NONE_LEFT, failure.getMessage());
        requireNothingOpen(failure);
        failed++;
      }
    }
    assertTrue(failed > 3 * TABLES, failed + " failed");
  }
}
