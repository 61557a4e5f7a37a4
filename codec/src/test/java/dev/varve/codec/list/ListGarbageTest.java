package dev.varve.codec.list;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.CounterIds;
import dev.varve.codec.ExpireCondition;
import dev.varve.codec.Garbage;
import dev.varve.codec.GarbageRecord;
import dev.varve.codec.Keys;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.SimulatedPass;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreBatch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a list leaves behind when elements are popped or cut off, and how that goes. */
class ListGarbageTest extends ListFixture {

  /** The examples of docs/formats/lists.md and values.md. */
  @Test
  void goldenBytesOfAListThatWasPopped() {
    fill(1000);
    pop(ListEnd.HEAD, 128);
    String version = String.format("%016x", keyspace.held(0, KEY).version());
    String meta = "1282" + version + "0000000000000368" + "0000000000000a38";
    assertEquals(
        meta
            + "8000000000000080"
            + "80000000000003e8"
            + "8000000000000040"
            + "80000000000003e8"
            + "01",
        hex(stored(KeyFormat.meta(0, KEY))));
    assertEquals(
        "12"
            + "0000000000000040"
            + "00000000000000c0"
            + String.format("%016x", keyspace.nowMillis ^ Long.MIN_VALUE)
            + "8000000000000040"
            + "ffffffffffffffff",
        hex(stored(keyspace.stored(KeyFormat.GARBAGE).get(0))));
  }

