package dev.varve.lsm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.lsm.table.ReadContext;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the writer may forget while snapshots are open, alone and in the tree. */
class LiveSnapshotsTest {
  private static final byte[] KEY = {'k'};
  private static final byte[] TWIN = {'t'};

  @TempDir Path path;

  private final OffHeap memory = new OffHeap();
  private final AtomicLong published = new AtomicLong(10);

  @Test
  void whatIsBetweenPublicationsIsNeededByOpenReadersOnly() {
    LiveSnapshots snapshots = new LiveSnapshots(published::get, 10);
    int reader = snapshots.enter(10);
    published.set(20);
    snapshots.committed(25);
    assertTrue(snapshots.isAny(8, 11));
    assertFalse(snapshots.isAny(8, 10));
    assertFalse(snapshots.isAny(11, 20));
    assertTrue(snapshots.isAny(15, 22), "a reader to come looks at 20");
    assertTrue(snapshots.isAny(22, 26), "25 may be published");
    assertFalse(snapshots.isAny(26, 30), "nobody looks into the middle of a commit");
    snapshots.leave(reader);
    published.set(25);
    assertFalse(snapshots.isAny(8, 25));
  }

  @Test
  void readerThatComesTooLateIsSentForANewerSequence() {
    LiveSnapshots snapshots = new LiveSnapshots(published::get, 10);
    published.set(20);
    snapshots.committed(20);
    assertFalse(snapshots.isAny(5, 20));
    assertEquals(LiveSnapshots.TOO_OLD, snapshots.enter(19));
    published.set(30);
    snapshots.committed(30);
    assertFalse(snapshots.isAny(5, 30), "the late reader left no trace");
    assertNotEquals(LiveSnapshots.TOO_OLD, snapshots.enter(30));
  }

  @Test
  void whatIsPublishedNextKeepsNothingForReadersToComeWhoWait() {
    LiveSnapshots snapshots = new LiveSnapshots(published::get, 10);
    int reader = snapshots.enter(5);
    snapshots.publishedNext(11);
    assertFalse(snapshots.isAny(6, 11));
    assertTrue(snapshots.isAny(5, 11), "of one that was there before");
    assertEquals(LiveSnapshots.TOO_OLD, snapshots.enter(10));
    snapshots.committed(14);
    published.set(14);
    int late = snapshots.enter(14);
    assertNotEquals(LiveSnapshots.TOO_OLD, late);
    assertTrue(snapshots.isAny(11, 15));
    snapshots.leave(late);
    snapshots.leave(reader);
    snapshots.publishedNext(15);
    assertFalse(snapshots.isAny(11, 15));
    assertEquals(LiveSnapshots.TOO_OLD, snapshots.enter(14));
    snapshots.notPublishedNext();
    assertNotEquals(LiveSnapshots.TOO_OLD, snapshots.enter(14));
    assertTrue(snapshots.isAny(11, 15));
  }

  @Test
  void writersSnapshotIsHeededWhereverItLooks() {
    LiveSnapshots snapshots = new LiveSnapshots(published::get, 10);
    int writer = snapshots.enterWriter(15);
    assertTrue(snapshots.isAny(12, 16));
    assertFalse(snapshots.isAny(16, 18));
    snapshots.leave(writer);
    assertFalse(snapshots.isAny(12, 16));
  }

  @Test
  void moreSnapshotsThanPlacesKeepEverything() {
    LiveSnapshots snapshots = new LiveSnapshots(published::get, 10);
    List<Integer> entered = new ArrayList<>();
    for (int i = 0; i <= LiveSnapshots.PLACES; i++) {
      entered.add(snapshots.enter(10));
    }
    published.set(20);
    snapshots.committed(20);
    assertTrue(snapshots.isAny(11, 20));
    entered.forEach(snapshots::leave);
    published.set(21);
    assertFalse(snapshots.isAny(5, 21));
    entered.clear();
    for (int i = 0; i <= LiveSnapshots.WRITER_PLACES; i++) {
      entered.add(snapshots.enterWriter(30));
    }
    assertTrue(snapshots.isAny(40, 50));
    entered.forEach(snapshots::leave);
    assertFalse(snapshots.isAny(40, 50));
  }

  @Test
  void hotKeyLeavesFewEntriesAndAHeldSnapshotItsOwn() throws IOException {
    try (LsmTree tree = open()) {
      put(tree, 1);
      Snapshot held = tree.snapshot();
      Snapshot writers = tree.writerSnapshot(ReadContext.MAY_BLOCK);
      for (int i = 2; i <= 5_000; i++) {
        put(tree, i);
      }
      assertTrue(entries(tree) <= 4, "entries " + entries(tree));
      assertEquals(1, read(held));
      assertEquals(1, read(writers));
      assertEquals(5_000, readNow(tree));
      tree.flush();
      assertEquals(1, read(held));
      assertEquals(5_000, readNow(tree));
      held.close();
      writers.close();
    }
    try (LsmTree tree = open()) {
      assertEquals(5_000, readNow(tree));
    }
    assertEquals(0, memory.heldBytes());
  }

