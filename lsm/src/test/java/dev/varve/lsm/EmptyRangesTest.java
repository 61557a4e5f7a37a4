package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.lsm.table.ReadContext;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cursors that jump over what is known to be deleted, on a whole tree. */
class EmptyRangesTest {
  private static final int STEPS = 800;
  private static final int KEYS = 200;

  private final OffHeap memory = new OffHeap();
  private final List<long[]> reports = Collections.synchronizedList(new ArrayList<>());

  private record Held(Snapshot snapshot, TreeMap<byte[], byte[]> model) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void walksShowWhatAModelShowsWhoeverHasLearntWhat(long seed) throws IOException {
    Random random = new Random(seed);
    TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    List<Held> held = new ArrayList<>();
    try (LsmTree tree = open(1 << 16)) {
      for (int step = 0; step < STEPS; step++) {
        String where = "seed " + seed + ", step " + step;
        write(tree, model, random);
        if (random.nextInt(3) == 0) {
          tree.publish(tree.commit());
        }
        tree.maintain();
        try (Snapshot latest = tree.writerSnapshot(ReadContext.MAY_BLOCK)) {
          walk(latest, model, random, where);
        }
        if (random.nextInt(20) == 0) {
          tree.publish(tree.commit());
          TreeMap<byte[], byte[]> copy = new TreeMap<>(Arrays::compareUnsigned);
          copy.putAll(model);
          held.add(new Held(tree.snapshot(), copy));
        }
        for (Held old : held) {
          walk(old.snapshot(), old.model(), random, where + ", an older reader");
        }
        if (held.size() > 5) {
          held.remove(random.nextInt(held.size())).snapshot().close();
        }
      }
      held.forEach(old -> old.snapshot().close());
    }
    assertEquals(0, memory.heldBytes());
  }

  @Test
  void aQueueIsPoppedWithoutWalkingOverAllThatWasPopped() throws IOException {
    int rounds = 5_000;
    long skipped = 0;
    try (LsmTree tree = open(64 << 20)) {
      for (int i = 0; i < rounds; i++) {
        tree.apply(new WriteBatch().put(key(i + 100), new byte[8]));
        try (Snapshot latest = tree.writerSnapshot(ReadContext.MAY_BLOCK);
            VisibleCursor cursor = latest.cursor()) {
          boolean front = i % 2 == 0;
          assertTrue(front ? cursor.seek(key(0)) : cursor.seekBefore(key(Integer.MAX_VALUE)));
          skipped += cursor.skippedEntries();
          tree.apply(new WriteBatch().delete(cursor.copyKey()));
        }
      }
    }
    assertTrue(skipped < 10L * rounds, skipped + " entries skipped in " + rounds + " pops");
  }

  @Test
  void aPriorityQueueWhoseFrontIsPutToAgainStaysFast() throws IOException {
    int rounds = 5_000;
    Random random = new Random(5);
    long skipped = 0;
    try (LsmTree tree = open(64 << 20)) {
      for (int i = 0; i < 500; i++) {
        tree.apply(new WriteBatch().put(key(random.nextInt(1 << 30)), new byte[8]));
      }
      for (int i = 0; i < rounds; i++) {
        tree.apply(new WriteBatch().put(key(random.nextInt(1 << 30)), new byte[8]));
        try (Snapshot latest = tree.writerSnapshot(ReadContext.MAY_BLOCK);
            VisibleCursor cursor = latest.cursor()) {
          assertTrue(cursor.seek(key(0)));
          skipped += cursor.skippedEntries();
          tree.apply(new WriteBatch().delete(cursor.copyKey()));
        }
      }
    }
    assertTrue(skipped < 20L * rounds, skipped + " entries skipped in " + rounds + " pops");
  }

  @Test
  void shortRunsOfDeletedKeysAreNotRememberedButForThoseBesideLongOnes() throws IOException {
    int longRun = 100;
    int shortRun = 20;
    try (LsmTree tree = open(64 << 20)) {
      WriteBatch batch = new WriteBatch();
      for (int i = 0; i < longRun + shortRun; i++) {
        batch.delete(key(2 * i));
      }
      batch.put(key(2 * longRun - 1), new byte[1]);
      batch.put(key(2 * (longRun + shortRun)), new byte[1]);
      tree.apply(batch);
      assertEquals(longRun + shortRun, skippedInAWalk(tree));
      assertEquals(1 + shortRun, skippedInAWalk(tree), "the long one is jumped over");
      tree.apply(new WriteBatch().delete(key(2 * longRun - 1)));
      assertEquals(2 + shortRun, skippedInAWalk(tree));
      assertEquals(1, skippedInAWalk(tree), "what is beside it is jumped over too");
    }
  }

