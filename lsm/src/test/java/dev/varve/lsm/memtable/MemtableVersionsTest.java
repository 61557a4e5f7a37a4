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
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.wal.OffHeap;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
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
  private static final long[] NO_PLACE = {EntryPlace.NONE, 0};

  private final OffHeap offHeap = new OffHeap();
  private final Memtable memtable = new Memtable(offHeap, 64 * 1024);

  /** Where the newest entries stand, as the memtable said. */
  private final Map<byte[], long[]> places = new TreeMap<>(Arrays::compareUnsigned);

  private boolean arePlacesHandedIn;

  /** Whether tombstones may leave, with the values that they hide. */
  private boolean areInsertionsSaid;

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
    assertSame(Lookup.TOMBSTONE, memtable.get(key, EntryCursor.SEQUENCE_MAX, ValueCopy.WHOLE));
    assertNull(memtable.get(key, 999, ValueCopy.WHOLE));
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
    assertSame(Lookup.TOMBSTONE, memtable.get(key, 8, ValueCopy.WHOLE));
    assertArrayEquals(valueOf(key, 9), memtable.get(key, 9, ValueCopy.WHOLE));
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

  @Test
  void whatWasInsertedAndDeletedLeavesOnceItIsPublished() {
    for (int i = 0; i < 20; i++) {
      add(keyOf(10 * i), 1 + i, false, ReadPoints.EVERYWHERE);
    }
    ReadPoints newestCommitted = (from, to) -> from <= 100 && 100 < to;
    for (int i = 0; i < 10; i++) {
      insert(keyOf(10 * i + 5), 50 + i, newestCommitted);
      add(keyOf(10 * i + 5), 101 + i, true, newestCommitted);
    }
    assertEquals(40, memtable.entries());
    memtable.dropSpent(105, ReadPoints.NOWHERE);
    assertEquals(30, memtable.entries());
    assertEquals(5, memtable.tombstones());
    assertNull(memtable.get(keyOf(5), EntryCursor.SEQUENCE_MAX, ValueCopy.WHOLE));
    assertSame(Lookup.TOMBSTONE, get(keyOf(95), EntryCursor.SEQUENCE_MAX));
    memtable.dropSpent(200, ReadPoints.NOWHERE);
    assertEquals(20, memtable.entries());
    assertEquals(20, walkedEntries());
  }

  @Test
  void aReaderBetweenInsertionAndDeletionKeepsBoth() {
    add(keyOf(9), 1, false, ReadPoints.EVERYWHERE);
    insert(keyOf(5), 2, ReadPoints.EVERYWHERE);
    add(keyOf(5), 3, true, ReadPoints.EVERYWHERE);
    memtable.dropSpent(3, (from, to) -> from <= 2 && 2 < to);
    assertArrayEquals(valueOf(keyOf(5), 2), get(keyOf(5), 2));
    assertEquals(3, walkedEntries());
  }

  @Test
  void aTombstoneThatHidesSomethingElseStays() {
    add(keyOf(9), 1, false, ReadPoints.EVERYWHERE);
    // Behind a tombstone that nobody sees lies a value that somebody saw.
    ReadPoints atTwo = (from, to) -> from <= 2 && 2 < to;
    add(keyOf(5), 2, false, atTwo);
    add(keyOf(5), 3, true, atTwo);
    insert(keyOf(5), 4, atTwo);
    add(keyOf(5), 5, true, ReadPoints.EVERYWHERE);
    memtable.dropSpent(5, ReadPoints.NOWHERE);
    assertSame(Lookup.TOMBSTONE, get(keyOf(5), EntryCursor.SEQUENCE_MAX));
    // One that everybody may see is not looked behind either.
    add(keyOf(7), 6, true, ReadPoints.EVERYWHERE);
    insert(keyOf(7), 7, ReadPoints.EVERYWHERE);
    add(keyOf(7), 8, true, ReadPoints.EVERYWHERE);
    memtable.dropSpent(8, ReadPoints.NOWHERE);
    assertEquals(7, memtable.entries());
    // A value that nobody promised to be the first.
    add(keyOf(6), 9, false, ReadPoints.EVERYWHERE);
    add(keyOf(6), 10, true, ReadPoints.EVERYWHERE);
    memtable.dropSpent(10, ReadPoints.NOWHERE);
    assertSame(Lookup.TOMBSTONE, get(keyOf(6), EntryCursor.SEQUENCE_MAX));
  }

  /** At once there are more than wait. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void walksPassLeavesOfWhichMostHasLeft(boolean atOnce) {
    int keys = 10_000;
    for (int i = 0; i < keys; i++) {
      // The first ones from behind: each entry has another before which it comes.
      insert(keyOf(keys - i), 1 + i, ReadPoints.EVERYWHERE);
    }
    for (int i = 0; i < keys; i++) {
      add(keyOf(keys - i), 20_000 + i, true, ReadPoints.EVERYWHERE);
      if (!atOnce) {
        memtable.dropSpent(20_000 + i, ReadPoints.NOWHERE);
      }
    }
    memtable.dropSpent(EntryCursor.SEQUENCE_MAX, ReadPoints.NOWHERE);
    assertTrue(memtable.entries() < keys, memtable.entries() + " entries");
    assertEquals(memtable.entries(), walkedEntries());
    TreeMap<byte[], byte[]> nothing = new TreeMap<>(Arrays::compareUnsigned);
    verify(EntryCursor.SEQUENCE_MAX, nothing);
    byte[] last = keyOf(keys + 1);
    add(last, 40_000, false, ReadPoints.EVERYWHERE);
    nothing.put(last, valueOf(last, 40_000));
    verify(EntryCursor.SEQUENCE_MAX, nothing);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18})
  void everyReadPointShowsWhatItShowedAtFirst(long seed) {
    System.out.println("MemtableVersionsTest seed " + seed);
    Random random = new Random(seed);
    arePlacesHandedIn = seed % 2 == 0;
    areInsertionsSaid = seed % 3 == 0;
    boolean inRuns = seed > 12;
    int keys = areInsertionsSaid || inRuns ? 2_000 : 1 + random.nextInt(200);
    int number = 0;
    int step = 1;
    Map<Long, TreeMap<byte[], byte[]>> pinned = new TreeMap<>();
    TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    ReadPoints readPoints =
        (from, to) -> pinned.keySet().stream().anyMatch(point -> from <= point && point < to);
    for (int sequence = 1; sequence <= 6_000; sequence++) {
      if (inRuns && random.nextInt(50) > 0) {
        number = Math.floorMod(number + step, keys);
      } else {
        number = Math.min(random.nextInt(keys), random.nextInt(keys));
        step = random.nextInt(5) - 2;
      }
      byte[] key = keyOf(number);
      boolean isThere = model.getOrDefault(key, Lookup.TOMBSTONE) != Lookup.TOMBSTONE;
      boolean tombstone = areInsertionsSaid ? isThere : random.nextInt(5) == 0;
      if (random.nextInt(10) == 0) {
        places.remove(key);
      }
      if (areInsertionsSaid && !isThere) {
        insert(key, sequence, readPoints);
      } else {
        add(key, sequence, tombstone, readPoints);
      }
      if (random.nextInt(5) == 0) {
        memtable.dropSpent(sequence - 1, readPoints);
      }
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

  @Test
  void whatWasInsertedAndDeletedUnseenLeavesAtOnce() {
    add(keyOf(9), 1, false, ReadPoints.NOWHERE);
    insert(keyOf(5), 2, ReadPoints.NOWHERE);
    long bytes = memtable.bytes();
    for (int sequence = 3; sequence < 100_000; sequence += 2) {
      add(keyOf(5), sequence, true, ReadPoints.NOWHERE);
      insert(keyOf(5), sequence + 1, ReadPoints.NOWHERE);
    }
    add(keyOf(5), 100_001, true, ReadPoints.NOWHERE);
    assertEquals(1, memtable.entries());
    assertEquals(0, memtable.tombstones());
    assertNull(memtable.get(keyOf(5), EntryCursor.SEQUENCE_MAX, ValueCopy.WHOLE));
    assertEquals(1, walkedEntries());
    int values = 50_000 * 40;
    assertTrue(memtable.bytes() - bytes < values + 100_000, "tombstones took memory");
  }

  @Test
  void aLeafOfWhichAllLeavesAtOnceIsNeverEmpty() {
    TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    add(keyOf(200), 1, false, ReadPoints.NOWHERE);
    model.put(keyOf(200), valueOf(keyOf(200), 1));
    long sequence = 2;
    for (int i = 199; i > 0; i--) {
      // When a leaf is full the next key gets one for itself.
      insert(keyOf(i), sequence++, ReadPoints.NOWHERE);
      add(keyOf(i), sequence++, true, ReadPoints.NOWHERE);
      assertEquals(memtable.entries(), walkedEntries());
      verify(EntryCursor.SEQUENCE_MAX, model);
      insert(keyOf(i), sequence, ReadPoints.NOWHERE);
      model.put(keyOf(i), valueOf(keyOf(i), sequence++));
    }
  }

  /** Of batches that are taken back, some have split leaves and some have filled them. */
  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23, 24, 25, 26, 27, 28})
  void aBatchThatIsTakenBackLeavesReadersWithWhatTheySaw(long seed) {
    System.out.println("MemtableVersionsTest seed " + seed);
    Random random = new Random(seed);
    arePlacesHandedIn = seed % 2 == 0;
    areInsertionsSaid = true;
    int keys = 300 + random.nextInt(3_000);
    TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    int kept = 5 + random.nextInt(20);
    for (int sequence = 1; sequence <= kept; sequence++) {
      memtable.beginRetractable(sequence);
      change(model, sequence, keys, 20 + random.nextInt(200), random);
      memtable.keep();
      memtable.dropSpent(sequence, ReadPoints.NOWHERE);
    }
    verify(kept, model);
    TreeMap<byte[], byte[]> before = new TreeMap<>(Arrays::compareUnsigned);
    before.putAll(model);
    memtable.beginRetractable(kept + 1);
    change(model, kept + 1, keys, 1 + random.nextInt(keys), random);
    memtable.takeBack();
    verify(kept, before);
  }

  private void change(
      TreeMap<byte[], byte[]> model, long sequence, int keys, int changes, Random random) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < keys; i++) {
      numbers.add(i);
    }
    Collections.shuffle(numbers, random);
    for (int number : numbers.subList(0, Math.min(changes, keys))) {
      byte[] key = keyOf(number);
      boolean isThere = model.getOrDefault(key, Lookup.TOMBSTONE) != Lookup.TOMBSTONE;
      boolean deletes = isThere && random.nextInt(3) > 0;
      if (isThere) {
        add(key, sequence, deletes, ReadPoints.NOWHERE);
      } else {
        insert(key, sequence, ReadPoints.NOWHERE);
      }
      model.put(key, deletes ? Lookup.TOMBSTONE : valueOf(key, sequence));
    }
  }

  private void verify(long point, Map<byte[], byte[]> expected) {
    List<byte[]> shown = new ArrayList<>();
    expected.forEach(
        (key, value) -> {
          if (value == Lookup.TOMBSTONE) {
            byte[] found = memtable.get(key, point, ValueCopy.WHOLE);
            if (found != null || !areInsertionsSaid) {
              assertSame(Lookup.TOMBSTONE, found);
            }
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
    byte[] found = memtable.get(key, sequence, ValueCopy.WHOLE);
    assertTrue(found != null, "nothing is left of a key");
    return found;
  }

  /** Adds a value whose key has none. */
  private void insert(byte[] key, long sequence, ReadPoints readPoints) {
    add(key, sequence, false, readPoints, new long[] {EntryPlace.ABSENT, 0});
  }

  private void add(byte[] key, long sequence, boolean tombstone, ReadPoints readPoints) {
    long[] newest = arePlacesHandedIn ? places.getOrDefault(key, NO_PLACE) : NO_PLACE;
    memtable.touch(newest[0], newest[1]);
    add(key, sequence, tombstone, readPoints, newest);
  }

  private void add(
      byte[] key, long sequence, boolean tombstone, ReadPoints readPoints, long[] newest) {
    byte[] value = tombstone ? new byte[0] : valueOf(key, sequence);
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
