package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.varve.lsm.memtable.EntryPlace;
import dev.varve.lsm.table.ReadContext;
import dev.varve.wal.CrashableStorageDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Batches of more entries than places are told of. */
class LargeBatchTest {
  private static final int ENTRIES = WriteBatch.PLACES_MAX + 5_000;
  private static final int KEPT_FROM = WriteBatch.PLACES_MAX - 5;

  private final WriteBatch batch = new WriteBatch();

  private static byte[] key(int entry) {
    return Integer.toString(entry).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] value(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static void write(LsmTree tree, WriteBatch batch) throws IOException {
    tree.apply(batch);
    tree.publish(tree.commit());
  }

  private static byte @Nullable [] read(LsmTree tree, int entry) throws IOException {
    try (Snapshot now = tree.snapshot()) {
      return now.get(key(entry));
    }
  }

  @Test
  void placesOfTheFirstEntriesAreToldAndAllAreReplaced() throws IOException {
    try (LsmTree tree =
        LsmTree.open(new CrashableStorageDirectory(), TreeOptions.builder().build())) {
      for (int i = 0; i < ENTRIES; i++) {
        batch.put(key(i), value("first"));
      }
      write(tree, batch);
      assertNotEquals(EntryPlace.NONE, batch.place(WriteBatch.PLACES_MAX - 1));
      assertEquals(EntryPlace.NONE, batch.place(WriteBatch.PLACES_MAX));
      assertEquals(0, batch.mark(WriteBatch.PLACES_MAX));
      WriteBatch next = new WriteBatch();
      for (int i = 0; i < ENTRIES; i++) {
        // Beyond, a wrong place would do harm if it were taken.
        int from = Math.min(i, WriteBatch.PLACES_MAX - 1);
        next.put(key(i), value("second" + i)).replacing(batch.place(from), batch.mark(from));
      }
      write(tree, next);
      for (int i = 0; i < ENTRIES; i++) {
        assertArrayEquals(value("second" + i), read(tree, i));
      }
    }
  }

  @Test
  void whatWasInsertedAndIsDeletedIsGoneWhereverItStands() throws IOException {
    Random random = new Random(1);
    try (LsmTree tree =
        LsmTree.open(new CrashableStorageDirectory(), TreeOptions.builder().build())) {
      for (int i = 1; i < ENTRIES; i += 2) {
        batch.put(key(i), value("old"));
      }
      write(tree, batch);
      tree.flush();
      batch.clear();
      batch.prepare(ENTRIES, ENTRIES * 10L);
      for (int i = 0; i < ENTRIES; i++) {
        batch.put(key(i), value("new"));
        if (i % 2 == 0) {
          batch.inserting();
        }
      }
      write(tree, batch);
      batch.clear();
      // What is behind one that had a value must not be seen again.
      for (int i = KEPT_FROM; i < ENTRIES; i++) {
        batch.delete(key(i));
      }
      write(tree, batch);
      // A value that leaves with its deletion does so when something else is written.
      for (int i = 0; i < ENTRIES; i++) {
        batch.clear();
        write(tree, batch.put(key(0), value("other" + i)));
      }
      for (int i = KEPT_FROM; i < ENTRIES; i++) {
        assertNull(read(tree, i), "entry " + i);
      }
      for (int i = 0; i < 100; i++) {
        assertArrayEquals(value("new"), read(tree, 1 + random.nextInt(KEPT_FROM - 1)));
      }
      try (Snapshot writers = tree.writerSnapshot(ReadContext.MAY_BLOCK)) {
        assertNull(writers.get(key(ENTRIES - 1)));
      }
    }
  }
}
