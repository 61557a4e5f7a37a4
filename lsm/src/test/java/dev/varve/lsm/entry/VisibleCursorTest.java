package dev.varve.lsm.entry;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VisibleCursorTest {

  /** What a reader at the snapshot sees, worked out the simple way. */
  private static NavigableMap<byte[], byte[]> visible(
      List<Entry> sorted, long snapshot, byte @Nullable [] lower, byte @Nullable [] upper) {
    NavigableMap<byte[], byte[]> shown = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = sorted.size() - 1; i >= 0; i--) {
      Entry entry = sorted.get(i);
      boolean within =
          (lower == null || Arrays.compareUnsigned(entry.key(), lower) >= 0)
              && (upper == null || Arrays.compareUnsigned(entry.key(), upper) < 0);
      if (within && entry.sequence() <= snapshot) {
        if (entry.tombstone()) {
          shown.remove(entry.key());
        } else {
          shown.put(entry.key(), entry.value());
        }
      }
    }
    return shown;
  }

  private static List<Entry> randomEntries(Random random, int count) {
    RandomEntries generated = new RandomEntries(random);
    List<Entry> entries = new ArrayList<>();
    byte[] key = generated.key();
    int tombstonesOf = 1 + random.nextInt(6);
    // Few new keys for many entries: long runs of versions, past what is walked step by step.
    int newKeyOf = random.nextBoolean() ? 2 : 15;
    for (int sequence = 0; sequence < count; sequence++) {
      if (random.nextInt(newKeyOf) == 0) {
        key =
            random.nextBoolean() || entries.isEmpty()
                ? generated.key()
                : entries.get(random.nextInt(entries.size())).key();
      }
      boolean tombstone = random.nextInt(tombstonesOf + 1) == 0;
      byte[] value = random.nextInt(50) == 0 ? new byte[40_000] : generated.value();
      entries.add(new Entry(key, sequence, tombstone, tombstone ? new byte[0] : value));
    }
    entries.sort(Entry.ORDER);
    return entries;
  }

  private static EntryCursor split(List<Entry> sorted, Random random, int sources) {
    List<List<Entry>> parts = new ArrayList<>();
    for (int i = 0; i < sources; i++) {
      parts.add(new ArrayList<>());
    }
    sorted.forEach(entry -> parts.get(random.nextInt(sources)).add(entry));
    return MergingCursor.of(KeyComparator.BYTEWISE, parts.stream().map(OracleCursor::new).toList());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void showsEachKeyOnceWithItsNewestValue(long seed) {
    System.out.println("VisibleCursorTest seed " + seed);
    Random random = new Random(seed);
    List<Entry> sorted = randomEntries(random, 300);
    RandomEntries targets = new RandomEntries(random);
    for (int round = 0; round < 6; round++) {
      long snapshot = round == 0 ? EntryCursor.SEQUENCE_MAX : random.nextInt(round < 3 ? 301 : 60);
      byte[] lower = random.nextBoolean() ? null : targets.key();
      byte[] upper = random.nextBoolean() ? null : targets.key();
      NavigableMap<byte[], byte[]> shown = visible(sorted, snapshot, lower, upper);
      try (VisibleCursor cursor =
          new VisibleCursor(
              split(sorted, random, 1 + random.nextInt(4)),
              KeyComparator.BYTEWISE,
              snapshot,
              lower,
              upper)) {
        walkAtRandom(cursor, shown, random, sorted, targets);
        byte[] from = random.nextBoolean() ? null : targets.key();
        byte[] to = random.nextBoolean() ? null : targets.key();
        cursor.within(from, to);
        assertFalse(cursor.isValid());
        walkAtRandom(cursor, visible(sorted, snapshot, from, to), random, sorted, targets);
      }
    }
  }

  private static void walkAtRandom(
      VisibleCursor cursor,
      NavigableMap<byte[], byte[]> shown,
      Random random,
      List<Entry> sorted,
      RandomEntries targets) {
    Map.Entry<byte[], byte[]> at = null;
    for (int move = 0; move < 1_000; move++) {
      boolean valid;
      if (at == null || random.nextInt(10) == 0) {
        byte[] target =
            random.nextBoolean() ? targets.key() : sorted.get(random.nextInt(sorted.size())).key();
        switch (random.nextInt(4)) {
          case 0 -> {
            valid = cursor.seekToFirst();
            at = shown.firstEntry();
          }
          case 1 -> {
            valid = cursor.seekToLast();
            at = shown.lastEntry();
          }
          case 2 -> {
            valid = cursor.seek(target);
            at = shown.ceilingEntry(target);
          }
          default -> {
            valid = cursor.seekBefore(target);
            at = shown.lowerEntry(target);
          }
        }
      } else if (random.nextBoolean()) {
        valid = cursor.next();
        at = shown.higherEntry(at.getKey());
      } else {
        valid = cursor.previous();
        at = shown.lowerEntry(at.getKey());
      }
      assertEquals(at != null, valid);
      assertEquals(at != null, cursor.isValid());
      if (at != null) {
        assertArrayEquals(at.getKey(), cursor.copyKey());
        assertArrayEquals(at.getValue(), cursor.copyValue());
      }
    }
  }

  private static Entry value(int key, long sequence) {
    return new Entry(new byte[] {(byte) key}, sequence, false, new byte[] {(byte) sequence});
  }

  private static Entry tombstone(int key, long sequence) {
    return new Entry(new byte[] {(byte) key}, sequence, true, new byte[0]);
  }

  @Test
  void countsDeadEntriesThatItWalksOver() {
    List<Entry> sorted =
        List.of(value(1, 9), value(1, 3), tombstone(2, 8), value(2, 2), value(3, 1));
    VisibleCursor cursor =
        new VisibleCursor(
            new OracleCursor(sorted), KeyComparator.BYTEWISE, EntryCursor.SEQUENCE_MAX, null, null);
    assertTrue(cursor.seekToFirst());
    assertEquals(0, cursor.skippedEntries());
    assertTrue(cursor.next());
    assertEquals(3, cursor.skippedEntries());
    assertFalse(cursor.next());
    assertTrue(cursor.seekToLast());
    assertEquals(3, cursor.skippedEntries());
    assertTrue(cursor.previous());
    assertEquals(6, cursor.skippedEntries());
  }

  @Test
  void aBoundEndsTheWalkBeforeTheDeadEntriesBeyondIt() {
    List<Entry> sorted = new ArrayList<>();
    for (int key = 0; key < 100; key++) {
      sorted.add(key == 50 ? value(key, key) : tombstone(key, key));
    }
    VisibleCursor cursor =
        new VisibleCursor(
            new OracleCursor(sorted),
            KeyComparator.BYTEWISE,
            EntryCursor.SEQUENCE_MAX,
            new byte[] {49},
            new byte[] {52});
    assertTrue(cursor.seekToFirst());
    assertFalse(cursor.next());
    assertTrue(cursor.seekToLast());
    assertFalse(cursor.previous());
    assertEquals(4, cursor.skippedEntries());
    cursor.within(new byte[] {50}, new byte[] {51});
    assertFalse(cursor.isValid());
    assertTrue(cursor.seekToFirst());
    assertFalse(cursor.next());
    assertTrue(cursor.seekToLast());
    assertFalse(cursor.previous());
    assertEquals(4, cursor.skippedEntries());
  }

  @Test
  void anEntryAddedBesideTheWalkStaysUnseen() {
    List<Entry> sorted = new ArrayList<>(List.of(value(2, 1), value(4, 2)));
    VisibleCursor cursor =
        new VisibleCursor(new OracleCursor(sorted), KeyComparator.BYTEWISE, 5, null, null);
    assertTrue(cursor.seekToLast());
    assertTrue(cursor.previous());
    assertArrayEquals(new byte[] {2}, cursor.copyKey());
    // Now the entries' cursor stands before everything; what comes there is newer than 5.
    sorted.add(0, value(1, 6));
    sorted.add(1, value(2, 7));
    assertTrue(cursor.next());
    assertArrayEquals(new byte[] {4}, cursor.copyKey());
    assertTrue(cursor.previous());
    assertArrayEquals(new byte[] {2}, cursor.copyKey());
    assertArrayEquals(new byte[] {1}, cursor.copyValue());
    assertFalse(cursor.previous());
  }

  @Test
  void aColdBlockPassesThroughAndALaterSeekWorks() {
    Random random = new Random(99);
    List<Entry> sorted = randomEntries(random, 200);
    NavigableMap<byte[], byte[]> shown = visible(sorted, 150, null, null);
    OracleCursor entries = new OracleCursor(sorted);
    VisibleCursor cursor = new VisibleCursor(entries, KeyComparator.BYTEWISE, 150, null, null);
    for (int round = 0; round < 500; round++) {
      entries.movesUntilFailure = random.nextInt(20);
      RuntimeException thrown =
          assertThrows(
              ColdBlockSignal.class,
              () -> {
                cursor.seekToFirst();
                while (true) {
                  boolean valid = random.nextBoolean() ? cursor.next() : cursor.previous();
                  if (!valid) {
                    cursor.seekToLast();
                  }
                }
              });
      assertSame(ColdBlockSignal.INSTANCE, thrown);
      assertFalse(cursor.isValid());
      byte[] target = sorted.get(random.nextInt(sorted.size())).key();
      Map.Entry<byte[], byte[]> expected = shown.ceilingEntry(target);
      assertEquals(expected != null, cursor.seek(target));
      if (expected != null) {
        assertArrayEquals(expected.getKey(), cursor.copyKey());
        assertArrayEquals(expected.getValue(), cursor.copyValue());
      }
    }
  }

  @Test
  void closingClosesTheEntries() {
    OracleCursor entries = new OracleCursor(List.of(value(1, 1)));
    VisibleCursor cursor = new VisibleCursor(entries, KeyComparator.BYTEWISE, 5, null, null);
    assertTrue(cursor.seekToFirst());
    cursor.close();
    cursor.close();
    assertTrue(entries.isClosed());
    assertFalse(cursor.isValid());
    assertThrows(IllegalStateException.class, cursor::next);
  }
}
