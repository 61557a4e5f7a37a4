package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.LsmTree;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.TreeCheck;
import dev.varve.lsm.WriteBatch;
import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checkpoints of a tree that is written, flushed and compacted at the same time, and whose
 * collections die: each is the state after some batch, and no collection in it lacks members.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class CheckpointModelTest {
  private static final int BATCHES = 6_000;
  private static final int CHECKPOINTS_MAX = 60;
  private static final int MEMBERS = 60;
  private static final int COLLECTIONS = 5;

  /** The record by which the first collection is dead. */
  private static final byte[] DEATH = Keys.member(Integer.MAX_VALUE, 0);

  /** Each batch adds one. */
  private static final long BATCH_COUNTER = 1;

  /** How many keys there are, the members of dead collections too. */
  private static final long KEY_COUNTER = 2;

  @TempDir Path path;

  private final OffHeap memory = new OffHeap();
  private final Graveyard graveyard = new Graveyard();
  private final FakeClock clock = new FakeClock();

  /** What one batch did; a death leaves a record and nothing of the collection. */
  private record Change(long sequence, Map<byte[], byte[]> puts, List<byte[]> deletes, int died) {}

  private final List<Change> changes = new ArrayList<>();
  private int firstAlive;

  /** How many batches are committed. */
  private volatile int committed;

  /** A checkpoint, and how many batches were committed before it. */
  private record Taken(StorageDirectory directory, int batchesBefore) {}

  private LsmTree open(StorageDirectory directory) throws IOException {
    return SmallTree.open(directory, memory, 4, graveyard);
  }

  private Compactor compactor(LsmTree tree) {
    return SmallTree.compactor(tree, graveyard, clock);
  }

  @Test
  void eachCheckpointIsTheStateAfterSomeBatchWhileAllElseGoesOn() throws Exception {
    long seed = Long.getLong("varve.seed", System.nanoTime());
    System.out.println("CheckpointModelTest: -Dvarve.seed=" + seed);
    Random random = new Random(seed);
    List<Taken> taken = new ArrayList<>();
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    try (LsmTree tree = open(RealStorageDirectory.open(path.resolve("data")))) {
      Compactor compactor = compactor(tree);
      Thread upkeep =
          worker(
              failure,
              isOver,
              () -> {
                tree.maintain();
                clock.advanceMillis(100);
                compactor.runOnce();
              });
      Thread checkpoints = worker(failure, isOver, () -> take(tree, taken));
      while (changes.size() < BATCHES && failure.get() == null) {
        write(tree, random);
      }
      isOver.set(true);
      upkeep.join();
      checkpoints.join();
      assertEquals(null, failure.get());
      while (compactor.runOnce() | tree.maintain()) {
        continue;
      }
    }
    assertTrue(taken.size() > 5, taken.size() + " checkpoints");
    for (Taken each : taken) {
      check(each, "seed " + seed + ", " + each);
    }
    assertEquals(0, memory.heldBytes(), "off-heap bytes at the end");
  }

  private interface Work {
    void run() throws IOException;
  }

  private static Thread worker(
      AtomicReference<@Nullable Throwable> failure, AtomicBoolean isOver, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (!isOver.get()) {
                  work.run();
                }
              } catch (IOException | RuntimeException | AssertionError wrong) {
                failure.set(wrong);
              }
            });
    thread.start();
    return thread;
  }

  private void take(LsmTree tree, List<Taken> taken) throws IOException {
    // All through the run.
    if (committed >= (long) taken.size() * BATCHES / CHECKPOINTS_MAX) {
      StorageDirectory target = RealStorageDirectory.open(path.resolve("copy" + taken.size()));
      int batchesBefore = committed;
      tree.checkpoint(target, () -> false);
      taken.add(new Taken(target, batchesBefore));
    }
  }

  private void write(LsmTree tree, Random random) throws IOException {
    Map<byte[], byte[]> puts = new TreeMap<>(Arrays::compareUnsigned);
    List<byte[]> deletes = new ArrayList<>();
    int died = -1;
    if (random.nextInt(60) == 0) {
      died = firstAlive++;
      puts.put(Keys.member(Integer.MAX_VALUE, died), Keys.value(died, 8));
    } else {
      for (int i = random.nextInt(20); i >= 0; i--) {
        byte[] key = Keys.member(firstAlive + random.nextInt(COLLECTIONS), random.nextInt(MEMBERS));
        if (random.nextInt(4) == 0) {
          puts.remove(key);
          deletes.add(key);
        } else if (deletes.stream().noneMatch(each -> Arrays.equals(each, key))) {
          puts.put(key, Keys.value(random.nextLong(), random.nextInt(60)));
        }
      }
    }
    WriteBatch batch = new WriteBatch().addToCounter(BATCH_COUNTER, 1);
    puts.forEach(batch::put);
    deletes.forEach(batch::delete);
    batch.addToCounter(KEY_COUNTER, puts.size() - deletes.size());
    long sequence = tree.nextSequence();
    changes.add(new Change(sequence, puts, deletes, died));
    assertEquals(sequence, tree.write(batch));
    committed = changes.size();
    if (died >= 0) {
      // A record is heeded only once it is synced.
      tree.sync();
      graveyard.bury(Keys.collection(died), Keys.collection(died + 1), sequence);
    }
  }

  private void check(Taken taken, String where) throws IOException {
    assertEquals(
        List.of(),
        TreeCheck.run(taken.directory(), new CollectionsApart(), memory, line -> {}),
        where);
    try (LsmTree tree = open(taken.directory())) {
      int batches = (int) tree.counter(BATCH_COUNTER);
      assertTrue(taken.batchesBefore() <= batches && batches <= changes.size(), where);
      TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
      long keys = 0;
      int alive = 0;
      for (Change change : changes.subList(0, batches)) {
        change.deletes().forEach(model::remove);
        model.putAll(change.puts());
        keys += change.puts().size() - change.deletes().size();
        alive = Math.max(alive, change.died() + 1);
      }
      assertEquals(keys, tree.counter(KEY_COUNTER), where);
      long next =
          batches == changes.size()
              ? changes.get(batches - 1).sequence() + 1
              : changes.get(batches).sequence();
      assertEquals(next, tree.nextSequence(), where);
      // What is left of dead collections is not for a reader to know.
      assertSame(model.tailMap(Keys.collection(alive)), tree, Keys.collection(alive), where);
    }
  }

  private static void assertSame(
      Map<byte[], byte[]> expected, LsmTree tree, byte[] from, String where) {
    try (Snapshot now = tree.snapshot();
        VisibleCursor cursor = now.cursor(from, null)) {
      boolean found = cursor.seekToFirst();
      for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
        assertTrue(found, where);
        assertTrue(Arrays.equals(entry.getKey(), cursor.copyKey()), where);
        assertTrue(Arrays.equals(entry.getValue(), cursor.copyValue()), where);
        found = cursor.next();
      }
      assertTrue(!found, where);
    }
  }

  @Test
  void aDeathThatAPassHasHeededIsInItThoughItIsInNoTable() throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = open(new CrashableStorageDirectory())) {
      fillOneCollection(tree);
      killItAndDropItsMembers(tree);
      tree.checkpoint(target, () -> false);
    }
    try (LsmTree tree = open(target);
        Snapshot now = tree.snapshot()) {
      // Without the record the collection would be alive, and empty.
      assertTrue(now.get(DEATH) != null, "the death is not in the checkpoint");
    }
    assertEquals(0, memory.heldBytes(), "off-heap bytes at the end");
  }

  @Test
  void aDeathThatComesBetweenTheLogAndTheTablesLeavesTheCollectionWhole() throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    FailingStorageDirectory directory =
        new FailingStorageDirectory(new CrashableStorageDirectory());
    try (LsmTree tree = open(directory)) {
      fillOneCollection(tree);
      AtomicBoolean isDead = new AtomicBoolean();
      directory.failMatching(
          call -> {
            if (call.kind() == Kind.OPEN
                && call.file().endsWith(".log")
                && !isDead.getAndSet(true)) {
              try {
                killItAndDropItsMembers(tree);
              } catch (IOException wrong) {
                throw new UncheckedIOException(wrong);
              }
            }
            return false;
          },
          1,
          new IOException("never"));
      tree.checkpoint(target, () -> false);
      assertTrue(isDead.get());
    }
    try (LsmTree tree = open(target);
        Snapshot now = tree.snapshot()) {
      if (now.get(DEATH) == null) {
        for (int member = 0; member < MEMBERS; member++) {
          assertTrue(now.get(Keys.member(0, member)) != null, "member " + member + " is lost");
        }
      }
    }
    assertEquals(0, memory.heldBytes(), "off-heap bytes at the end");
  }

  private static void fillOneCollection(LsmTree tree) throws IOException {
    for (int member = 0; member < MEMBERS; member++) {
      tree.write(new WriteBatch().put(Keys.member(0, member), Keys.value(member, 60)));
    }
    tree.flush();
  }

  /** By a record that is in the log and in no table. */
  private void killItAndDropItsMembers(LsmTree tree) throws IOException {
    Compactor compactor = compactor(tree);
    long death = tree.write(new WriteBatch().put(DEATH, Keys.value(0, 8)));
    tree.sync();
    graveyard.bury(Keys.collection(0), Keys.collection(1), death);
    for (int second = 0; tree.version().tableCount() > 0; second++) {
      assertTrue(second < 10_000, "no pass drops the dead");
      clock.advanceMillis(1_000);
      compactor.runOnce();
    }
  }
}