  @Test
  void whatIsPoppedIsLeftToOneRecordNowAndThen() {
    fill(1000);
    pop(ListEnd.HEAD, 127);
    assertEquals(0, keyspace.stored(KeyFormat.GARBAGE).size());
    assertEquals(2, writes(tx -> Lists.pop(tx, 0, KEY, ListEnd.HEAD)), "meta, garbage record");
    pop(ListEnd.TAIL, 300);
    assertEquals(1, keyspace.stored(KeyFormat.GARBAGE).size());
    assertEquals(0, keyspace.store.counter(CounterIds.GARBAGE_ENTRIES), "nobody waits for it");
    SimulatedPass.drop(keyspace);
    assertEquals(1000 - 128 - 300 + 64 + (64 + 44), keyspace.stored(KeyFormat.LIST).size());
    assertEquals(1000 - 128 - 300, elements().size());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void poppedElementsAreForgottenUnlessTheyComeBackInTheSameTransaction() {
    fill(200);
    CollectionKeys keys = keyspace.held(0, KEY).keys(0, KEY);
    List<String> seen = new ArrayList<>();
    keyspace.apply(
        tx -> {
          Lists.pop(tx, 0, KEY, ListEnd.TAIL);
          Lists.pop(tx, 0, KEY, ListEnd.TAIL);
          Lists.push(tx, 0, KEY, ListEnd.TAIL, bytes("new"));
          tx.batch()
              .accept(
                  new StoreBatch.Visitor() {
                    @Override
                    public void put(byte[] key, byte[] value) {
                      if (key[0] == KeyFormat.LIST) {
                        seen.add("put " + hex(key));
                      }
                    }

                    @Override
                    public void delete(byte[] key) {
                      seen.add("delete " + hex(key));
                    }

                    @Override
                    public void forget(byte[] key) {
                      seen.add("forget " + hex(key));
                    }

                    @Override
                    public void count(long counterId, long delta) {}
                  });
        });
    assertEquals(
        List.of(
            "forget " + hex(keys.element(199)),
            "forget " + hex(keys.element(198)),
            "put " + hex(keys.element(198))),
        seen);
  }

  @Test
  void positionsAreUsedAgainThatWereDeclaredDead() {
    fill(1000);
    for (ListEnd end : ListEnd.values()) {
      pop(end, 200);
      SimulatedPass.drop(keyspace);
      for (int i = 0; i < 300; i++) {
        push(end, "again");
        if (i % 50 == 0) {
          SimulatedPass.drop(keyspace);
        }
      }
      SimulatedPass.drop(keyspace);
    }
    assertEquals(1200, elements().size());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void pushingAndPoppingByTurnsWritesHardlyAnyRecords() {
    fill(1000);
    for (ListEnd end : ListEnd.values()) {
      pop(end, 128);
      int writes = 0;
      for (int i = 0; i < 1000; i++) {
        writes += writes(tx -> Lists.pop(tx, 0, KEY, end));
        writes += writes(tx -> Lists.push(tx, 0, KEY, end, bytes("x")));
      }
      assertEquals(3000, writes);
    }
  }

  @Test
  void emptiedListOfFewLongElementsLeavesNothing() {
    push(ListEnd.TAIL, "x".repeat(10_000));
    push(ListEnd.TAIL, "y".repeat(10_000));
    assertTrue(keyspace.held(0, KEY).isSpread());
    pop(ListEnd.TAIL, 1);
    push(ListEnd.HEAD, "z".repeat(10_000));
    pop(ListEnd.HEAD, 2);
    assertEquals(0, keyspace.stored(KeyFormat.LIST).size());
    assertEquals(0, keyspace.stored(KeyFormat.GARBAGE).size());
  }

  @Test
  void emptiedListLeavesWhatWasPoppedAsGarbage() {
    fill(200);
    pop(ListEnd.HEAD, 200);
    assertEquals(200, keyspace.store.counter(CounterIds.GARBAGE_ENTRIES));
    KeyspaceCheck.assertConsistent(keyspace);
    SimulatedPass.drop(keyspace);
    SimulatedPass.retire(keyspace);
    assertEquals(0, keyspace.stored(KeyFormat.LIST).size());
    assertEquals(0, keyspace.store.counter(CounterIds.GARBAGE_ENTRIES));
  }

  @Test
  void recordThatHasBeenWrittenAnewIsNotRetired() {
    fill(1000);
    pop(ListEnd.HEAD, 128);
    byte[] key = keyspace.stored(KeyFormat.GARBAGE).get(0);
    GarbageRecord before = Garbage.record(key, stored(key));
    pop(ListEnd.HEAD, 64);
    keyspace.apply(tx -> Garbage.retire(tx, before));
    assertEquals(1, keyspace.stored(KeyFormat.GARBAGE).size());
    SimulatedPass.drop(keyspace);
    GarbageRecord now = Garbage.record(key, stored(key));
    keyspace.apply(tx -> Garbage.retire(tx, now));
    assertEquals(0, keyspace.stored(KeyFormat.GARBAGE).size());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void deletingAndEmptyingALongListLeavesGarbage() {
    fill(1000);
    assertEquals(2, writes(tx -> Keys.delete(tx, 0, KEY)), "meta tombstone, garbage record");
    assertEquals(1000, keyspace.store.counter(CounterIds.GARBAGE_ENTRIES));
    fill(1000);
    assertEquals(2, writes(tx -> Lists.trim(tx, 0, KEY, 5, 4)));
    assertEquals(2000, keyspace.store.counter(CounterIds.GARBAGE_ENTRIES));
    fill(1000);
    assertEquals(2, writes(tx -> Lists.pop(tx, 0, KEY, ListEnd.TAIL, 1000)));
    fill(1000);
    long expiry = keyspace.nowMillis + 1000;
    keyspace.apply(tx -> Keys.expireAt(tx, 0, KEY, expiry, ExpireCondition.ALWAYS));
    keyspace.apply(tx -> Lists.trim(tx, 0, KEY, 500, 509));
    assertEquals(expiry, keyspace.held(0, KEY).expiryMillis());
    assertEquals(10, elements().size());
    assertEquals("500", elements().get(0));
    KeyspaceCheck.assertConsistent(keyspace);
    keyspace.apply(tx -> Keys.delete(tx, 0, KEY));
    assertEquals(4000, keyspace.store.counter(CounterIds.GARBAGE_ENTRIES), "with what was trimmed");
  }

  @Test
  void renamedListIsTrimmedToItsNewName() {
    fill(200);
    byte[] moved = bytes("moved");
    keyspace.apply(tx -> Keys.rename(tx, 0, KEY, moved, true));
    fill(150);
    keyspace.apply(tx -> Lists.trim(tx, 0, moved, 0, 9));
    KeyspaceCheck.assertConsistent(keyspace);
    assertEquals(10, keyspace.number(tx -> Lists.size(tx, 0, moved)));
    assertEquals(150, elements().size());
  }
}