  @Test
  void aWalkThatEndsAtABoundTellsWhatItPassedBeforeIt() throws IOException {
    int run = 100;
    byte[] middle = key(run + 1);
    try (LsmTree tree = open(64 << 20)) {
      WriteBatch batch = new WriteBatch();
      batch.put(middle, new byte[1]);
      for (int i = 1; i <= run; i++) {
        batch.delete(key(run + 1 - i));
        batch.delete(key(run + 1 + i));
      }
      tree.apply(batch);
      for (boolean isForward : new boolean[] {true, false}) {
        byte[] from = isForward ? middle : key(1);
        byte[] to = isForward ? key(2 * run + 2) : key(run + 2);
        assertEquals(run, skippedWithin(tree, from, to, isForward));
        assertEquals(1, skippedWithin(tree, from, to, isForward), "then it is jumped over");
      }
    }
  }

  /** How many deleted entries the step from the only one that is there passes. */
  private static long skippedWithin(LsmTree tree, byte[] from, byte[] to, boolean isForward)
      throws IOException {
    try (Snapshot latest = tree.writerSnapshot(ReadContext.MAY_BLOCK);
        VisibleCursor cursor = latest.cursor(from, to)) {
      assertTrue(isForward ? cursor.seekToFirst() : cursor.seek(key(100 + 1)));
      assertFalse(isForward ? cursor.next() : cursor.previous());
      return cursor.skippedEntries();
    }
  }

  private static long skippedInAWalk(LsmTree tree) throws IOException {
    try (Snapshot latest = tree.writerSnapshot(ReadContext.MAY_BLOCK);
        VisibleCursor cursor = latest.cursor()) {
      boolean found = cursor.seek(key(0));
      while (found) {
        found = cursor.next();
      }
      return cursor.skippedEntries();
    }
  }

  @Test
  void aReaderThatWalksOverManyDeletedKeysTellsWhere() throws IOException {
    try (LsmTree tree = open(64 << 20)) {
      WriteBatch batch = new WriteBatch();
      for (int i = 0; i < 3_000; i++) {
        batch.delete(key(i));
      }
      batch.put(key(9_000), new byte[1]);
      tree.write(batch);
      try (Snapshot snapshot = tree.snapshot();
          VisibleCursor cursor = snapshot.cursor()) {
        assertTrue(cursor.seekToFirst());
        assertFalse(cursor.next());
      }
      assertEquals(1, reports.size());
      long[] report = reports.get(0);
      assertTrue(report[0] < 10 && report[1] == 9_000, Arrays.toString(report));
      assertEquals(3_000, report[2]);
    }
  }

  @Test
  void readersBesideTheWriterNeverMissWhatWasPutIntoAnEmptyRange() throws Exception {
    int keys = 4_000;
    int puts = 1_500;
    // Keys that were put and published, in the order of that, and how many.
    int[] alive = new int[puts];
    AtomicInteger aliveCount = new AtomicInteger();
    ExecutorService readers = Executors.newFixedThreadPool(2);
    try (LsmTree tree = open(64 << 20)) {
      WriteBatch batch = new WriteBatch();
      for (int i = 0; i < keys; i++) {
        batch.delete(key(i));
      }
      batch.put(key(keys), new byte[1]);
      tree.write(batch);
      List<Future<Long>> results = new ArrayList<>();
      for (int reader = 0; reader < 2; reader++) {
        Random random = new Random(reader);
        results.add(readers.submit(() -> readAll(tree, alive, aliveCount, random)));
      }
      Random random = new Random(9);
      for (int i = 0; i < puts; i++) {
        // Learns, and learns again what the puts have cut apart.
        try (Snapshot latest = tree.writerSnapshot(ReadContext.MAY_BLOCK);
            VisibleCursor cursor = latest.cursor()) {
          assertTrue(cursor.seek(key(0)));
          while (i % 50 == 0 && cursor.next()) {
            continue;
          }
        }
        int key = random.nextInt(keys);
        tree.write(new WriteBatch().put(key(key), new byte[1]));
        alive[i] = key;
        aliveCount.set(i + 1);
      }
      for (Future<Long> result : results) {
        assertTrue(result.get() > 0);
      }
    } finally {
      readers.shutdown();
    }
  }

