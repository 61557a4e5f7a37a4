package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.ValueCopy;
import dev.varve.lsm.table.KeyHash;
import dev.varve.lsm.table.ReadContext;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys looked up together; {@link LsmTreeModelTest} compares what it finds with a sorted map. */
class MultiGetTest {
  private static final int KEYS = 500;
  private static final int VALUE_BYTES = 50;
  private static final int LARGE = 50_000;
  private static final int VERY_LARGE = 2 << 20;

  @TempDir Path path;

  private static final int KEYS_MAX = 80;
  private final OffHeap memory = new OffHeap();
  private final MultiGet asked = new MultiGet(KEYS_MAX);

  private LsmTree open(long cacheBytes) throws IOException {
    return LsmTree.open(
        RealStorageDirectory.open(path),
        TreeOptions.builder().offHeap(memory).blockCacheBytesMax(cacheBytes).build());
  }

  private static byte[] key(int number) {
    return String.format("key:%04d", number).getBytes(StandardCharsets.UTF_8);
  }

  private void ask(int number) {
    asked.add(key(number), KeyHash.hash(key(number), 0, key(number).length));
  }

  private void answer(LsmTree tree) {
    try (Snapshot now = tree.snapshot()) {
      now.get(asked);
    }
  }

  private int indexOf(int number) {
    return asked.indexOf(key(number), KeyHash.hash(key(number), 0, key(number).length));
  }

  private static void put(LsmTree tree, int number, int bytes) throws IOException {
    WriteBatch batch = new WriteBatch();
    batch.put(key(number), value(number, bytes));
    tree.write(batch);
  }

  private static byte[] value(int number, int bytes) {
    byte[] value = new byte[bytes];
    value[0] = (byte) number;
    return value;
  }

  private static void fill(LsmTree tree) throws IOException {
    for (int i = 0; i < KEYS; i++) {
      put(tree, i, VALUE_BYTES);
    }
    tree.flush();
  }

  @Test
  void memoryAnswersAllOfThemAndTablesOfAllLevelsAreSeen() throws IOException {
    try (LsmTree tree = open(1 << 20)) {
      fill(tree);
      put(tree, 1, 60);
      WriteBatch deletion = new WriteBatch();
      deletion.delete(key(2));
      tree.write(deletion);
      tree.flush();
      put(tree, 3, 70);
      ask(1);
      ask(2);
      ask(3);
      ask(4);
      ask(KEYS + 7);
      answer(tree);
      for (int i = 0; i < asked.count(); i++) {
        assertTrue(asked.isKnown(i, Integer.MAX_VALUE), "key of number " + i);
      }
      assertArrayEquals(value(1, 60), asked.take(indexOf(1), ValueCopy.WHOLE));
      assertNull(asked.take(indexOf(2), ValueCopy.WHOLE));
      assertArrayEquals(value(3, 70), asked.take(indexOf(3), ValueCopy.WHOLE));
      assertArrayEquals(value(4, VALUE_BYTES), asked.take(indexOf(4), ValueCopy.WHOLE));
      assertNull(asked.take(indexOf(KEYS + 7), ValueCopy.WHOLE));
      assertEquals(-1, indexOf(5), "nobody asked for it");
    }
  }

  @Test
  void whatOnlyTheDiskHasStaysUnknownAndIsNotRead() throws IOException {
    try (LsmTree tree = open(0)) {
      fill(tree);
      put(tree, 3, 70);
      ask(3);
      ask(4);
      ask(KEYS + 7);
      long read = tree.stats().cacheMisses();
      answer(tree);
      assertTrue(asked.isKnown(0, Integer.MAX_VALUE), "in the memtable");
      assertFalse(asked.isKnown(1, Integer.MAX_VALUE), "in a table");
      assertEquals(read, tree.stats().cacheMisses());
    }
  }

  @Test
  void ofALongValueTheStartIsKnownToWhoWantsNoMore() throws IOException {
    try (LsmTree tree = open(1 << 20)) {
      put(tree, 1, 100);
      put(tree, 2, 30);
      tree.flush();
      put(tree, 3, 100);
      asked.startsOnly(40);
      for (int number = 1; number <= 3; number++) {
        ask(number);
      }
      answer(tree);
      for (int number : List.of(1, 3)) {
        assertTrue(asked.isKnown(indexOf(number), 40));
        assertFalse(asked.isKnown(indexOf(number), 41));
        assertFalse(asked.isKnown(indexOf(number), Integer.MAX_VALUE));
        assertArrayEquals(
            Arrays.copyOf(value(number, 100), 40), asked.take(indexOf(number), ValueCopy.WHOLE));
      }
      assertTrue(asked.isKnown(indexOf(2), Integer.MAX_VALUE));
      assertArrayEquals(value(2, 30), asked.take(indexOf(2), ValueCopy.WHOLE));
      asked.clear();
      ask(1);
      answer(tree);
      assertArrayEquals(
          value(1, 100), asked.take(indexOf(1), ValueCopy.WHOLE), "the next who ask want all");
    }
  }

