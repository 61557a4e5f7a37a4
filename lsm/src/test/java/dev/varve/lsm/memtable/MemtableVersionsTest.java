package dev.varve.lsm.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.Lookup;
import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.wal.OffHeap;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a memtable drops of a key that is written again and again, and what it must not. */
class MemtableVersionsTest {
  private static final long[] NO_PLACE = {Place.NONE, 0};

  private final OffHeap offHeap = new OffHeap();
  private final Memtable memtable = new Memtable(offHeap, 64 * 1024);

  /** Where the newest entries stand, as the memtable said. */
  private final Map<byte[], long[]> places = new TreeMap<>(Arrays::compareUnsigned);

  private boolean arePlacesHandedIn;

  @AfterEach
  void free() {
    memtable.release();
    assertEquals(0, offHeap.heldBytes());
  }

  @Test
  void withoutReadersOnlyTheNewestVersionStays() {
    byte[] key = {7};
    for (int sequence = 1; sequence <= 1_000; sequence++) {
      add(key, sequence, sequence % 2 == 0, ReadPoints.NOWHERE);
    }
    assertEquals(1, memtable.entries());
    assertEquals(1, memtable.tombstones());
    assertSame(Lookup.TOMBSTONE, memtable.get(key, 0, 1, EntryCursor.SEQUENCE_MAX));
    assertNull(memtable.get(key, 0, 1, 999));
    assertEquals(1, walkedEntries());
  }

  @Test
  void readPointsEverywhereKeepEveryVersion() {
    byte[] key = {7};
    for (int sequence = 1; sequence <= 1_000; sequence++) {
      add(key, sequence, false, ReadPoints.EVERYWHERE);
    }
    assertEquals(1_000, memtable.entries());
    assertEquals(1_000, walkedEntries());
  }

