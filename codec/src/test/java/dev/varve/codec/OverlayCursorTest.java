package dev.varve.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.varve.codec.store.InMemoryStore;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OverlayCursorTest {

  @Test
  void writesOnTopOfAViewLookLikeOneMapInBothDirections() {
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
      InMemoryStore store = new InMemoryStore();
      store.write(randomWrites(random, model, new StoreBatch(), 30));
      if (seed % 3 == 1) {
        store.showBeyondBounds();
      }
      try (StoreView view = store.view()) {
        int writes = seed % 3 == 0 ? 0 : 1 + random.nextInt(29);
        StoreBatch batch = randomWrites(random, model, new StoreBatch(), writes);
        try (StoreCursor cursor = cursor(view, batch, InMemoryStore.END)) {
          walk(random, model, batch, cursor, seed);
        }
      }
    }
  }

  private static OverlayCursor cursor(StoreView view, StoreBatch batch, byte[] end) {
    return new OverlayCursor(view.cursor(end), batch, end);
  }

  private static void walk(
      SplittableRandom random,
      TreeMap<byte[], byte[]> model,
      StoreBatch batch,
      StoreCursor cursor,
      int seed) {
    // What the batch gets while the cursor is open is seen within its bounds as well.
    NavigableMap<byte[], byte[]> within = model;
    byte @Nullable [] at = null;
    for (int step = 0; step < 200; step++) {
      if (random.nextInt(40) == 0) {
        within = bound(random, model, cursor);
        at = null;
      }
      Map.@Nullable Entry<byte[], byte[]> expected;
      boolean found;
      int move = random.nextInt(10);
      byte[] key = key(random);
      if (move == 0 || at == null) {
        expected = within.ceilingEntry(key);
        found = cursor.seek(key);
      } else if (move == 1) {
        expected = within.lowerEntry(key);
        found = cursor.seekBefore(key);
      } else if (move == 2) {
        randomWrites(random, model, batch, 1);
        continue;
      } else if (move == 3) {
        int entries = 1 + random.nextInt(4);
        boolean isForward = random.nextBoolean();
        expected = isForward ? within.higherEntry(at) : within.lowerEntry(at);
        for (int i = 1; i < entries && expected != null; i++) {
          byte[] its = expected.getKey();
          expected = isForward ? within.higherEntry(its) : within.lowerEntry(its);
        }
        found = cursor.skip(entries, isForward);
      } else if (move < 7) {
        expected = within.higherEntry(at);
        found = cursor.next();
      } else {
        expected = within.lowerEntry(at);
        found = cursor.previous();
      }
      assertEquals(expected != null, found, "seed " + seed);
      assertEquals(found, cursor.isValid());
      at = expected == null ? null : expected.getKey();
      if (expected != null) {
        assertArrayEquals(expected.getKey(), cursor.key(), "seed " + seed);
        assertArrayEquals(expected.getValue(), cursor.valueStart(expected.getValue().length));
        assertArrayEquals(expected.getValue(), cursor.value(), "seed " + seed);
      }
    }
  }

  /** Lets the walk go on within bounds. */
  private static NavigableMap<byte[], byte[]> bound(
      SplittableRandom random, TreeMap<byte[], byte[]> model, StoreCursor cursor) {
    byte[] from = random.nextBoolean() ? new byte[0] : key(random);
    byte[] end = random.nextBoolean() ? InMemoryStore.END : key(random);
    cursor.within(from, end);
    assertFalse(cursor.isValid());
    return model.subMap(from, true, Arrays.compareUnsigned(from, end) < 0 ? end : from, false);
  }

  @Test
  void whatABatchDeletesBeyondTheBoundsIsNotWalkedOver() {
    StoreBatch batch = new StoreBatch();
    for (int i = 0; i < 30_000; i++) {
      batch.delete(new byte[] {1, (byte) (i >> 8), (byte) i});
      batch.delete(new byte[] {3, (byte) (i >> 8), (byte) i});
    }
    byte[] from = {2};
    byte[] end = {3};
    try (StoreView view = new InMemoryStore().view();
        StoreCursor cursor = cursor(view, batch, end)) {
      cursor.within(from, end);
      // Some 2 billion steps where each of these passes over half of the deletes.
      assertTimeoutPreemptively(
          Duration.ofSeconds(10),
          () -> {
            for (int i = 0; i < 30_000; i++) {
              assertFalse(cursor.seek(from));
              assertFalse(cursor.seekBefore(end));
            }
          });
    }
  }

  private static StoreBatch randomWrites(
      SplittableRandom random, TreeMap<byte[], byte[]> model, StoreBatch batch, int count) {
    for (int i = 0; i < count; i++) {
      byte[] key = key(random);
      if (random.nextInt(3) == 0) {
        batch.delete(key);
        model.remove(key);
      } else {
        byte[] value = {(byte) random.nextInt(), 1};
        batch.put(key, value);
        model.put(key, value);
      }
    }
    return batch;
  }

  private static byte[] key(SplittableRandom random) {
    byte[] key = new byte[1 + random.nextInt(2)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) random.nextInt(6);
    }
    return key;
  }
}
