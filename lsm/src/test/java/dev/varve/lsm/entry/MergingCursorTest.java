package dev.varve.lsm.entry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MergingCursorTest {
  private final List<Entry> all = new ArrayList<>();
  private final List<OracleCursor> children = new ArrayList<>();

  private EntryCursor merge(Random random, int sources, int entries) {
    RandomEntries generated = new RandomEntries(random);
    List<List<Entry>> parts = new ArrayList<>();
    for (int i = 0; i < sources; i++) {
      parts.add(new ArrayList<>());
    }
    byte[] key = generated.key();
    int part = 0;
    for (int sequence = 1; sequence <= entries; sequence++) {
      if (random.nextInt(3) > 0) {
        key = generated.key();
      }
      if (random.nextInt(4) == 0) {
        part = random.nextInt(sources);
      }
      boolean tombstone = random.nextInt(4) == 0;
      Entry entry =
          new Entry(key, sequence, tombstone, tombstone ? new byte[0] : generated.value());
      all.add(entry);
      parts.get(part).add(entry);
    }
    all.sort(Entry.ORDER);
    for (List<Entry> one : parts) {
      one.sort(Entry.ORDER);
      children.add(new OracleCursor(one));
    }
    return MergingCursor.of(KeyComparator.BYTEWISE, children);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 20})
  void walksAllEntriesInOrderEitherWayAndMixed(int sources) {
    long seed = 42 + sources;
    Random random = new Random(seed);
    System.out.println("MergingCursorTest seed " + seed);
    EntryCursor cursor = merge(random, sources, 400);
    EntryWalk.verifyWhole(cursor, all);
    RandomEntries targets = new RandomEntries(random);
    EntryWalk.verifyRandom(
        cursor,
        all,
        random,
        20_000,
        () -> random.nextBoolean() ? targets.key() : all.get(random.nextInt(all.size())).key());
  }

  private static Entry single(int key) {
    return new Entry(new byte[] {(byte) key}, key, false, new byte[0]);
  }

  @Test
  void entriesAddedBesideTheWalkDoNotBreakItsOrder() {
    List<Entry> growing = new ArrayList<>(List.of(single(5), single(20)));
    EntryCursor cursor =
        MergingCursor.of(
            KeyComparator.BYTEWISE,
            List.of(new OracleCursor(growing), new OracleCursor(List.of(single(10)))));
    assertTrue(cursor.seekToFirst());
    assertTrue(cursor.next());
    assertEquals(single(10), Entry.at(cursor));
    growing.add(1, single(15));
    assertTrue(cursor.previous());
    assertEquals(single(5), Entry.at(cursor));

    assertTrue(cursor.seekBefore(new byte[] {11}, 0, 1, EntryCursor.SEQUENCE_MAX));
    assertEquals(single(10), Entry.at(cursor));
    growing.add(1, single(7));
    assertTrue(cursor.next());
    assertEquals(single(15), Entry.at(cursor));
  }

  @Test
  void emptySourcesAreNoObstacle() {
    Entry only = new Entry(new byte[] {1}, 1, false, new byte[0]);
    EntryCursor cursor =
        MergingCursor.of(
            KeyComparator.BYTEWISE,
            List.of(
                new OracleCursor(List.of()),
                new OracleCursor(List.of(only)),
                new OracleCursor(List.of())));
    EntryWalk.verifyWhole(cursor, List.of(only));
  }

  @Test
  void mergingNothingIsEmpty() {
    try (EntryCursor cursor = MergingCursor.of(KeyComparator.BYTEWISE, List.of())) {
      EntryWalk.verifyWhole(cursor, List.of());
      assertFalse(cursor.seek(new byte[0], 0, 0, 1));
      assertFalse(cursor.seekBefore(new byte[0], 0, 0, 1));
    }
  }

  @Test
  void aSingleSourceIsNotWrapped() {
    OracleCursor only = new OracleCursor(List.of());
    assertSame(only, MergingCursor.of(KeyComparator.BYTEWISE, List.of(only)));
  }

  @Test
  void closingClosesAllSources() {
    EntryCursor cursor = merge(new Random(1), 3, 10);
    cursor.close();
    cursor.close();
    assertFalse(cursor.isValid());
    children.forEach(child -> assertTrue(child.isClosed()));
  }

  @Test
  void aColdBlockPassesThroughAndALaterSeekWorks() {
    Random random = new Random(7);
    EntryCursor cursor = merge(random, 4, 200);
    for (int round = 0; round < 500; round++) {
      OracleCursor failing = children.get(random.nextInt(children.size()));
      failing.movesUntilFailure = random.nextInt(12);
      RuntimeException failure =
          random.nextBoolean()
              ? ColdBlockSignal.INSTANCE
              : new ReadFailure(new IOException("damaged block"));
      failing.failure = failure;
      RuntimeException thrown =
          assertThrows(
              RuntimeException.class,
              () -> {
                cursor.seekToFirst();
                while (true) {
                  boolean valid = random.nextInt(3) > 0 ? cursor.next() : cursor.previous();
                  if (!valid) {
                    cursor.seekToFirst();
                  }
                }
              });
      assertSame(failure, thrown);
      assertFalse(cursor.isValid());
      int at = random.nextInt(all.size());
      Entry wanted = all.get(at);
      assertTrue(cursor.seek(wanted.key(), 0, wanted.key().length, wanted.sequence()));
      assertEquals(wanted, Entry.at(cursor));
    }
    EntryWalk.verifyWhole(cursor, all);
  }

  @Test
  void steppingFromNowhereIsRefused() {
    EntryCursor cursor = merge(new Random(3), 2, 10);
    assertThrows(IllegalStateException.class, cursor::next);
    assertThrows(IllegalStateException.class, cursor::previous);
  }
}
