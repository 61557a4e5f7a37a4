package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.InMemoryStore;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TreeViewCursorTest {
  private static final byte[] KEY = KeyFormat.meta(0, "key".getBytes(StandardCharsets.UTF_8));

  @Test
  void whoWantsTheStartOfALongValueGetsNoCopyOfTheRest() throws Exception {
    byte[] value = new byte[100_000];
    new Random(1).nextBytes(value);
    try (EngineRig rig = new EngineRig(1 << 20)) {
      StoreBatch batch = new StoreBatch();
      batch.put(KEY, value);
      rig.engine().store().write(batch);
      rig.engine().commit(false);
      try (StoreView view = rig.engine().store().writerView();
          StoreCursor cursor = view.cursor(InMemoryStore.END)) {
        assertThrows(IllegalStateException.class, () -> cursor.valueStart(10));
        assertTrue(cursor.seek(KEY));
        byte[] start = cursor.valueStart(10);
        assertEquals(10, start.length);
        assertEquals(10, Arrays.mismatch(start, value));
        assertArrayEquals(value, cursor.value());
        assertArrayEquals(value, cursor.valueStart(value.length + 1));
      }
    }
  }

  @Test
  void aWalkWithAnEndMeetsNothingBehindIt() throws Exception {
    byte[] end = KeyFormat.endOf(KeyFormat.META);
    byte[] behind = Arrays.copyOf(end, 5);
    try (EngineRig rig = new EngineRig(1 << 20)) {
      StoreBatch batch = new StoreBatch();
      batch.put(KEY, new byte[] {1});
      batch.put(behind, new byte[] {2});
      rig.engine().store().write(batch);
      rig.engine().publish(rig.engine().commit(true));
      try (StoreView writers = rig.engine().store().writerView();
          StoreView others = rig.engine().blockingView()) {
        for (StoreView view : new StoreView[] {writers, others}) {
          try (StoreCursor all = view.cursor(InMemoryStore.END);
              StoreCursor some = view.cursor(end)) {
            assertTrue(all.seek(KEY) && all.next());
            assertArrayEquals(behind, all.key());
            assertTrue(some.seek(KEY));
            assertFalse(some.next());
            assertTrue(some.seekBefore(InMemoryStore.END));
            assertArrayEquals(KEY, some.key());
            some.within(behind, InMemoryStore.END);
            assertFalse(some.isValid());
            assertTrue(some.seek(KEY));
            assertArrayEquals(behind, some.key());
            assertFalse(some.previous());
          }
        }
      }
    }
  }
}
