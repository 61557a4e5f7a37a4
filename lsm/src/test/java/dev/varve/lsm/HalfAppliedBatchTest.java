package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.table.ReadContext;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import dev.varve.wal.ScarceMemory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A batch for which memory runs out half-way is whole or not there, now and after a restart. */
class HalfAppliedBatchTest {
  private static final byte[] FITS = bytes("a fits");
  private static final byte[] DOES_NOT = bytes("b needs a chunk");
  private static final byte[] COMMITTED = bytes("committed");
  private static final byte[] VALUE = bytes("v");
  private static final byte[] VALUE_2 = bytes("v2");

  private final CrashableStorageDirectory device = new CrashableStorageDirectory();
  private final ScarceMemory memory = new ScarceMemory(OffHeap.Part.MEMTABLE);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private LsmTree open(CrashableStorageDirectory directory) throws IOException {
    return LsmTree.open(
        directory, TreeOptions.builder().offHeap(memory).memtableBytesMax(1 << 20).build());
  }

  private LsmTree half() throws IOException {
    LsmTree tree = open(device);
    tree.write(new WriteBatch().put(COMMITTED, VALUE));
    memory.runOutAfter(0);
    WriteBatch torn = new WriteBatch().put(FITS, VALUE).put(DOES_NOT, new byte[60_000]);
    assertThrows(OutOfMemoryError.class, () -> tree.apply(torn));
    memory.relax();
    return tree;
  }

  @Test
  void nobodySeesItAndNothingFollowsIt() throws IOException {
    LsmTree tree = half();
    assertFalse(tree.isWritable());
    assertThrows(IOException.class, () -> tree.write(new WriteBatch().put(FITS, VALUE)));
    tree.publish(tree.commit());
    try (Snapshot now = tree.snapshot()) {
      assertNull(now.get(FITS));
      assertArrayEquals(VALUE, now.get(COMMITTED));
    }
    try (Snapshot writers = tree.writerSnapshot(ReadContext.MAY_BLOCK)) {
      assertNull(writers.get(FITS));
    }
    tree.close();
  }

  @Test
  @Timeout(60)
  void whatItWouldHaveReplacedIsStillThereForReaders() throws IOException {
    LsmTree tree = open(device);
    tree.write(new WriteBatch().put(COMMITTED, VALUE).put(DOES_NOT, VALUE));
    tree.write(new WriteBatch().put(FITS, VALUE).inserting());
    memory.runOutAfter(0);
    WriteBatch torn =
        new WriteBatch().delete(FITS).put(COMMITTED, VALUE_2).put(DOES_NOT, new byte[60_000]);
    assertThrows(OutOfMemoryError.class, () -> tree.applyAndCommit(torn));
    memory.relax();
    tree.publish(tree.commit());
    try (Snapshot now = tree.snapshot()) {
      assertArrayEquals(VALUE, now.get(FITS));
      assertArrayEquals(VALUE, now.get(COMMITTED));
      assertArrayEquals(VALUE, now.get(DOES_NOT));
    }
    tree.close();
    try (LsmTree again = open(device.kill());
        Snapshot now = again.snapshot()) {
      assertNull(now.get(FITS));
      assertArrayEquals(VALUE_2, now.get(COMMITTED));
    }
  }

  @Test
  void itGetsIntoNoTable() throws IOException {
    LsmTree tree = half();
    assertFalse(tree.rotate());
    assertThrows(IOException.class, tree::flush);
    assertEquals(0, tree.version().tableCount());
    tree.close();
  }

  @Test
  void afterARestartItIsWholeOrNotThereAndWritingGoesOn() throws IOException {
    LsmTree tree = half();
    tree.commit();
    try (LsmTree again = open(device.kill());
        Snapshot now = again.snapshot()) {
      assertArrayEquals(VALUE, now.get(COMMITTED));
      assertEquals(now.get(FITS) == null, now.get(DOES_NOT) == null, "half of it is there");
      assertTrue(again.isWritable());
      again.write(new WriteBatch().put(FITS, VALUE));
      again.flush();
    }
  }
}
