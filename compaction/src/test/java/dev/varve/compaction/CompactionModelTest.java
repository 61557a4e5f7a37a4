package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A tree under random writes, deaths, flushes and passes answers as a sorted map does. */
class CompactionModelTest {
  private static final CompactionOptions OPTIONS =
      new CompactionOptions(3, 6_000, 4, 3_000, 3, 20_000, 0.25, 0.02, 0.25);
  private static final int STEPS = 3_000;
  private static final int MEMBERS = 120;
  private static final int HOURS_10_MILLIS = 36_000_000;

  private final MemoryStore store = new MemoryStore();
  private final Graveyard graveyard = new Graveyard();
  private final FakeClock clock = new FakeClock();
  private final TreeMap<byte[], byte[]> oracle = new TreeMap<>(Arrays::compareUnsigned);

  /** Collections {@code [firstAlive, nextCollection)} live; identities are never used again. */
  private int firstAlive;

  private int nextCollection = 4;

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16})
  void answersAsASortedMapDoesAndComesToRestWithNothingDead(long seed) throws IOException {
    Random random = new Random(seed);
    Compactor compactor =
        new Compactor(
            store, graveyard, graveyard, OPTIONS, Pace.UNLIMITED, WorkTime.alone(clock, clock));
    for (int step = 0; step < STEPS; step++) {
      act(random, compactor);
      if (step % 100 == 0) {
        assertSame(oracle, store.visible(store.nextSequence), "seed " + seed + " step " + step);
      }
    }
    settle(compactor, "seed " + seed);
    assertSame(oracle, store.visible(store.published), "seed " + seed);
    assertEquals(0, graveyard.size(), "garbage records left, seed " + seed);
    assertEquals(oracle.size(), store.totalEntries(), "dead entries left, seed " + seed);
    assertEquals(store.version().tableCount(), store.fileCount(), "files left, seed " + seed);
    assertTrue(compactor.statistics().shadowedEntries() > 0);
    assertTrue(compactor.statistics().deadEntries() > 0);
  }

  private void act(Random random, Compactor compactor) throws IOException {
    clock.advanceMillis(random.nextInt(200));
    switch (random.nextInt(20)) {
      case 0 -> store.flush(graveyard);
      case 1, 2, 3 -> compactor.runOnce();
      case 4 -> store.publishAll();
      case 5 -> {
        if (random.nextInt(10) == 0) {
          killOldest();
        }
      }
      case 6 -> {
        if (random.nextInt(40) == 0) {
          compactor.compactRange(null, null);
        }
      }
      case 7 -> {
        compactor.retirable().forEach(graveyard::forget);
      }
      default -> write(random);
    }
  }

  private void write(Random random) {
    for (int i = random.nextInt(12); i >= 0; i--) {
      int collection = firstAlive + random.nextInt(nextCollection - firstAlive);
      byte[] key = Keys.member(collection, random.nextInt(MEMBERS));
      if (random.nextInt(4) == 0) {
        store.delete(key);
        oracle.remove(key);
      } else {
        byte[] value = Keys.value(store.nextSequence, random.nextInt(30));
        store.put(key, value);
        oracle.put(key, value);
      }
    }
  }

  private void killOldest() {
    byte[] start = Keys.collection(firstAlive);
    byte[] end = Keys.collection(firstAlive + 1);
    oracle.subMap(start, end).clear();
    // The death is a write itself, and nobody may read the range once it is published.
    long death = store.put(Keys.member(Integer.MAX_VALUE, 0), Keys.value(firstAlive, 8));
    oracle.put(Keys.member(Integer.MAX_VALUE, 0), Keys.value(firstAlive, 8));
    graveyard.bury(start, end, death);
    firstAlive++;
    nextCollection++;
  }

  private void settle(Compactor compactor, String seed) throws IOException {
    store.publishAll();
    store.flush(graveyard);
    for (int round = 0; round < 200; round++) {
      clock.advanceMillis(HOURS_10_MILLIS / 100);
      int passes = 0;
      while (compactor.runOnce()) {
        assertTrue(++passes < 1000, "never comes to rest, " + seed);
      }
      compactor.retirable().forEach(graveyard::forget);
    }
    compactor.compactRange(null, null);
    while (compactor.runOnce()) {
      continue;
    }
  }

  private void assertSame(
      Map<byte[], byte[]> expected, Map<byte[], byte[]> actual, String message) {
    TreeMap<byte[], byte[]> alive = new TreeMap<>(Arrays::compareUnsigned);
    alive.putAll(actual);
    // Whether entries of dead collections are still there is not for a reader to know.
    alive.headMap(Keys.collection(firstAlive)).clear();
    assertEquals(expected.size(), alive.size(), message);
    expected.forEach(
        (key, value) ->
            assertTrue(
                Arrays.equals(value, alive.get(key)),
                () -> message + ", key " + Arrays.toString(key)));
  }
}
