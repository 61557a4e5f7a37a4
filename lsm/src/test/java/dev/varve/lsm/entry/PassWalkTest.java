package dev.varve.lsm.entry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.ListCursor.Entry;
import dev.varve.lsm.entry.ListDeadRanges.Range;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PassWalkTest {

  @Test
  void keepsAllAboveTheHorizonAndTheNewestUpToIt() {
    List<Entry> input = List.of(put(1, 9), put(1, 7), put(1, 5), put(1, 3), put(2, 4));

    assertEquals(
        List.of(put(1, 9), put(1, 7), put(1, 5), put(2, 4)),
        kept(input, 6, DeadRanges.NONE, KeysBelow.NONE));
  }

  @Test
  void tombstoneGoesOnlyWhenNothingBelowMayHoldItsKey() {
    List<Entry> input = List.of(tombstone(1, 5), put(1, 3), tombstone(2, 5), tombstone(3, 8));

    assertEquals(
        List.of(tombstone(2, 5), tombstone(3, 8)),
        kept(input, 6, DeadRanges.NONE, (key, length) -> key[0] == 2));
  }

  @Test
  void tombstoneAboveTheHorizonDoesNotHideWhatOlderReadersSee() {
    List<Entry> input = List.of(tombstone(1, 8), put(1, 5), put(1, 4));

    assertEquals(
        List.of(tombstone(1, 8), put(1, 5)), kept(input, 6, DeadRanges.NONE, KeysBelow.NONE));
  }

  @Test
  void keyThatIsAPrefixOfTheOneBeforeIsAnotherKey() {
    Entry shorter = new Entry(new byte[] {1}, 5, false, new byte[0]);
    Entry longer = new Entry(new byte[] {1, 0}, 4, false, new byte[0]);
    List<Entry> input = List.of(shorter, longer);

    assertEquals(input, kept(input, 9, DeadRanges.NONE, KeysBelow.NONE));
  }

  @Test
  void longDeadRangeIsSeekedPastNotRead() {
    List<Entry> input = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      input.add(put(i, i + 1));
    }
    ListCursor cursor = new ListCursor(input);
    DeadRanges dead = new ListDeadRanges(List.of(range(10, 190)), List.of());

    PassWalk walk = new PassWalk(KeyComparator.BYTEWISE, cursor, 200, 300, dead, KeysBelow.NONE);
    int kept = 0;
    while (walk.next()) {
      kept++;
    }

    assertEquals(20, kept);
    assertEquals(1, cursor.seeks);
    assertTrue(
        cursor.entriesMet <= 20 + PassWalk.DEAD_ENTRIES_BEFORE_SEEK + 1,
        "met " + cursor.entriesMet);
  }

  @Test
  void entryNewerThanTheHorizonSurvivesInsideALongDeadRange() {
    List<Entry> input = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      input.add(put(i, i == 150 ? 999 : i + 1));
    }
    DeadRanges dead = new ListDeadRanges(List.of(range(10, 190)), List.of());

    assertTrue(kept(input, 300, dead, KeysBelow.NONE).contains(put(150, 999)));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void keepsExactlyWhatAnOracleKeeps(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      TreeSet<Entry> sorted = new TreeSet<>();
      int entries = random.nextInt(120);
      List<Integer> sequences = new ArrayList<>();
      for (int i = 1; i <= entries; i++) {
        sequences.add(i);
      }
      java.util.Collections.shuffle(sequences, random);
      for (int sequence : sequences) {
        int key = random.nextInt(60);
        sorted.add(random.nextInt(3) == 0 ? tombstone(key, sequence) : put(key, sequence));
      }
      List<Entry> input = List.copyOf(sorted);
      long horizon = random.nextBoolean() ? entries : random.nextInt(entries + 2);
      List<Range> ranges = randomRanges(random);
      List<byte[]> scattered = List.of(key(random.nextInt(60)), key(random.nextInt(60)));
      Set<Integer> below = new HashSet<>();
      for (int i = 0; i < 20; i++) {
        below.add(random.nextInt(60));
      }

      List<Entry> expected = oracle(input, horizon, ranges, scattered, below);
      List<Entry> actual =
          kept(
              input,
              horizon,
              new ListDeadRanges(ranges, scattered),
              (key, length) -> below.contains(key[0] & 0xff));

      assertEquals(expected, actual, "seed " + seed + ", round " + round);
    }
  }

  private static List<Entry> oracle(
      List<Entry> input,
      long horizon,
      List<Range> ranges,
      List<byte[]> scattered,
      Set<Integer> below) {
    List<Entry> kept = new ArrayList<>();
    for (Entry entry : input) {
      boolean dead =
          ranges.stream().anyMatch(range -> range.holds(entry.key()))
              || scattered.stream().anyMatch(key -> Arrays.equals(key, entry.key()));
      boolean shadowed =
          input.stream()
              .anyMatch(
                  other ->
                      Arrays.equals(other.key(), entry.key())
                          && other.sequence() > entry.sequence()
                          && other.sequence() <= horizon);
      boolean spent = entry.tombstone() && !below.contains(entry.key()[0] & 0xff);
      if (entry.sequence() > horizon || (!dead && !shadowed && !spent)) {
        kept.add(entry);
      }
    }
    return kept;
  }

  private static List<Range> randomRanges(Random random) {
    List<Range> ranges = new ArrayList<>();
    int from = 0;
    while (from < 60) {
      int start = from + random.nextInt(15);
      int end = start + 1 + random.nextInt(30);
      if (random.nextInt(3) > 0) {
        ranges.add(range(start, end));
      }
      from = end;
    }
    return ranges;
  }

  private static List<Entry> kept(
      List<Entry> input, long horizon, DeadRanges dead, KeysBelow below) {
    ListCursor cursor = new ListCursor(input);
    long largest = input.stream().mapToLong(Entry::sequence).max().orElse(0);
    PassWalk walk = new PassWalk(KeyComparator.BYTEWISE, cursor, largest, horizon, dead, below);
    List<Entry> kept = new ArrayList<>();
    while (walk.next()) {
      Entry before = kept.isEmpty() ? null : kept.get(kept.size() - 1);
      Entry now = cursor.entry();
      assertEquals(before == null || !Arrays.equals(before.key(), now.key()), walk.keyIsNew());
      kept.add(now);
    }
    return kept;
  }

  private static Entry put(int key, long sequence) {
    return new Entry(key(key), sequence, false, EMPTY);
  }

  private static Entry tombstone(int key, long sequence) {
    return new Entry(key(key), sequence, true, EMPTY);
  }

  private static final byte[] EMPTY = {};

  private static final byte[][] KEYS = new byte[256][];

  /** One array per key, so that entries compare equal. */
  private static byte[] key(int key) {
    if (KEYS[key] == null) {
      KEYS[key] = new byte[] {(byte) key};
    }
    return KEYS[key];
  }

  private static Range range(int start, int end) {
    return new Range(key(start), key(end));
  }
}
