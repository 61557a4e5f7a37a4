package dev.varve.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.store.InMemoryStore;
import dev.varve.codec.store.StoreBatch;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class MasterPositionTest {
  private static final String FIRST = "007f73b55341f7dd6f3e45d9825ae4d6f8e0da0a";
  private static final String SECOND = "f".repeat(40);

  private final InMemoryStore store = new InMemoryStore();

  private void write(Consumer<StoreBatch> change) {
    StoreBatch batch = new StoreBatch();
    change.accept(batch);
    store.write(batch);
  }

  private void store(MasterPosition its) {
    write(batch -> its.store(batch, store));
  }

  @Test
  void whatWasStoredLastIsFound() {
    assertNull(MasterPosition.stored(store));
    for (MasterPosition its :
        List.of(
            new MasterPosition(FIRST, 0, 0),
            new MasterPosition(FIRST, Long.MAX_VALUE, 15),
            new MasterPosition(SECOND, 3, 2),
            new MasterPosition("0".repeat(39) + "1", 4, 0),
            new MasterPosition("1" + "0".repeat(39), 4, 0))) {
      store(its);
      assertEquals(its, MasterPosition.stored(store));
    }
    write(batch -> MasterPosition.clear(batch, store));
    assertNull(MasterPosition.stored(store));
    assertEquals(0, store.counter(CounterIds.MASTER_OFFSET));
  }

  @Test
  void itGoesOnInTheSameHistory() {
    store(new MasterPosition(FIRST, 100, 3));
    write(batch -> MasterPosition.advance(batch, 20, 0));
    write(batch -> MasterPosition.advance(batch, 5, -2));
    assertEquals(new MasterPosition(FIRST, 125, 1), MasterPosition.stored(store));
  }

  @Test
  void aPartIsNoneUntilAllIsThere() {
    assertFalse(MasterPosition.isPart(store));
    MasterPosition all = new MasterPosition(FIRST, 100, 3);
    for (Consumer<StoreBatch> end :
        List.<Consumer<StoreBatch>>of(
            batch -> all.store(batch, store), batch -> MasterPosition.clear(batch, store))) {
      // Also where one that did not end is begun anew.
      for (int begun = 0; begun < 2; begun++) {
        write(batch -> MasterPosition.storePart(batch, store));
        assertTrue(MasterPosition.isPart(store));
        assertNull(MasterPosition.stored(store));
      }
      write(end);
      assertFalse(MasterPosition.isPart(store));
    }
  }

  @Test
  void theLastOneHoldsUntilSomethingIsWrittenBehindIt() {
    MasterPosition its = new MasterPosition(FIRST, 100, 3);
    write(batch -> batch.put(new byte[] {1}, new byte[0]));
    write(
        batch -> {
          batch.put(new byte[] {2}, new byte[0]);
          batch.reserveSequence();
          batch.reserveSequence();
          its.storeLast(batch, store);
        });
    assertEquals(its, MasterPosition.stored(store));
    MasterPosition next = new MasterPosition(FIRST, 120, 3);
    write(batch -> next.storeLast(batch, store));
    assertEquals(next, MasterPosition.stored(store));
    write(batch -> batch.put(new byte[] {1}, new byte[0]));
    assertNull(MasterPosition.stored(store));
    write(batch -> next.storeLast(batch, store));
    assertEquals(next, MasterPosition.stored(store));
    MasterPosition moved = new MasterPosition(FIRST, 150, 4);
    write(batch -> moved.moveLast(batch, store));
    assertEquals(moved, MasterPosition.stored(store));
    write(batch -> batch.count(CounterIds.CLOCK_MARK, 1));
    assertNull(MasterPosition.stored(store));
    // Of a server that follows another one, whatever is written counts by itself.
    store(its);
    write(batch -> batch.put(new byte[] {1}, new byte[0]));
    assertEquals(its, MasterPosition.stored(store));
  }

  @Test
  void aHistoryOfAnotherKindIsNotStored() {
    store(new MasterPosition(FIRST, 100, 3));
    for (String history : List.of("", "?", FIRST + "0", FIRST.toUpperCase(java.util.Locale.ROOT))) {
      store(new MasterPosition(history, 7, 1));
      assertNull(MasterPosition.stored(store), history);
    }
  }
}