  @Test
  void versionsWithinOneCommitAreForgottenAtOnce() throws IOException {
    try (LsmTree tree = open()) {
      for (int i = 1; i <= 1_000; i++) {
        try (Snapshot writers = tree.writerSnapshot(ReadContext.MAY_BLOCK)) {
          apply(tree, i);
          assertEquals(i == 1 ? 0 : i - 1, i == 1 ? 0 : read(writers));
        }
      }
      assertTrue(entries(tree) <= 3, "entries " + entries(tree));
      tree.publish(tree.commit());
      assertEquals(1_000, readNow(tree));
    }
    try (LsmTree tree = open()) {
      assertEquals(1, entries(tree), "a replay has no readers");
      assertEquals(1_000, readNow(tree));
    }
  }

  @Test
  void manyHeldSnapshotsEachShowTheirOwn() throws IOException {
    try (LsmTree tree = open()) {
      List<Snapshot> held = new ArrayList<>();
      for (int i = 1; i <= 400; i++) {
        put(tree, i);
        if (i % 4 == 0) {
          held.add(tree.snapshot());
        }
      }
      for (int i = 0; i < held.size(); i++) {
        assertEquals(4 * (i + 1), read(held.get(i)));
        held.get(i).close();
      }
    }
    assertEquals(0, memory.heldBytes());
  }

  @Test
  @Timeout(60)
  void batchThatIsPublishedNextLeavesOneEntryOfEachKey() throws IOException {
    try (LsmTree tree = open()) {
      put(tree, 1);
      Snapshot held = tree.snapshot();
      putAtOnce(tree, 2);
      assertEquals(2, entries(tree), "one is seen by who was there before");
      assertEquals(1, read(held));
      held.close();
      for (int i = 3; i <= 100; i++) {
        putAtOnce(tree, i);
        assertEquals(1, entries(tree));
        assertEquals(i, readNow(tree));
      }
      // Not where something else is still to be published.
      apply(tree, 101);
      long sequence = tree.applyAndCommit(batch(102));
      assertEquals(100, readNow(tree));
      tree.publish(sequence);
      assertEquals(102, readNow(tree));
    }
    try (LsmTree tree = open()) {
      assertEquals(102, readNow(tree));
    }
  }

  @Test
  @Timeout(60)
  void readersSeeWholeCommitsWhileTheWriterForgets() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try (LsmTree tree = open()) {
      put(tree, 1);
      int last = 30_000;
      Callable<Void> reader = () -> readUntil(tree, last);
      List<Future<Void>> readers =
          List.of(threads.submit(reader), threads.submit(reader), threads.submit(reader));
      for (int i = 2; i <= last; i++) {
        try (Snapshot writers = tree.writerSnapshot(ReadContext.MAY_BLOCK)) {
          assertEquals(i - 1, read(writers));
          apply(tree, i);
        }
        if (i % 5 == 0) {
          tree.publish(tree.commit());
          i += 5;
          putAtOnce(tree, i);
        }
      }
      putAtOnce(tree, last);
      for (Future<Void> each : readers) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
      assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS));
    }
  }

  private static Void readUntil(LsmTree tree, long last) {
    long before = 0;
    while (before < last) {
      try (Snapshot snapshot = tree.snapshot()) {
        long seen = read(snapshot);
        assertTrue(seen >= before, "time goes forward");
        assertTrue(seen == 1 || seen % 5 == 0, "the middle of a commit");
        for (int i = 0; i < 3; i++) {
          assertEquals(seen, read(snapshot));
        }
        before = seen;
      }
    }
    return null;
  }

  /** What a snapshot shows under both keys, which must be the same, by every way to read. */
  private static long read(Snapshot snapshot) {
    long value = number(snapshot.get(KEY));
    assertEquals(value, number(snapshot.get(TWIN)));
    try (VisibleCursor cursor = snapshot.cursor()) {
      assertTrue(cursor.seekToFirst());
      assertEquals(value, number(cursor.copyValue()));
      assertTrue(cursor.next());
      assertEquals(value, number(cursor.copyValue()));
      assertFalse(cursor.next());
      assertTrue(cursor.seekToLast());
      assertEquals(value, number(cursor.copyValue()));
      assertTrue(cursor.previous());
      assertEquals(value, number(cursor.copyValue()));
      assertFalse(cursor.previous());
    }
    return value;
  }

  private static long readNow(LsmTree tree) {
    try (Snapshot snapshot = tree.snapshot()) {
      return read(snapshot);
    }
  }

  private static long number(byte @Nullable [] value) {
    assertNotNull(value, "nothing is left of a key");
    return Long.parseLong(new String(value, UTF_8));
  }

  private static long entries(LsmTree tree) {
    return tree.tables().active().table().entries() / 2;
  }

  private static void put(LsmTree tree, long value) throws IOException {
    apply(tree, value);
    tree.publish(tree.commit());
  }

  private static void putAtOnce(LsmTree tree, long value) throws IOException {
    tree.publish(tree.applyAndCommit(batch(value)));
  }

  private static void apply(LsmTree tree, long value) throws IOException {
    tree.apply(batch(value));
  }

  private static WriteBatch batch(long value) {
    byte[] text = Long.toString(value).getBytes(UTF_8);
    return new WriteBatch().put(KEY, text).put(TWIN, text);
  }

  private LsmTree open() throws IOException {
    return LsmTree.open(
        RealStorageDirectory.open(path), TreeOptions.builder().offHeap(memory).build());
  }
}
