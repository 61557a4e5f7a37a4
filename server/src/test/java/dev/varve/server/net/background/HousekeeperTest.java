package dev.varve.server.net.background;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.GarbageRecord;
import dev.varve.codec.GarbageRecords;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.string.Strings;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.engine.InMemoryEngine;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HousekeeperTest {
  private static final int DATABASE = 3;
  private static final byte[] KEY = {'k'};

  private Runnable onUpkeep = () -> {};
  private final InMemoryEngine engine =
      new InMemoryEngine() {
        @Override
        public void upkeep() {
          super.upkeep();
          onUpkeep.run();
        }
      };
  private final Keyspace keyspace = new Keyspace(engine, 16, PackedLimits.DEFAULT, 1);
  private final Queue<Runnable> loop = new ArrayDeque<>();
  private final Queue<Runnable> worker = new ArrayDeque<>();
  private final Queue<Runnable> timer = new ArrayDeque<>();
  private final Housekeeper housekeeper =
      new Housekeeper(
          keyspace, loop::add, worker::add, (millis, task) -> timer.add(task), () -> 1_000);

  private static void run(Queue<Runnable> tasks) {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  /** A tenth of a second passes. */
  private void ticks() {
    timer.remove().run();
    run(loop);
  }

  @Test
  void upkeepGoesOnWhileGarbageIsRead() {
    engine.retirable(List.of(record()));
    housekeeper.start();
    ticks();
    assertEquals(1, worker.size());
    engine.retirable(List.of(record()));
    ticks();
    ticks();
    assertEquals(3, engine.upkeeps.get());
    assertEquals(1, worker.size(), "one after the other");
    run(worker);
    run(loop);
    ticks();
    assertEquals(1, worker.size(), "the next");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void upkeepThatFailsIsTriedAgain(boolean isHeap) {
    onUpkeep = () -> fail(isHeap);
    housekeeper.start();
    ticks();
    ticks();
    assertEquals(2, engine.upkeeps.get());
    assertEquals(1, timer.size());
  }

  private static void fail(boolean isHeap) {
    if (isHeap) {
      throw new OutOfMemoryError("as a test wants it");
    }
    throw new IllegalStateException("the disk is gone");
  }

  @Test
  void recordsThatAreReadAreRetired() {
    keyspace.run(1_000, transaction -> Strings.set(transaction, 0, KEY, KEY));
    keyspace.run(1_000, transaction -> transaction.flush(0));
    assertEquals(1, records().size());
    engine.retirable(records());
    housekeeper.start();
    ticks();
    run(worker);
    run(loop);
    assertEquals(List.of(), records());
  }

  private List<GarbageRecord> records() {
    try (StoreView view = engine.store().writerView()) {
      return GarbageRecords.of(view);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFailedReadIsFollowedByOthers(boolean isHeap) {
    engine.retirable(List.of(record()));
    engine.makeCold();
    engine.beforeBlockingRead(key -> fail(isHeap));
    housekeeper.start();
    ticks();
    run(worker);
    assertEquals(0, engine.openViews.get());
    engine.retirable(List.of(record()));
    ticks();
    assertEquals(1, worker.size());
  }

  private static GarbageRecord record() {
    return new GarbageRecord(KeyFormat.garbage(DATABASE), null, 1, 0, 1_000);
  }
}
