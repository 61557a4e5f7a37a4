package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.table.TableWriter;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.VersionEdit;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys that are as long as tables: what is longer than a table takes never gets into the log. */
class LongKeysTest {
  private static final byte[] VALUE = {1};
  private static final int KEY_BYTES = 1 << 20;
  private static final int KEYS = 12;

  /** On a disk: what is in memory elsewhere has each of them a dozen times. */
  @TempDir private Path directory;

  private LsmTree open() throws IOException {
    return LsmTree.open(
        RealStorageDirectory.open(directory),
        TreeOptions.builder()
            .offHeap(new OffHeap())
            .memtableBytesMax(2 * KEYS * KEY_BYTES)
            .flushedTableBytes(KEY_BYTES / 2)
            .build());
  }

  private static byte[] key(int number) {
    byte[] key = new byte[KEY_BYTES];
    Arrays.fill(key, (byte) number);
    return key;
  }

  @Test
  void aBatchTakesNoKeyThatATableDoesNot() {
    byte[] tooLong = new byte[WriteBatch.KEY_BYTES_MAX + 1];
    WriteBatch batch = new WriteBatch();
    assertThrows(IllegalArgumentException.class, () -> batch.put(tooLong, VALUE));
    assertThrows(IllegalArgumentException.class, () -> batch.delete(tooLong));
    assertEquals(0, batch.entries());
  }

  @Test
  void aFlushEndsATableBeforeAKeyThatMakesItsIndexLong() throws IOException {
    OffHeap memory = new OffHeap();
    int keyBytes = 4 << 20;
    int alike = (int) (TableWriter.INDEX_BYTES_WANTED / keyBytes) + 2;
    try (LsmTree tree =
        LsmTree.open(
            RealStorageDirectory.open(directory),
            TreeOptions.builder().offHeap(memory).memtableBytesMax(256 << 20).build())) {
      byte[] key = new byte[keyBytes];
      for (int number = 0; number < alike; number++) {
        key[keyBytes - 1] = (byte) number;
        tree.write(new WriteBatch().put(key, VALUE));
      }
      key[0] = 1;
      tree.write(new WriteBatch().put(key, VALUE));
      tree.flush();
      assertEquals(2, tree.version().tableCount());
      long indexBytes = memory.heldBytes(OffHeap.Part.INDEX_AND_FILTER);
      assertTrue(indexBytes < 3L * keyBytes, indexBytes + " bytes");
      try (Snapshot now = tree.snapshot()) {
        assertArrayEquals(VALUE, now.get(key));
        key[0] = 0;
        assertArrayEquals(VALUE, now.get(key));
      }
    }
  }

  @Test
  void aFlushCutsFewerTablesWhereTheirBordersAreLong() throws IOException {
    try (LsmTree tree = open()) {
      for (int number = 0; number < KEYS; number++) {
        tree.write(new WriteBatch().put(key(number), VALUE));
      }
      tree.flush();
      long borderBytes = tree.version().level(0).stream().mapToLong(TableMeta::borderBytes).sum();
      assertTrue(
          borderBytes <= VersionEdit.BORDER_BYTES_WANTED + 4 * KEY_BYTES, borderBytes + " bytes");
      assertEquals(
          VersionEdit.BORDER_BYTES_WANTED / (2 * KEY_BYTES) + 1, tree.version().tableCount());
    }
    try (LsmTree tree = open();
        Snapshot now = tree.snapshot()) {
      for (int number = 0; number < KEYS; number++) {
        assertArrayEquals(VALUE, now.get(key(number)), "key " + number);
      }
    }
  }
}
