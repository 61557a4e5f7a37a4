package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.lsm.table.KeyHash;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tree against a sorted map: random batches, flushes, reopens, snapshots and walks. */
class LsmTreeModelTest {
  private static final int OPERATIONS = 1_500;

  @TempDir Path path;

  private final OffHeap memory = new OffHeap();
  private TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);

  /** A snapshot and what it must show for ever. */
  private record Held(Snapshot snapshot, TreeMap<byte[], byte[]> model) {}

  @Test
  void randomOperationsShowTheSameAsASortedMap() throws IOException {
    long seed = Long.getLong("varve.seed", System.nanoTime());
    System.out.println("LsmTreeModelTest seed " + seed + " (-Dvarve.seed=" + seed + ")");
    Random random = new Random(seed);
    LsmTree tree = open(random);
    List<Held> held = new ArrayList<>();
    for (int i = 0; i < OPERATIONS; i++) {
      switch (random.nextInt(40)) {
        case 0 -> tree.flush();
        case 1 -> {
          for (Held old : held) {
            old.snapshot().close();
          }
          held.clear();
          tree.close();
          assertEquals(0, memory.heldBytes(), "off-heap bytes after closing");
          tree = open(random);
        }
        case 2 -> held.add(new Held(tree.snapshot(), copy(model)));
        case 3 -> {
          if (!held.isEmpty()) {
            Held old = held.remove(random.nextInt(held.size()));
            requireSame(old.snapshot(), old.model(), random);
            old.snapshot().close();
          }
        }
        case 4 -> {
          try (Snapshot now = tree.snapshot()) {
            requireSame(now, model, random);
          }
        }
        default -> writeBatch(tree, random);
      }
    }
    for (Held old : held) {
      requireSame(old.snapshot(), old.model(), random);
      old.snapshot().close();
    }
    tree.close();
    assertEquals(0, memory.heldBytes(), "off-heap bytes at the end");
  }

  private LsmTree open(Random random) throws IOException {
    return LsmTree.open(
        RealStorageDirectory.open(path),
        TreeOptions.builder()
            .offHeap(memory)
            .memtableBytesMax(1L << 10 << random.nextInt(12))
            .blockBytes(64 << random.nextInt(8))
            .blockCacheBytesMax(random.nextBoolean() ? 0 : 1 << 20)
            .flushedTableBytes(1L << 10 << random.nextInt(8))
            .immutableMemtablesMax(1_000)
            .levelZeroRuns(1_000_000, 2_000_000)
            .keyOrder(random.nextBoolean() ? new FirstBytesApart() : KeyComparator.BYTEWISE)
            .build());
  }

  private void writeBatch(LsmTree tree, Random random) throws IOException {
    WriteBatch batch = new WriteBatch();
    TreeMap<byte[], byte[]> changes = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = random.nextInt(8); i >= 0; i--) {
      changes.put(key(random), random.nextInt(3) == 0 ? new byte[0] : value(random));
    }
    boolean deleteAll = random.nextInt(3) == 0;
    changes.forEach(
        (key, value) -> {
          if (deleteAll) {
            batch.delete(key);
            model.remove(key);
          } else {
            batch.put(key, value);
            if (!model.containsKey(key) && random.nextBoolean()) {
              batch.inserting();
            }
            model.put(key, value);
          }
        });
    if (random.nextBoolean()) {
      tree.publish(tree.applyAndCommit(batch));
    } else {
      tree.apply(batch);
      tree.publish(tree.commit());
    }
    if (random.nextInt(20) == 0) {
      tree.maintain();
    }
  }

  private static void requireSame(
      Snapshot snapshot, TreeMap<byte[], byte[]> expected, Random random) {
    for (int i = 0; i < 20; i++) {
      byte[] key = key(random);
      assertArrayEquals(expected.get(key), snapshot.get(key));
    }
    requireSameTogether(snapshot, expected, random);
    try (VisibleCursor cursor = snapshot.cursor()) {
      boolean found = cursor.seekToFirst();
      for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
        assertEquals(true, found);
        assertArrayEquals(entry.getKey(), cursor.copyKey());
        assertArrayEquals(entry.getValue(), cursor.copyValue());
        found = cursor.next();
      }
      assertEquals(false, found);
      found = cursor.seekToLast();
      for (Map.Entry<byte[], byte[]> entry : expected.descendingMap().entrySet()) {
        assertEquals(true, found);
        assertArrayEquals(entry.getKey(), cursor.copyKey());
        found = cursor.previous();
      }
      assertEquals(false, found);
      walkAtRandom(cursor, expected, random);
    }
  }

  private static void requireSameTogether(
      Snapshot snapshot, TreeMap<byte[], byte[]> expected, Random random) {
    MultiGet asked = new MultiGet(16);
    for (int round = 0; round < 3; round++) {
      asked.clear();
      List<byte[]> keys = new ArrayList<>();
      for (int i = random.nextInt(16); i >= 0; i--) {
        byte[] key = key(random);
        keys.add(key);
        asked.add(key, KeyHash.hash(key, 0, key.length));
      }
      snapshot.get(asked);
      for (int i = 0; i < keys.size(); i++) {
        if (asked.isKnown(i, Integer.MAX_VALUE)) {
          assertArrayEquals(expected.get(keys.get(i)), asked.take(i, ValueCopy.WHOLE));
        }
      }
    }
  }

  private static void walkAtRandom(
      VisibleCursor cursor, TreeMap<byte[], byte[]> expected, Random random) {
    byte[] at = null;
    for (int i = 0; i < 30; i++) {
      byte[] key = key(random);
      boolean found;
      switch (at == null ? random.nextInt(2) : random.nextInt(6)) {
        case 0 -> {
          at = expected.ceilingKey(key);
          found = cursor.seek(key);
        }
        case 1 -> {
          at = expected.lowerKey(key);
          found = cursor.seekBefore(key);
        }
        case 2, 3 -> {
          at = expected.higherKey(at);
          found = cursor.next();
        }
        default -> {
          at = expected.lowerKey(at);
          found = cursor.previous();
        }
      }
      assertEquals(at != null, found);
      if (at != null) {
        assertArrayEquals(at, cursor.copyKey());
      }
    }
  }

  private static byte[] key(Random random) {
    byte[] key = new byte[random.nextInt(4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) "\0\1ab\177\200\376\377".charAt(random.nextInt(8));
    }
    return key;
  }

  private static byte[] value(Random random) {
    byte[] value = new byte[random.nextInt(10) == 0 ? random.nextInt(2_000) : random.nextInt(20)];
    random.nextBytes(value);
    return value;
  }

  private static TreeMap<byte[], byte[]> copy(TreeMap<byte[], byte[]> source) {
    TreeMap<byte[], byte[]> copy = new TreeMap<>(Arrays::compareUnsigned);
    copy.putAll(source);
    return copy;
  }
}
