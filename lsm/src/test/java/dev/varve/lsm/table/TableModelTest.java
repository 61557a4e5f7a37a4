package dev.varve.lsm.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.Lookup;
import dev.varve.lsm.table.ModelTable.Place;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tables against a sorted map, with random entries and random walks. */
class TableModelTest {
  private static final long SEED = 20261121;

  @Test
  void everyReadAgreesWithASortedMap() throws IOException {
    for (int round = 0; round < 150; round++) {
      long seed = SEED + round;
      try {
        Random random = new Random(seed);
        int count = 1 + random.nextInt(random.nextInt(5) == 0 ? 3000 : 150);
        int valueBytesMax = random.nextInt(10) == 0 ? 3000 : random.nextInt(60);
        int blockBytes = 64 << random.nextInt(9);
        check(random, ModelTable.random(random, count, valueBytesMax), blockBytes);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  @Test
  void versionsOfOneKeyMayFillManyBlocks() throws IOException {
    Random random = new Random(SEED);
    ModelTable model = new ModelTable();
    for (byte first = 0; first < 3; first++) {
      for (int i = 0; i < 500; i++) {
        model.put(new byte[] {first, 1, 2}, random.nextInt(5000), new byte[random.nextInt(40)]);
      }
    }
    check(random, model, 64);
  }

  @Test
  void hugeValuesGetBlocksOfTheirOwn() throws IOException {
    Random random = new Random(SEED);
    ModelTable model = new ModelTable();
    for (int i = 0; i < 60; i++) {
      byte[] value = new byte[i % 10 == 3 ? 3 << 20 : i % 10 == 6 ? 70_000 : 20];
      random.nextBytes(value);
      model.put(("key" + i).getBytes(), i, value);
    }
    model.put(new byte[100_000], 5, new byte[1]);
    model.put(new byte[100_001], 5, new byte[1]);
    check(random, model, 4096);
  }

  private static void check(Random random, ModelTable model, int blockBytes) throws IOException {
    OffHeap offHeap = new OffHeap();
    CrashableStorageDirectory directory = new CrashableStorageDirectory();
    TableOptions options =
        TableOptions.DEFAULT.withBlockBytes(blockBytes).withCompress(random.nextBoolean());
    TableMeta meta = model.write(directory, 42, options, offHeap);
    assertEquals(0, offHeap.heldBytes());
    checkMeta(model, meta);

    BlockCache cache = new BlockCache(offHeap, random.nextBoolean() ? 1 << 20 : blockBytes * 3L);
    TableReader table =
        TableReader.open(directory, meta, KeyComparator.BYTEWISE, cache, CorruptionListener.NONE);
    ReadContext context =
        random.nextBoolean() ? ReadContext.MAY_BLOCK : ReadContext.MAY_BLOCK_UNCACHED;
    checkMeta(model, table.meta());
    checkScans(model, table, context);
    checkGets(random, model, table, context);
    try (EntryCursor cursor = table.cursor(context)) {
      checkWalk(random, model, cursor);
    }
    table.release();
    cache.close();
    assertEquals(0, offHeap.heldBytes());
  }

  private static void checkMeta(ModelTable model, TableMeta meta) {
    assertArrayEquals(model.entries.firstKey().key(), meta.smallestKey());
    assertArrayEquals(model.entries.lastKey().key(), meta.largestKey());
    assertEquals(model.entries.size(), meta.entries());
    assertEquals(
        model.entries.values().stream().filter(value -> value == null).count(), meta.tombstones());
    assertEquals(
        model.entries.keySet().stream().mapToLong(Place::sequence).max().orElseThrow(),
        meta.largestSequence());
    assertEquals(
        model.entries.keySet().stream().mapToLong(Place::sequence).min().orElseThrow(),
        meta.smallestSequence());
    assertEquals(7, meta.deadThrough());
  }

  private static void checkScans(ModelTable model, TableReader table, ReadContext context) {
    List<@Nullable Place> forward = new ArrayList<>();
    List<@Nullable Place> backward = new ArrayList<>();
    try (EntryCursor cursor = table.cursor(context)) {
      for (boolean on = cursor.seekToFirst(); on; on = cursor.next()) {
        forward.add(model.placeOf(cursor));
      }
      for (boolean on = cursor.seekToLast(); on; on = cursor.previous()) {
        backward.add(0, model.placeOf(cursor));
      }
    }
    List<Place> expected = new ArrayList<>(model.entries.keySet());
    assertEquals(expected, forward);
    assertEquals(expected, backward);
  }

  private static void checkGets(
      Random random, ModelTable model, TableReader table, ReadContext context) {
    KeyShapes strangers = new KeyShapes(random);
    List<Place> places = new ArrayList<>(model.entries.keySet());
    for (int i = 0; i < 300; i++) {
      Place place = somewhere(random, places, strangers);
      byte[] wanted = model.get(place.key(), place.sequence());
      byte[] got = ModelTable.get(table, place, context);
      if (wanted == null || wanted == Lookup.TOMBSTONE) {
        assertSame(wanted, got);
      } else {
        assertArrayEquals(wanted, got);
        assertTrue(got != Lookup.TOMBSTONE);
      }
    }
  }

  private static void checkWalk(Random random, ModelTable model, EntryCursor cursor) {
    KeyShapes strangers = new KeyShapes(random);
    List<Place> places = new ArrayList<>(model.entries.keySet());
    for (int i = 0; i < 600; i++) {
      Place target = somewhere(random, places, strangers);
      Map.@Nullable Entry<Place, byte @Nullable []> expected;
      boolean found;
      int move = random.nextInt(8);
      Place here = cursor.isValid() ? model.placeOf(cursor) : null;
      if (here != null && move < 3) {
        found = cursor.next();
        expected = model.entries.higherEntry(here);
      } else if (here != null && move < 5) {
        found = cursor.previous();
        expected = model.entries.lowerEntry(here);
      } else if (move == 5) {
        found = random.nextBoolean() ? cursor.seekToFirst() : cursor.seekToLast();
        continue;
      } else if (move == 6) {
        found = cursor.seek(target.key(), 0, target.key().length, target.sequence());
        expected = model.entries.ceilingEntry(target);
      } else {
        found = cursor.seekBefore(target.key(), 0, target.key().length, target.sequence());
        expected = model.entries.lowerEntry(target);
      }
      assertEquals(expected != null, found);
      assertEquals(expected == null ? null : expected.getKey(), model.placeOf(cursor));
    }
  }

  /** An entry's place, one beside it, or any other. */
  private static Place somewhere(Random random, List<Place> places, KeyShapes strangers) {
    Place near = places.get(random.nextInt(places.size()));
    return switch (random.nextInt(5)) {
      case 0 -> near;
      case 1 -> new Place(near.key(), EntryCursor.SEQUENCE_MAX);
      case 2 -> new Place(near.key(), Math.max(0, near.sequence() + random.nextInt(5) - 2));
      case 3 -> new Place(near.key(), 0);
      default -> new Place(strangers.next(), random.nextInt(100));
    };
  }
}
