package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.DeadEntryRule;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CorruptionException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class CompactorTest {
  private static final CompactionOptions OPTIONS =
      new CompactionOptions(4, 20_000, 4, 10_000, 5, 60_000, 0.25, 0.02, 0.25);

  private final MemoryStore store = new MemoryStore();
  private final Graveyard graveyard = new Graveyard();
  private final FakeClock clock = new FakeClock();
  private final Compactor compactor =
      new Compactor(
          store, graveyard, graveyard, OPTIONS, Pace.UNLIMITED, WorkTime.alone(clock, clock));

  @Test
  void restsWhenThereIsNothingToDo() {
    assertFalse(compactor.runOnce());
  }

  @Test
  void failedPassIsReportedAndItsTablesRestForAWhile() throws IOException {
    for (int i = 0; i < 4; i++) {
      fillAndFlush(i, 100);
    }
    store.tablesLeft = 0;

    assertFalse(compactor.runOnce());
    assertEquals(1, compactor.statistics().failures());
    String failure = compactor.statistics().lastFailure();
    assertNotNull(failure);
    assertTrue(failure.contains("no space left on device"), failure);

    store.tablesLeft = Integer.MAX_VALUE;
    assertFalse(compactor.runOnce(), "at once again");
    clock.advanceMillis(1_001);
    assertTrue(compactor.runOnce());
    assertEquals(0, store.version().level(0).size());
  }

  @Test
  void aPassThatMemoryRunsOutForIsReportedAndItsTablesRestForAWhile() throws IOException {
    for (int i = 0; i < 4; i++) {
      fillAndFlush(i, 100);
    }
    int files = store.fileCount();
    int[] created = {0};
    store.onCreateTable =
        () -> {
          if (++created[0] == 2) {
            throw new OutOfMemoryError("none left");
          }
        };

    assertFalse(compactor.runOnce());
    assertEquals(2, created[0]);
    assertEquals(files, store.fileCount());
    assertEquals(1, compactor.statistics().failures());
    String failure = compactor.statistics().lastFailure();
    assertNotNull(failure);
    assertTrue(failure.contains("none left"), failure);
    assertEquals(0, compactor.statistics().runningPlans());

    assertFalse(compactor.runOnce(), "at once again");
    clock.advanceMillis(1_001);
    assertTrue(compactor.runOnce());
    assertEquals(0, store.version().level(0).size());
  }

  @Test
  void aRequestThatMemoryRunsOutForFails() throws IOException {
    fillAndFlush(1, 100);
    store.onCreateTable =
        () -> {
          throw new OutOfMemoryError("none left");
        };
    CompletableFuture<Void> done = compactor.compactRange(null, null).toCompletableFuture();

    // Moves lead to the deepest level; what is left to do there is a merge.
    for (int i = 0; i < 10 && compactor.runOnce(); i++) {
      continue;
    }

    assertTrue(done.isCompletedExceptionally());
  }

  @Test
  void aFailedInstallationCanBeTriedAgain() throws IOException {
    for (int i = 0; i < 4; i++) {
      fillAndFlush(i, 100);
    }
    store.installFails = true;
    assertFalse(compactor.runOnce());
    store.installFails = false;
    clock.advanceMillis(1_001);
    assertTrue(compactor.runOnce());
  }

  @Test
  void stoppedCompactorStartsNothing() throws IOException {
    for (int i = 0; i < 4; i++) {
      fillAndFlush(i, 100);
    }
    compactor.stop();

    assertFalse(compactor.runOnce());
    assertThrows(
        CompletionException.class,
        () -> compactor.compactRange(null, null).toCompletableFuture().join());
  }

  @Test
  void requestCompletesWhenItsRangeIsAtTheDeepestLevel() throws IOException {
    fillAndFlush(1, 100);
    fillAndFlush(2, 100);
    CompletableFuture<Void> done = compactor.compactRange(null, null).toCompletableFuture();

    assertFalse(done.isDone());
    while (compactor.runOnce()) {
      continue;
    }

    assertTrue(done.isDone());
    assertEquals(100, store.totalEntries());
    assertTrue(store.version().level(0).isEmpty());
  }

  @Test
  void requestFailsWithTheDamageItMet() throws IOException {
    fillAndFlush(1, 100);
    store.damagedTable = store.version().level(0).get(0).number();
    CompletableFuture<Void> done = compactor.compactRange(null, null).toCompletableFuture();

    assertFalse(compactor.runOnce());

    assertTrue(done.isCompletedExceptionally());
  }

  @Test
  void requestsBeyondTheLimitAreRefused() throws IOException {
    fillAndFlush(1, 10);
    for (int i = 0; i < Compactor.REQUESTS_MAX; i++) {
      assertFalse(compactor.compactRange(Keys.collection(0), null).toCompletableFuture().isDone());
    }
    assertTrue(compactor.compactRange(null, null).toCompletableFuture().isCompletedExceptionally());
  }

  @Test
  void asksForAFlushOnceALittleThatDiedHasWaitedInMemory() throws IOException {
    fillAndFlush(1, 100);
    assertFalse(compactor.wantsFlush());
    long death = store.put(Keys.member(9, 9), Keys.value(1, 8));
    store.publishAll();
    graveyard.bury(Keys.collection(1), Keys.collection(2), death);
    compactor.runOnce();
    clock.advanceMillis(2_000);
    compactor.runOnce();
    assertFalse(compactor.wantsFlush());
    clock.advanceMillis(10_000);
    compactor.runOnce();

    assertTrue(compactor.wantsFlush());
    store.flush(graveyard);
    assertFalse(compactor.wantsFlush());
  }

  @Test
  void garbageIsRetirableOnlyOnceNoTableAndNoMemtableHoldsIt() throws IOException {
    for (int member = 0; member < 100; member++) {
      store.put(Keys.member(1, member), Keys.value(member, 50));
      store.put(Keys.member(3, member), Keys.value(member, 50));
    }
    store.publishAll();
    store.flush(graveyard);
    long death = store.put(Keys.member(9, 9), Keys.value(1, 8));
    store.publishAll();
    graveyard.bury(Keys.collection(1), Keys.collection(2), death);

    assertEquals(List.of(), compactor.retirable(), "in memory");
    store.flush(graveyard);
    assertEquals(List.of(), compactor.retirable(), "in a table");
    clock.advanceMillis(5_000);
    while (compactor.runOnce()) {
      continue;
    }
    assertEquals(1, compactor.retirable().size());
    assertTrue(compactor.statistics().deadEntries() >= 100);
  }

  @Test
  void deathThatIsStillInMemoryItselfIsRetirableOnceNothingOfTheDeadIs() throws IOException {
    for (int member = 0; member < 100; member++) {
      store.put(Keys.member(1, member), Keys.value(member, 50));
    }
    store.publishAll();
    store.flush(graveyard);
    store.put(Keys.member(1, 100), Keys.value(1, 8));
    long death = store.put(Keys.member(9, 9), Keys.value(1, 8));
    store.publishAll();
    graveyard.bury(Keys.collection(1), Keys.collection(2), death);
    clock.advanceMillis(5_000);
    while (compactor.runOnce()) {
      continue;
    }
    assertEquals(List.of(), compactor.retirable(), "the last member is in memory");
    store.flush(graveyard);
    store.put(Keys.member(7, 7), Keys.value(1, 8));
    clock.advanceMillis(5_000);
    while (compactor.runOnce()) {
      continue;
    }
    assertEquals(1, compactor.retirable().size());
  }

  @Test
  void mergeWhoseInputDiesMeanwhileEndsAndTheTablesGoUnread() throws IOException {
    for (int table = 0; table < 4; table++) {
      for (int member = 0; member < 500; member++) {
        store.put(Keys.member(1, 4 * member + table), Keys.value(member, 100));
      }
      store.publishAll();
      store.flush(graveyard);
    }
    store.onCreateTable =
        () -> {
          store.onCreateTable = () -> {};
          long death = store.put(Keys.member(9, 9), Keys.value(1, 8));
          store.publishAll();
          graveyard.bury(Keys.collection(1), Keys.collection(2), death);
          clock.advanceMillis(2_000);
        };

    assertTrue(compactor.runOnce(), "there is more to do");
    assertEquals(0, compactor.statistics().merges());
    assertEquals(4, store.version().level(0).size());
    assertTrue(compactor.runOnce());

    assertEquals(1, compactor.statistics().deletions());
    assertEquals(0, compactor.statistics().merges());
    assertEquals(0, store.totalEntries());
    assertFalse(compactor.runOnce());
  }

  /** A source whose records cannot be read while it is damaged. */
  private final class DamagedSource implements GarbageSource {
    private boolean isDamaged = true;
    private int walks;

    @Override
    public long generation() {
      return graveyard.generation();
    }

    @Override
    public void forEach(Consumer<Death> visitor) {
      walks++;
      if (isDamaged) {
        throw new ReadFailure(new CorruptionException("000000000007.sst", 0, "garbage records"));
      }
      graveyard.forEach(visitor);
    }
  }

  @Test
  void compactionGoesOnWhereWhatDiedCannotBeRead() throws IOException {
    DamagedSource source = new DamagedSource();
    Compactor its =
        new Compactor(
            store,
            DeadEntryRule.NONE,
            source,
            OPTIONS,
            Pace.UNLIMITED,
            WorkTime.alone(clock, clock));
    for (int i = 0; i < 4; i++) {
      fillAndFlush(i, 100);
    }
    // It is looked at again in the midst of the merge.
    store.onCreateTable = () -> clock.advanceMillis(2_000);
    while (its.runOnce()) {
      continue;
    }
    assertTrue(source.walks > 1, source.walks + " walks");
    assertEquals(1, its.statistics().merges());
    assertEquals(0, its.statistics().failures());
    assertTrue(store.version().level(0).isEmpty());
    assertEquals(List.of(), its.retirable());

    long death = store.put(Keys.member(9, 9), Keys.value(1, 8));
    store.publishAll();
    graveyard.bury(Keys.collection(1), Keys.collection(2), death);
    source.isDamaged = false;
    clock.advanceMillis(2_000);
    while (its.runOnce()) {
      continue;
    }
    assertEquals(1, its.statistics().deletions());
    assertEquals(1, its.retirable().size());
  }

  @Test
  void retiringNeedsNoFlush() throws IOException {
    for (int member = 0; member < 100; member++) {
      store.put(Keys.member(1, member), Keys.value(member, 50));
      store.put(Keys.member(3, member), Keys.value(member, 50));
    }
    store.publishAll();
    store.flush(graveyard);
    long death = store.put(Keys.member(9, 9), Keys.value(1, 8));
    store.publishAll();
    graveyard.bury(Keys.collection(1), Keys.collection(2), death);
    clock.advanceMillis(5_000);
    while (compactor.runOnce()) {
      continue;
    }
    assertEquals(1, compactor.retirable().size());
  }

  @Test
  void severalThreadsCompactSideBySideWithoutLosingAnything() throws Exception {
    TreeMap<byte[], byte[]> oracle = new TreeMap<>(java.util.Arrays::compareUnsigned);
    Random random = new Random(3);
    ExecutorService workers = Executors.newFixedThreadPool(3);
    CountDownLatch writingEnds = new CountDownLatch(1);
    long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    List<Future<?>> running = new ArrayList<>();
    for (int worker = 0; worker < 3; worker++) {
      running.add(
          workers.submit(
              () -> {
                while (compactor.runOnce()
                    || (writingEnds.getCount() > 0 && System.nanoTime() - deadlineNanos < 0)) {
                  Thread.onSpinWait();
                }
              }));
    }
    for (int batch = 0; batch < 300; batch++) {
      for (int i = 0; i < 100; i++) {
        byte[] key = Keys.member(random.nextInt(20), random.nextInt(400));
        byte[] value = Keys.value(store.nextSequence, 20);
        store.put(key, value);
        oracle.put(key, value);
      }
      store.publishAll();
      store.flush(DeadEntryRule.NONE);
      while (store.version().level(0).size() > 12) {
        assertTrue(System.nanoTime() - deadlineNanos < 0, "level 0 is not merged");
        Thread.onSpinWait();
      }
    }
    writingEnds.countDown();
    for (Future<?> worker : running) {
      worker.get(2, TimeUnit.MINUTES);
    }
    workers.shutdown();

    assertEquals(0, compactor.statistics().failures(), compactor.statistics().lastFailure());
    Map<byte[], byte[]> visible = store.visible(store.published);
    assertEquals(oracle.size(), visible.size());
    oracle.forEach((key, value) -> assertTrue(java.util.Arrays.equals(value, visible.get(key))));
    assertEquals(store.version().tableCount(), store.fileCount());
  }

  private void fillAndFlush(int seed, int members) throws IOException {
    for (int member = 0; member < members; member++) {
      store.put(Keys.member(1, member), Keys.value(seed, 20));
    }
    store.publishAll();
    store.flush(graveyard);
    List<TableMeta> tables = store.version().level(0);
    assertFalse(tables.isEmpty());
  }
}
