package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.InMemoryStore;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.entry.ColdBlockSignal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a worker has read for a command is all that the command needs when it runs again: else it
 * would go to and fro for ever.
 */
class BroughtReadsTest {
  private static final int ELEMENTS = 20_000;
  private static final int ELEMENTS_AT_ONCE = 3_000;
  private static final int STEPS_MAX = 500;
  private static final int STEPS = 2_000;

  private final CollectionKeys list =
      new CollectionKeys(0, "list".getBytes(StandardCharsets.UTF_8), 1);
  private final TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void theWriterNeedsNothingElse(long seed) throws IOException {
    Random random = new Random(seed);
    int cold = 0;
    try (EngineRig rig = new EngineRig(32 << 10, 0)) {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(8)) {
          case 0, 1 -> write(rig, random);
          case 2 -> {
            if (random.nextInt(10) == 0) {
              rig.second();
            }
          }
          default -> cold += look(rig, random.nextLong(), "seed " + seed + ", step " + step);
        }
      }
    }
    assertTrue(cold > STEPS / 10, "only " + cold + " looks were cold");
  }

  @Test
  void whatWasBroughtFromTheDiskForOneReadTakesNobodysPlaceInFrontOfTheTree() throws IOException {
    byte[] key = KeyFormat.meta(0, "key".getBytes(StandardCharsets.UTF_8));
    byte[] value = {1, 2, 3};
    try (EngineRig rig = new EngineRig(32 << 10)) {
      TreeEngine engine = rig.engine();
      StoreBatch batch = new StoreBatch();
      batch.put(key, value);
      engine.store().write(batch);
      engine.markReadsBrought(true);
      assertArrayEquals(value, get(engine, key));
      assertNull(engine.atHand(key));
      engine.markReadsBrought(false);
      assertArrayEquals(value, get(engine, key));
      assertArrayEquals(value, engine.atHand(key));
    }
  }

  private static byte @Nullable [] get(TreeEngine engine, byte[] key) {
    try (StoreView view = engine.store().writerView()) {
      return view.get(key);
    }
  }

  /** Some elements in a row are written, or deleted. */
  private void write(EngineRig rig, Random random) throws IOException {
    StoreBatch batch = new StoreBatch();
    int from = random.nextInt(ELEMENTS);
    int to = Math.min(ELEMENTS, from + random.nextInt(ELEMENTS_AT_ONCE));
    boolean isDeletion = random.nextInt(3) > 0;
    for (int i = from; i < to; i++) {
      byte[] key = list.element(i);
      if (isDeletion) {
        batch.delete(key);
        model.remove(key);
      } else {
        byte[] value = new byte[random.nextInt(30)];
        batch.put(key, value);
        model.put(key, value);
      }
    }
    rig.engine().store().write(batch);
    rig.engine().publish(rig.engine().commit(true));
    rig.engine().upkeep();
  }

  /** A command reads; returns 1 if it needed a worker for that. */
  private int look(EngineRig rig, long seed, String where) {
    try (StoreView view = rig.engine().store().writerView()) {
      look(view, new Random(seed), where);
      return 0;
    } catch (ColdBlockSignal cold) {
      try (StoreView warm = rig.engine().blockingView()) {
        look(warm, new Random(seed), where);
        rig.engine().useBrought(warm);
        try (StoreView view = rig.engine().store().writerView()) {
          look(view, new Random(seed), where);
        }
        rig.engine().useBrought(null);
      }
      return 1;
    }
  }

  private void look(StoreView view, Random random, String where) {
    for (int i = random.nextInt(3); i >= 0; i--) {
      int from = random.nextInt(ELEMENTS);
      switch (random.nextInt(4)) {
        case 0 -> {
          for (int at = from; at < Math.min(from + random.nextInt(5), ELEMENTS); at++) {
            byte[] key = list.element(at);
            assertArrayEquals(model.get(key), view.get(key), where);
          }
        }
        case 1, 2 -> walk(view, list.element(from), random.nextInt(STEPS_MAX), true, where);
        default -> walk(view, list.element(from), random.nextInt(STEPS_MAX), false, where);
      }
    }
  }

  private void walk(StoreView view, byte[] from, int stepsMax, boolean isForward, String where) {
    NavigableMap<byte[], byte[]> ahead =
        isForward ? model.tailMap(from, true) : model.headMap(from, false).descendingMap();
    try (StoreCursor cursor = view.cursor(InMemoryStore.END)) {
      boolean found = isForward ? cursor.seek(from) : cursor.seekBefore(from);
      int left = stepsMax;
      for (Map.Entry<byte[], byte[]> entry : ahead.entrySet()) {
        if (left-- == 0) {
          return;
        }
        assertTrue(found, where);
        assertArrayEquals(entry.getKey(), cursor.key(), where);
        assertArrayEquals(entry.getValue(), cursor.value(), where);
        found = isForward ? cursor.next() : cursor.previous();
      }
      assertEquals(false, found, where);
    }
  }
}
