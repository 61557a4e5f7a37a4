package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.LsmTree;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.WriteBatch;
import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.lsm.version.Version;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.ProcessMemory;
import dev.varve.wal.SimulatedCrash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compaction of a real tree on a device that loses power in the middle of passes. */
class LsmCompactionModelTest {
  private static final int STEPS = 600;
  private static final int MEMBERS = 100;

  private final Graveyard graveyard = new Graveyard();
  private final FakeClock clock = new FakeClock();
  private final TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
  private final List<Held> held = new ArrayList<>();
  private int firstAlive;
  private int nextCollection = 4;
  private CrashableStorageDirectory directory = new CrashableStorageDirectory();
  private final ProcessMemory memory = new ProcessMemory();
  private LsmTree tree;
  private Compactor compactor;

  /** A snapshot and what it must show for as long as it is open. */
  private record Held(Snapshot snapshot, TreeMap<byte[], byte[]> model) {}

  LsmCompactionModelTest() throws IOException {
    tree = open();
    compactor = compactor();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void nothingIsLostOrBroughtBackByPassesSnapshotsAndCrashes(long seed) throws IOException {
    Random random = new Random(seed);
    for (int step = 0; step < STEPS; step++) {
      String where = "seed " + seed + ", step " + step;
      clock.advanceMillis(random.nextInt(1000));
      switch (random.nextInt(24)) {
        case 0, 1 -> tree.flush();
        case 2, 3, 4, 5 -> compactor.runOnce();
        case 6 -> killOldest(random);
        case 7 -> held.add(new Held(tree.snapshot(), copy(model)));
        case 8 -> checkHeld(random, where);
        case 9 -> {
          try (Snapshot now = tree.snapshot()) {
            assertSame(model, now, where);
          }
        }
        case 10 -> compactor.retirable().forEach(graveyard::forget);
        case 11 -> {
          if (random.nextInt(4) == 0) {
            crashInAPass(random, where);
          }
        }
        default -> write(random);
      }
      tree.maintain();
    }
    checkAllHeld("seed " + seed);
    settle("seed " + seed);
    tree.close();
    assertEquals(0, memory.heldBytes(), "off-heap bytes at the end");
  }

  private LsmTree open() throws IOException {
    return SmallTree.open(directory, memory, 1_000, graveyard);
  }

  private Compactor compactor() {
    return SmallTree.compactor(tree, graveyard, clock);
  }

  private void write(Random random) throws IOException {
    WriteBatch batch = new WriteBatch();
    for (int i = random.nextInt(20); i >= 0; i--) {
      int collection = firstAlive + random.nextInt(nextCollection - firstAlive);
      byte[] key = Keys.member(collection, random.nextInt(MEMBERS));
      if (random.nextInt(4) == 0) {
        batch.delete(key);
        model.remove(key);
      } else {
        byte[] value = Keys.value(random.nextLong(), random.nextInt(60));
        batch.put(key, value);
        model.put(key, value);
      }
    }
    writeDurably(batch);
  }

  /** Not by {@link LsmTree#write}, which waits for others to make room. */
  private long writeDurably(WriteBatch batch) throws IOException {
    long sequence = tree.apply(batch);
    tree.publish(tree.commit());
    tree.sync();
    return sequence;
  }

  private void killOldest(Random random) throws IOException {
    if (random.nextInt(4) > 0) {
      return;
    }
    byte[] start = Keys.collection(firstAlive);
    byte[] end = Keys.collection(firstAlive + 1);
    byte[] record = Keys.member(Integer.MAX_VALUE, firstAlive);
    model.subMap(start, end).clear();
    model.put(record, Keys.value(1, 8));
    long death = writeDurably(new WriteBatch().put(record, Keys.value(1, 8)));
    graveyard.bury(start, end, death);
    firstAlive++;
    nextCollection++;
  }

  private void crashInAPass(Random random, String where) throws IOException {
    checkAllHeld(where);
    directory.crashAtCall(1 + random.nextInt(30), random);
    boolean died = false;
    try {
      for (int i = 0; i < 5; i++) {
        compactor.runOnce();
        tree.maintain();
      }
    } catch (SimulatedCrash crash) {
      died = true;
    }
    CrashableStorageDirectory left = directory.crash(random, died ? random.nextDouble() : 0.5);
    // The old process is gone with its memory.
    memory.endProcess();
    directory = left;
    tree = open();
    compactor = compactor();
    try (Snapshot now = tree.snapshot()) {
      assertSame(model, now, where + " after the crash");
    }
  }

  private void checkHeld(Random random, String where) {
    if (!held.isEmpty()) {
      Held old = held.remove(random.nextInt(held.size()));
      assertSameToOldReader(old, where);
      old.snapshot().close();
    }
  }

  private void checkAllHeld(String where) {
    for (Held old : held) {
      assertSameToOldReader(old, where);
      old.snapshot().close();
    }
    held.clear();
  }

  private void settle(String seed) throws IOException {
    tree.flush();
    for (int i = 0; i < 50; i++) {
      clock.advanceMillis(600_000);
      int passes = 0;
      while (compactor.runOnce()) {
        assertTrue(++passes < 500, "never comes to rest, " + seed);
      }
      compactor.retirable().forEach(graveyard::forget);
    }
    compactor.compactRange(null, null);
    while (compactor.runOnce()) {
      continue;
    }
    tree.maintain();
    try (Snapshot now = tree.snapshot()) {
      assertSame(model, now, seed);
    }
    assertEquals(0, graveyard.size(), "garbage records left, " + seed);
    assertEquals(model.size(), entries(tree.version()), "dead entries left, " + seed);
    long files = directory.list().stream().filter(name -> name.endsWith(".sst")).count();
    assertEquals(tree.version().tableCount(), files, "files left, " + seed);
    assertEquals(0, compactor.statistics().failures(), compactor.statistics().lastFailure());
  }

  private static long entries(Version version) {
    long sum = 0;
    for (int level = 0; level < Version.LEVELS; level++) {
      sum += version.level(level).stream().mapToLong(table -> table.entries()).sum();
    }
    return sum;
  }

  /** A reader from before a death still sees what died since. */
  private static void assertSameToOldReader(Held old, String where) {
    try (VisibleCursor cursor = old.snapshot().cursor()) {
      boolean found = cursor.seekToFirst();
      for (Map.Entry<byte[], byte[]> expected : old.model().entrySet()) {
        while (found && Arrays.compareUnsigned(cursor.copyKey(), expected.getKey()) < 0) {
          found = cursor.next();
        }
        assertTrue(found, where);
        assertTrue(Arrays.equals(expected.getKey(), cursor.copyKey()), where);
        assertTrue(Arrays.equals(expected.getValue(), cursor.copyValue()), where);
      }
    }
  }

  private void assertSame(TreeMap<byte[], byte[]> expected, Snapshot snapshot, String where) {
    // What is left of dead collections is not for a reader to know.
    try (VisibleCursor cursor = snapshot.cursor(Keys.collection(firstAlive), null)) {
      boolean found = cursor.seekToFirst();
      for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
        assertTrue(found, where);
        assertTrue(Arrays.equals(entry.getKey(), cursor.copyKey()), where);
        assertTrue(Arrays.equals(entry.getValue(), cursor.copyValue()), where);
        found = cursor.next();
      }
      assertFalse(found, where);
    }
  }

  private static TreeMap<byte[], byte[]> copy(TreeMap<byte[], byte[]> model) {
    TreeMap<byte[], byte[]> copy = new TreeMap<>(Arrays::compareUnsigned);
    copy.putAll(model);
    return copy;
  }
}