  @Test
  void aValueIsHandedOutOnceAndWhatIsForgottenIsGone() throws IOException {
    try (LsmTree tree = open(1 << 20)) {
      fill(tree);
      ask(8);
      ask(9);
      assertFalse(asked.isKnown(indexOf(9), Integer.MAX_VALUE), "nobody was asked yet");
      answer(tree);
      assertArrayEquals(value(9, VALUE_BYTES), asked.take(indexOf(9), ValueCopy.WHOLE));
      assertFalse(asked.isKnown(indexOf(9), Integer.MAX_VALUE));
      asked.clear();
      assertEquals(0, asked.count());
      assertEquals(-1, indexOf(8));
    }
  }

  @Test
  void aBlockThatWasBroughtForSomebodyIsLeftToHim() throws IOException {
    try (LsmTree tree = open(1 << 20)) {
      fill(tree);
    }
    try (LsmTree tree = open(1 << 20)) {
      try (Snapshot ahead = tree.snapshot(ReadContext.MAY_BLOCK_AHEAD)) {
        assertArrayEquals(value(5, VALUE_BYTES), ahead.get(key(5)));
      }
      assertFalse(isKnown(tree, 5), "it would not count as the use it was brought for");
      try (Snapshot now = tree.snapshot(ReadContext.MEMORY_ONLY)) {
        assertArrayEquals(value(5, VALUE_BYTES), now.get(key(5)));
      }
      assertTrue(isKnown(tree, 5), "he has come");
    }
  }

  private boolean isKnown(LsmTree tree, int number) {
    asked.clear();
    ask(number);
    answer(tree);
    return asked.isKnown(0, Integer.MAX_VALUE);
  }

  @Test
  void largeValuesAreCopiedWhenSomebodyWantsThem() throws IOException {
    try (LsmTree tree = open(4 << 20)) {
      put(tree, 1, MultiGet.VALUE_BYTES_MAX);
      put(tree, 2, MultiGet.VALUE_BYTES_MAX + 1);
      put(tree, 3, LARGE);
      for (String where : List.of("in the memtable", "in a table")) {
        asked.clear();
        ask(1);
        ask(2);
        ask(3);
        answer(tree);
        assertArrayEquals(value(1, MultiGet.VALUE_BYTES_MAX), taken(1, where), where);
        if (where.equals("in a table")) {
          assertArrayEquals(value(3, LARGE), taken(3, where), where);
          assertArrayEquals(value(2, MultiGet.VALUE_BYTES_MAX + 1), taken(2, where), where);
        }
        assertFalse(asked.isKnown(indexOf(2), Integer.MAX_VALUE), where);
        assertFalse(asked.isKnown(indexOf(3), Integer.MAX_VALUE), where);
        tree.flush();
      }
    }
  }

  private byte @Nullable [] taken(int number, String where) {
    assertTrue(asked.isKnown(indexOf(number), Integer.MAX_VALUE), where);
    return asked.take(indexOf(number), ValueCopy.WHOLE);
  }

  @Test
  void whatNobodyWantedIsLetGoOfAndVeryLargeValuesAreNotHeldAtAll() throws IOException {
    try (LsmTree tree = open(8 << 20)) {
      put(tree, 1, LARGE);
      put(tree, 2, VERY_LARGE);
      tree.flush();
      ask(1);
      ask(2);
      answer(tree);
      assertTrue(asked.isKnown(indexOf(1), Integer.MAX_VALUE));
      assertFalse(asked.isKnown(indexOf(2), Integer.MAX_VALUE));
    }
    assertTrue(memory.heldBytes(OffHeap.Part.BLOCK_CACHE) > 0, "it is held");
    asked.clear();
    assertEquals(0, memory.heldBytes(OffHeap.Part.BLOCK_CACHE));
  }

  @Test
  void noMoreIsHeldThanPerhapsNobodyAsksFor() throws IOException {
    try (LsmTree tree = open(4 << 20)) {
      for (int i = 0; i < KEYS_MAX; i++) {
        put(tree, i, MultiGet.VALUE_BYTES_MAX);
        ask(i);
      }
      answer(tree);
      assertTrue(asked.isKnown(0, Integer.MAX_VALUE));
      assertFalse(asked.isKnown(KEYS_MAX - 1, Integer.MAX_VALUE), "after 256 KiB of others");
    }
  }
}