  /** Reads until all is put; returns how often. */
  private static long readAll(LsmTree tree, int[] alive, AtomicInteger count, Random random) {
    long reads = 0;
    while (count.get() < alive.length || reads == 0) {
      int known = count.get();
      if (known == 0) {
        continue;
      }
      int wanted = alive[random.nextInt(known)];
      try (Snapshot snapshot = tree.snapshot();
          VisibleCursor cursor = snapshot.cursor()) {
        int from = random.nextInt(wanted + 1);
        assertTrue(cursor.seek(key(from)));
        long found = number(cursor.copyKey());
        assertTrue(found >= from && found <= wanted, found + " found, not " + wanted);
        assertTrue(cursor.seekBefore(key(wanted + 1)));
        assertEquals(wanted, number(cursor.copyKey()));
      }
      reads++;
    }
    return reads;
  }

  private LsmTree open(long memtableBytes) throws IOException {
    return LsmTree.open(
        new CrashableStorageDirectory(),
        TreeOptions.builder()
            .offHeap(memory)
            .memtableBytesMax(memtableBytes)
            .immutableMemtablesMax(1_000)
            .levelZeroRuns(1_000_000, 2_000_000)
            .walkObserver(
                (from, to, keys) -> reports.add(new long[] {number(from), number(to), keys}))
            .build());
  }

  private static void write(LsmTree tree, TreeMap<byte[], byte[]> model, Random random)
      throws IOException {
    WriteBatch batch = new WriteBatch();
    TreeMap<byte[], Boolean> changes = new TreeMap<>(Arrays::compareUnsigned);
    int from = random.nextInt(KEYS);
    boolean delete = random.nextInt(3) > 0;
    int count = delete ? random.nextInt(40) : 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      changes.put(key(Math.min(KEYS, from + i)), delete);
    }
    if (changes.isEmpty()) {
      return;
    }
    byte[] value = ByteBuffer.allocate(8).putLong(random.nextLong()).array();
    changes.forEach(
        (key, deleted) -> {
          if (deleted) {
            batch.delete(key);
            model.remove(key);
          } else {
            batch.put(key, value);
            model.put(key, value);
          }
        });
    tree.apply(batch);
  }

  private static void walk(
      Snapshot snapshot, TreeMap<byte[], byte[]> model, Random random, String where) {
    byte[] lower = random.nextInt(4) == 0 ? key(random.nextInt(KEYS)) : null;
    byte[] upper = random.nextInt(4) == 0 ? key(random.nextInt(KEYS)) : null;
    if (lower != null && upper != null && Arrays.compareUnsigned(lower, upper) >= 0) {
      upper = null;
    }
    Map<byte[], byte[]> visible = model;
    visible = lower == null ? visible : model.tailMap(lower, true);
    TreeMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
    expected.putAll(visible);
    if (upper != null) {
      expected = new TreeMap<>(expected.headMap(upper, false));
    }
    try (VisibleCursor cursor = snapshot.cursor(lower, upper)) {
      for (int i = 0; i < 3; i++) {
        byte[] key = key(random.nextInt(KEYS));
        boolean forward = random.nextBoolean();
        boolean found = forward ? cursor.seek(key) : cursor.seekBefore(key);
        byte[] at = forward ? expected.ceilingKey(key) : expected.lowerKey(key);
        for (int moves = 0; at != null && moves < 4; moves++) {
          assertTrue(found, where);
          assertArrayEquals(at, cursor.copyKey(), where);
          assertArrayEquals(expected.get(at), cursor.copyValue(), where);
          boolean next = random.nextInt(4) > 0 == forward;
          at = next ? expected.higherKey(at) : expected.lowerKey(at);
          found = next ? cursor.next() : cursor.previous();
        }
        if (at == null) {
          assertFalse(found, where);
        }
      }
    }
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  private static long number(byte[] key) {
    return ByteBuffer.wrap(Arrays.copyOf(key, 4)).getInt();
  }
}
