package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TreeImageTest {
  private static final long COUNTER = 7;

  private final OffHeap memory = new OffHeap();
  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();

  @AfterEach
  void allMemoryIsGivenBack() {
    assertEquals(0, memory.heldBytes());
  }

  /** So small that the log fills several memtables. */
  private TreeOptions options() {
    return TreeOptions.builder().offHeap(memory).memtableBytesMax(64 << 10).build();
  }

  private static byte[] key(int number) {
    return String.format("key%05d", number).getBytes();
  }

  private static void write(LsmTree tree, int from, int to) throws IOException {
    for (int number = from; number < to; number++) {
      tree.apply(new WriteBatch().put(key(number), new byte[100]).addToCounter(COUNTER, 1));
    }
    tree.publish(tree.commit());
  }

  private Map<String, String> contents() throws IOException {
    Map<String, String> contents = new HashMap<>();
    for (String name : directory.list()) {
      contents.put(name, HexFormat.of().formatHex(directory.content(name)));
    }
    return contents;
  }

  @Test
  void tablesAndLogAreSeenTogetherAndLeftAsTheyAre() throws IOException {
    try (LsmTree tree = LsmTree.open(directory, options())) {
      write(tree, 0, 100);
      tree.flush();
      write(tree, 100, 3_000);
      tree.apply(new WriteBatch().delete(key(50)));
      tree.publish(tree.commit());
    }
    Map<String, String> before = contents();
    assertFalse(before.isEmpty());
    try (TreeImage image = TreeImage.open(directory, options());
        Snapshot snapshot = image.snapshot()) {
      assertNull(snapshot.get(key(50)));
      assertArrayEquals(new byte[100], snapshot.get(key(51)));
      assertArrayEquals(new byte[100], snapshot.get(key(2_999)));
      assertEquals(3_000, image.counter(COUNTER));
      int found = 0;
      try (VisibleCursor cursor = snapshot.cursor()) {
        for (boolean isAny = cursor.seekToFirst(); isAny; isAny = cursor.next()) {
          found++;
        }
      }
      assertEquals(2_999, found);
    }
    assertEquals(before, contents());
  }

  @Test
  void withoutATreeThereIsNoImage() {
    assertThrows(IOException.class, () -> TreeImage.open(directory, options()));
    assertTrue(directory.list().isEmpty());
  }

  @Test
  void aDamagedLogIsSaidAndNothingStaysOpen() throws IOException {
    try (LsmTree tree = LsmTree.open(directory, options())) {
      write(tree, 0, 100);
      tree.flush();
      write(tree, 100, 200);
    }
    String log = directory.list().stream().filter(n -> n.endsWith(".log")).findAny().orElseThrow();
    byte[] bytes = directory.content(log);
    bytes[100] ^= 1;
    directory.setContent(log, bytes);
    assertThrows(CorruptionException.class, () -> TreeImage.open(directory, options()));
  }
}
