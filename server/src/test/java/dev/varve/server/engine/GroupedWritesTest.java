package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.BriefValue;
import dev.varve.codec.store.InMemoryStore;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreChanges;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.entry.ColdBlockSignal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What commands write before it is committed, beside maps of what there must be. */
class GroupedWritesTest {
  private static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;
  private static final byte[] FIRST_KEY = {0};
  private static final long COUNTER = 77;
  private static final int STEPS = 3_000;

  /** Half of it is more than a group takes. */
  private static final int LARGE_BYTES = 4 << 20;

  private static final int LONG_BYTES = 20_000;
  private static final int START_BYTES = 5_000;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Keys that are read one by one, and keys that walks are kept over. */
  private static List<byte[]> keys() {
    CollectionKeys list = new CollectionKeys(0, bytes("list"), 1);
    CollectionKeys set = new CollectionKeys(0, bytes("set"), 1);
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      keys.add(KeyFormat.meta(0, bytes("key " + i)));
      keys.add(list.element(i));
      keys.add(set.index(i, bytes("member")));
    }
    return keys;
  }

  /** What must be there. */
  private static final class Model {
    final TreeMap<byte[], byte[]> entries;
    final long counted;

    Model(TreeMap<byte[], byte[]> entries, long counted) {
      this.entries = entries;
      this.counted = counted;
    }

    static Model empty() {
      return new Model(new TreeMap<>(ORDER), 0);
    }

    Model copy() {
      return new Model(new TreeMap<>(entries), counted);
    }

    boolean isSame(Model other) {
      return counted == other.counted
          && entries.keySet().equals(other.entries.keySet())
          && entries.entrySet().stream()
              .allMatch(its -> Arrays.equals(its.getValue(), other.entries.get(its.getKey())));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void theWriterSeesAllOthersWhatIsPublishedAndAKillLeavesWhatIsCommitted(long seed)
      throws IOException {
    Random random = new Random(seed);
    List<byte[]> keys = keys();
    Model written = Model.empty();
    Model committed = Model.empty();
    // What there was after each write since then.
    List<Model> since = new ArrayList<>();
    try (EngineRig rig = new EngineRig(64 << 10)) {
      for (int step = 0; step < STEPS; step++) {
        String where = "seed " + seed + ", step " + step;
        Store store = rig.engine().store();
        switch (random.nextInt(13)) {
          case 10, 11, 12 -> foresee(rig, keys, random);
          case 0, 1, 2, 3 -> {
            boolean isLarge = random.nextInt(100) == 0;
            int bytesMax = isLarge ? LARGE_BYTES : random.nextInt(10) == 0 ? LONG_BYTES : 40;
            written = write(store, written, keys, bytesMax, random);
            since.add(written);
          }
          case 4, 5, 6, 7 -> {
            long looks = random.nextLong();
            try {
              assertLooks(store, written, keys, looks, where);
            } catch (ColdBlockSignal cold) {
              committed = commit(rig, written);
              since.clear();
              assertWarmed(rig, written, keys, looks, where);
            }
          }
          case 8 -> {
            try (StoreView view = rig.engine().passingView()) {
              assertEntries(committed, view, where);
            }
          }
          default -> {
            if (random.nextInt(30) == 0) {
              rig.kill();
              committed = survivor(rig, committed, since, where);
              written = committed.copy();
              since.clear();
            } else {
              committed = commit(rig, written);
              since.clear();
              rig.work();
            }
          }
        }
      }
    }
  }

  /** What is foreseen is asked for later, or never; and may be written before. */
  private static void foresee(EngineRig rig, List<byte[]> keys, Random random) {
    byte[][] some = new byte[Engine.FORESEEN_MAX][];
    for (int i = 0; i < some.length; i++) {
      some[i] = keys.get(random.nextInt(keys.size()));
    }
    Engine.Use[] uses = Engine.Use.values();
    rig.engine().foresee(some, random.nextInt(some.length + 1), uses[random.nextInt(uses.length)]);
  }

  /** What a worker has read is all that the writer needs who does the same again. */
  private static void assertWarmed(
      EngineRig rig, Model model, List<byte[]> keys, long looks, String where) {
    Store store = rig.engine().store();
    try (StoreView view = rig.engine().blockingView()) {
      assertLooks(store, view, model, keys, new Random(looks), where);
      rig.engine().useBrought(view);
      assertLooks(store, model, keys, looks, where);
      rig.engine().useBrought(null);
    }
  }

  /**
   * What a kill has left: what was committed, and perhaps some of what was written after that, in
   * its order: what is much may be with the operating system before.
   */
  private static Model survivor(EngineRig rig, Model committed, List<Model> since, String where) {
    Model found = Model.empty();
    try (StoreView view = rig.engine().blockingView();
        StoreCursor cursor = view.cursor(InMemoryStore.END)) {
      for (boolean isAt = cursor.seek(FIRST_KEY); isAt; isAt = cursor.next()) {
        found.entries.put(cursor.key(), cursor.value());
      }
    }
    Model its = new Model(found.entries, rig.engine().store().counter(COUNTER));
    boolean isOneOfThem = its.isSame(committed) || since.stream().anyMatch(its::isSame);
    assertTrue(isOneOfThem, () -> "neither what was committed nor what was written, " + where);
    return its;
  }

  private static Model commit(EngineRig rig, Model written) throws IOException {
    rig.engine().publish(rig.engine().commit(true));
    return written.copy();
  }

  private static Model write(
      Store store, Model before, List<byte[]> keys, int bytesMax, Random random) {
    StoreBatch batch = new StoreBatch();
    Model after = before.copy();
    for (int i = random.nextInt(4); i >= 0; i--) {
      byte[] key = keys.get(random.nextInt(keys.size()));
      if (random.nextInt(3) == 0) {
        batch.delete(key);
        after.entries.remove(key);
      } else if (!after.entries.containsKey(key) && random.nextBoolean()) {
        batch.insert(key);
        after.entries.put(key, new byte[0]);
      } else {
        byte[] value = new byte[bytesMax / 2 + random.nextInt(bytesMax / 2)];
        random.nextBytes(value);
        if (value.length > 2 * RowCache.ROW_BYTES_MAX) {
          int at = random.nextInt(20);
          batch.put(key, Arrays.copyOf(value, at), Arrays.copyOfRange(value, at, value.length));
        } else {
          batch.put(key, value);
        }
        after.entries.put(key, value);
      }
    }
    long delta = random.nextInt(5) - 1;
    batch.count(COUNTER, delta);
    long sequence = store.nextSequence();
    int reserved = random.nextInt(3);
    for (int i = 0; i < reserved; i++) {
      batch.reserveSequence();
    }
    store.write(batch);
    assertEquals(sequence + Math.max(1, reserved), store.nextSequence());
    return new Model(after.entries, before.counted + delta);
  }

  /** A command that looks here and there sees the same at all times. */
  private static void assertLooks(
      Store store, Model model, List<byte[]> keys, long seed, String where) {
    try (StoreView view = store.writerView()) {
      assertLooks(store, view, model, keys, new Random(seed), where);
    }
  }

  private static void assertLooks(
      Store store, StoreView view, Model model, List<byte[]> keys, Random random, String where) {
    for (int look = random.nextInt(5); look >= 0; look--) {
      byte[] key = keys.get(random.nextInt(keys.size()));
      switch (random.nextInt(10)) {
        case 8, 9 -> assertWalksSideBySide(model, view, keys, random, where);
        case 0 -> assertEquals(model.counted, store.counter(COUNTER), where);
        case 1 -> assertEntries(model, view, where);
        case 2, 3 -> assertEntries(model, view, key, where);
        case 4 ->
            assertStart(model.entries.get(key), copyOf(view.getStart(key, START_BYTES)), where);
        case 5 -> assertArrayEquals(model.entries.get(key), copyOf(view.getBriefly(key)), where);
        default -> assertArrayEquals(model.entries.get(key), view.get(key), where);
      }
    }
  }

  /** Two walks of one command, each in a keyspace of its own, step by step in turn. */
  private static void assertWalksSideBySide(
      Model model, StoreView view, List<byte[]> keys, Random random, String where) {
    try (StoreCursor one = view.cursor(InMemoryStore.END);
        StoreCursor other = view.cursor(InMemoryStore.END)) {
      Walk first = new Walk(one, model, keys, random, where);
      Walk second = new Walk(other, model, keys, random, where);
      for (int step = 0; step < 30; step++) {
        (random.nextBoolean() ? first : second).step(random);
      }
    }
  }

  /** A walk between two keys of one keyspace, now in one direction and now in the other. */
  private static final class Walk {
    private final StoreCursor cursor;
    private final String where;
    private final TreeMap<byte[], byte[]> expected;
    private final List<byte[]> places;
    private final byte[] from;
    private final byte[] end;
    private byte @Nullable [] at;

    Walk(StoreCursor cursor, Model model, List<byte[]> keys, Random random, String where) {
      this.cursor = cursor;
      this.where = where;
      byte tag = random.nextBoolean() ? KeyFormat.LIST : KeyFormat.INDEX;
      places = keys.stream().filter(key -> key[0] == tag).toList();
      from = places.get(random.nextInt(10));
      end = places.get(10 + random.nextInt(10));
      expected = new TreeMap<>(model.entries.subMap(from, true, end, false));
      cursor.within(from, end);
    }

    private boolean isBeyond(byte[] key) {
      return Arrays.compareUnsigned(key, from) < 0 || Arrays.compareUnsigned(key, end) >= 0;
    }

    void step(Random random) {
      byte[] before = at;
      byte[] place = places.get(random.nextInt(places.size()));
      boolean found;
      if (before == null || random.nextInt(8) == 0) {
        boolean isForward = random.nextBoolean();
        found = isForward ? cursor.seek(place) : cursor.seekBefore(place);
        at = isForward ? expected.ceilingKey(place) : expected.lowerKey(place);
      } else if (random.nextInt(4) > 0) {
        found = cursor.next();
        at = expected.higherKey(before);
      } else {
        found = cursor.previous();
        at = expected.lowerKey(before);
      }
      assertEquals(found, cursor.isValid(), where);
      if (at == null) {
        // What is beyond the bounds may be shown all the same.
        assertTrue(!found || isBeyond(cursor.key()), where);
      } else {
        assertTrue(found, where);
        assertArrayEquals(at, cursor.key(), where);
        assertArrayEquals(expected.get(at), cursor.value(), where);
      }
    }
  }

  private static byte @Nullable [] copyOf(@Nullable BriefValue brief) {
    return brief == null ? null : brief.toBytes();
  }

  private static void assertStart(byte @Nullable [] whole, byte @Nullable [] start, String where) {
    if (whole == null || start == null || whole.length <= START_BYTES) {
      assertArrayEquals(whole, start, where);
    } else {
      assertTrue(start.length >= START_BYTES, where);
      assertArrayEquals(Arrays.copyOf(whole, start.length), start, where);
    }
  }

  private static void assertEntries(Model model, StoreView view, String where) {
    assertEntries(model, view, FIRST_KEY, where);
  }

  private static void assertEntries(Model model, StoreView view, byte[] from, String where) {
    try (StoreCursor cursor = view.cursor(InMemoryStore.END)) {
      boolean found = cursor.seek(from);
      for (Map.Entry<byte[], byte[]> entry : model.entries.tailMap(from, true).entrySet()) {
        assertEquals(true, found, where);
        assertArrayEquals(entry.getKey(), cursor.key(), where);
        int started = Math.min(2, entry.getValue().length);
        byte[] start = cursor.valueStart(started);
        assertTrue(start.length >= started, where);
        assertTrue(Arrays.equals(start, 0, started, entry.getValue(), 0, started), where);
        assertArrayEquals(
            entry.getValue(),
            cursor.value(),
            where
                + " "
                + new String(entry.getKey(), StandardCharsets.ISO_8859_1)
                    .replaceAll("[^ -~]", "."));
        found = cursor.next();
      }
      assertEquals(false, found, where);
    }
  }

  private static StoreBatch put(byte[] key, String value) {
    StoreBatch batch = new StoreBatch();
    batch.put(key, bytes(value));
    return batch;
  }

  @Test
  void aWalkThatHasLeftOutWhatIsDeletedGoesOnWhenAnotherNeedsWhatIsPut() throws IOException {
    CollectionKeys set = new CollectionKeys(0, bytes("set"), 1);
    byte[] element = new CollectionKeys(0, bytes("list"), 1).element(1);
    byte[] value = bytes("value");
    try (EngineRig rig = new EngineRig(1 << 20)) {
      Store store = rig.engine().store();
      StoreBatch rows = new StoreBatch();
      for (int i = 0; i < 6; i++) {
        rows.put(set.index(i, bytes("member")), value);
      }
      store.write(rows);
      rig.engine().publish(rig.engine().commit(true));
      StoreBatch popped = new StoreBatch();
      popped.delete(set.index(0, bytes("member")));
      popped.delete(set.index(3, bytes("member")));
      popped.put(element, value);
      store.write(popped);
      try (StoreView view = store.writerView();
          StoreCursor walk = view.cursor(InMemoryStore.END);
          StoreCursor other = view.cursor(InMemoryStore.END)) {
        walk.within(set.prefix(KeyFormat.INDEX), set.end(KeyFormat.INDEX));
        assertTrue(walk.seek(set.prefix(KeyFormat.INDEX)));
        assertArrayEquals(set.index(1, bytes("member")), walk.key());
        other.within(element, KeyFormat.successor(element));
        assertTrue(other.seek(element));
        assertTrue(walk.next());
        assertArrayEquals(set.index(2, bytes("member")), walk.key());
        assertTrue(walk.next());
        assertArrayEquals(set.index(4, bytes("member")), walk.key());
        assertTrue(walk.next());
        assertFalse(walk.next());
      }
    }
  }

  @Test
  void whatFailsHalfWayTakesTheGroupWithItAndWhoCommitsIsTold() throws IOException {
    byte[] key = KeyFormat.meta(0, bytes("key"));
    byte[] other = KeyFormat.meta(0, bytes("other"));
    try (EngineRig rig = new EngineRig(1 << 20)) {
      Store store = rig.engine().store();
      rig.write(transaction -> transaction.put(key, bytes("old")));
      store.write(put(other, "of another command"));
      assertThrows(
          IllegalArgumentException.class,
          () ->
              store.write(
                  new StoreChanges() {
                    @Override
                    public void accept(StoreBatch.Visitor visitor) {
                      visitor.put(key, bytes("new"));
                      throw new IllegalArgumentException("half way");
                    }

                    @Override
                    public long bytesMax() {
                      return 100;
                    }
                  }));
      assertThrows(WriteFailure.class, () -> store.write(put(key, "too early")));
      assertThrows(IOException.class, () -> rig.engine().commit(false));
      rig.engine().publish(rig.engine().commit(true));
      try (StoreView view = store.writerView()) {
        assertArrayEquals(bytes("old"), view.get(key));
        assertNull(view.get(other));
      }
      rig.write(transaction -> transaction.put(key, bytes("newer")));
      try (StoreView view = store.writerView()) {
        assertArrayEquals(bytes("newer"), view.get(key));
      }
    }
  }
}