  @Test
  void versionsThatWereKeptGoOnceNobodyLooksAtThem() {
    byte[] key = {7};
    for (int sequence = 1; sequence <= 8; sequence++) {
      add(key, sequence, true, ReadPoints.EVERYWHERE);
    }
    add(key, 9, false, (from, to) -> from <= 8 && 8 < to);
    assertEquals(2, memtable.entries());
    assertEquals(1, memtable.tombstones());
    assertSame(Lookup.TOMBSTONE, memtable.get(key, 0, 1, 8));
    assertArrayEquals(valueOf(key, 9), memtable.get(key, 0, 1, 9));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void keysWithTheSameWordKeepTheirVersions(boolean placesHandedIn) {
    arePlacesHandedIn = placesHandedIn;
    // Zero bytes at the end do not show in the padded word.
    byte[][] keys = {{5}, {5, 0}, {5, 0, 0}};
    for (int sequence = 1; sequence <= 300; sequence++) {
      add(keys[sequence % 3], sequence, false, ReadPoints.NOWHERE);
    }
    assertEquals(3, memtable.entries());
    for (int i = 0; i < 3; i++) {
      long newest = i == 0 ? 300 : 297 + i;
      assertArrayEquals(valueOf(keys[i], newest), get(keys[i], EntryCursor.SEQUENCE_MAX));
    }
  }

  @Test
  void aPlaceThatOthersWereInsertedBeforeOrThatWasSplitIsFoundAgain() {
    arePlacesHandedIn = true;
    add(keyOf(5_000), 1, false, ReadPoints.NOWHERE);
    for (int i = 0; i < 300; i++) {
      add(keyOf(i % 2 == 0 ? 4_999 - i : 5_001 + i), 2 + i, false, ReadPoints.NOWHERE);
      add(keyOf(5_000), 2 + i, false, ReadPoints.NOWHERE);
    }
    assertEquals(301, memtable.entries());
    assertArrayEquals(valueOf(keyOf(5_000), 301), get(keyOf(5_000), EntryCursor.SEQUENCE_MAX));
    assertEquals(301, walkedEntries());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void everyReadPointShowsWhatItShowedAtFirst(long seed) {
    System.out.println("MemtableVersionsTest seed " + seed);
    Random random = new Random(seed);
    arePlacesHandedIn = seed % 2 == 0;
    int keys = 1 + random.nextInt(200);
    Map<Long, TreeMap<byte[], byte[]>> pinned = new TreeMap<>();
    TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    ReadPoints readPoints =
        (from, to) -> pinned.keySet().stream().anyMatch(point -> from <= point && point < to);
    for (int sequence = 1; sequence <= 6_000; sequence++) {
      byte[] key = keyOf(Math.min(random.nextInt(keys), random.nextInt(keys)));
      boolean tombstone = random.nextInt(5) == 0;
      if (random.nextInt(10) == 0) {
        places.remove(key);
      }
      add(key, sequence, tombstone, readPoints);
      model.put(key, tombstone ? Lookup.TOMBSTONE : valueOf(key, sequence));
      if (random.nextInt(60) == 0) {
        TreeMap<byte[], byte[]> seen = new TreeMap<>(Arrays::compareUnsigned);
        seen.putAll(model);
        pinned.put((long) sequence, seen);
      }
      if (random.nextInt(150) == 0) {
        List<Long> points = new ArrayList<>(pinned.keySet());
        if (!points.isEmpty()) {
          long point = points.get(random.nextInt(points.size()));
          verify(point, Objects.requireNonNull(pinned.remove(point)));
        }
      }
    }
    pinned.forEach(this::verify);
    verify(EntryCursor.SEQUENCE_MAX, model);
    assertEquals(memtable.entries(), walkedEntries());
    assertTrue(memtable.entries() < 6_000);
  }

  private void verify(long point, Map<byte[], byte[]> expected) {
    List<byte[]> shown = new ArrayList<>();
    expected.forEach(
        (key, value) -> {
          if (value == Lookup.TOMBSTONE) {
            assertSame(Lookup.TOMBSTONE, get(key, point));
          } else {
            assertArrayEquals(value, get(key, point));
            shown.add(key);
          }
        });
    try (VisibleCursor cursor =
        new VisibleCursor(memtable.cursor(), KeyComparator.BYTEWISE, point, null, null)) {
      boolean at = cursor.seekToFirst();
      for (byte[] key : shown) {
        assertTrue(at);
        assertArrayEquals(key, cursor.copyKey());
        assertArrayEquals(expected.get(key), cursor.copyValue());
        at = cursor.next();
      }
      assertFalse(at);
      at = cursor.seekToLast();
      for (int i = shown.size() - 1; i >= 0; i--) {
        assertTrue(at);
        assertArrayEquals(shown.get(i), cursor.copyKey());
        at = cursor.previous();
      }
      assertFalse(at);
    }
  }

  private long walkedEntries() {
    long walked = 0;
    long tombstones = 0;
    try (EntryCursor cursor = memtable.cursor()) {
      for (boolean at = cursor.seekToFirst(); at; at = cursor.next()) {
        walked++;
        tombstones += cursor.isTombstone() ? 1 : 0;
      }
    }
    assertEquals(memtable.tombstones(), tombstones);
    return walked;
  }

  private byte[] get(byte[] key, long sequence) {
    byte[] found = memtable.get(key, 0, key.length, sequence);
    assertTrue(found != null, "nothing is left of a key");
    return found;
  }

  private void add(byte[] key, long sequence, boolean tombstone, ReadPoints readPoints) {
    byte[] value = tombstone ? new byte[0] : valueOf(key, sequence);
    long[] newest = arePlacesHandedIn ? places.getOrDefault(key, NO_PLACE) : NO_PLACE;
    memtable.touch(newest[0], newest[1]);
    long place =
        memtable.add(
            key,
            0,
            key.length,
            sequence,
            tombstone,
            value,
            0,
            value.length,
            readPoints,
            newest[0],
            newest[1]);
    places.put(key, new long[] {place, memtable.mark()});
  }

  private static byte[] keyOf(int number) {
    return ByteBuffer.allocate(12).putInt(0x6B657900).putLong(number).array();
  }

  private static byte[] valueOf(byte[] key, long sequence) {
    return ByteBuffer.allocate(12).putLong(sequence).putInt(Arrays.hashCode(key)).array();
  }
}
