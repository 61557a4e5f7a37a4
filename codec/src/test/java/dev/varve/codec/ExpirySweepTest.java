package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.member.HashExpiry;
import dev.varve.codec.member.Hashes;
import dev.varve.codec.store.StoreView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ExpirySweepTest {
  private final Keyspace keyspace = new Keyspace();

  /** Deletes everything that is due; returns how many keys that were. */
  static int sweep(Keyspace keyspace) {
    int deleted = 0;
    for (byte[] from = DueKeys.from(ExpirySweep.FROM_START); from != null; ) {
      DueKeys due;
      try (StoreView view = keyspace.store.view()) {
        due = ExpirySweep.look(view, keyspace.databases, from, keyspace.nowMillis, 3);
      }
      DueDeletion deletion =
          due.deletion(0, due.size(), new KeysWrittenSince(), keyspace.databases);
      keyspace.apply(deletion::into);
      deleted += deletion.deleted();
      from = due.more();
    }
    return deleted;
  }

  private DueKeys look(byte[] from, int max) {
    try (StoreView view = keyspace.store.view()) {
      return ExpirySweep.look(view, keyspace.databases, from, keyspace.nowMillis, max);
    }
  }

  private DueKeys lookFromStart() {
    return look(DueKeys.from(ExpirySweep.FROM_START), 100);
  }

  private void set(int database, String key, long expiryMillis) {
    keyspace.apply(
        transaction -> {
          Meta old = transaction.findForWrite(database, bytes(key));
          Meta meta = Meta.ofString(bytes("x"));
          meta.setExpiryMillis(expiryMillis);
          transaction.replace(database, bytes(key), old, meta);
        });
  }

  private void hash(String key, int fields, long expiryMillis) {
    keyspace.apply(
        transaction -> {
          byte[][] pairs = new byte[2 * fields][];
          for (int i = 0; i < fields; i++) {
            pairs[2 * i] = bytes("field" + i);
            pairs[2 * i + 1] = bytes("value");
          }
          Hashes.set(transaction, 0, bytes(key), pairs);
          Meta meta =
              Objects.requireNonNull(transaction.findForWrite(0, bytes(key), ValueType.HASH));
          meta.setExpiryMillis(expiryMillis);
          transaction.save(0, bytes(key), meta);
        });
  }

  /** Leaves deleted entries right behind what begins with a tag. */
  private void deleteBehind(byte tag) {
    for (boolean isDeleted : new boolean[] {false, true}) {
      keyspace.apply(
          t -> {
            for (int i = 0; i < 1_000; i++) {
              byte[] key = ByteBuffer.allocate(5).put((byte) (tag + 1)).putInt(i).array();
              if (isDeleted) {
                t.delete(key);
              } else {
                t.put(key, new byte[0]);
              }
            }
          });
    }
  }

  @Test
  void whoLooksForAllOfAKeyspaceDoesNotLookBehindIt() {
    set(0, "due", keyspace.nowMillis - 1);
    hash("also due", 300, keyspace.nowMillis - 1);
    hash("deleted", 300, keyspace.nowMillis + 1000);
    keyspace.apply(t -> Keys.delete(t, 0, bytes("deleted")));
    for (byte tag :
        new byte[] {KeyFormat.META, KeyFormat.GARBAGE, KeyFormat.DATABASE, KeyFormat.LIBRARY}) {
      deleteBehind(tag);
    }
    keyspace.store.takeDeletedPassed();
    try (StoreView view = keyspace.store.view()) {
      assertEquals(List.of(), Libraries.load(view));
      assertEquals(0, keyspace.store.takeDeletedPassed());
    }
    deleteBehind(KeyFormat.EXPIRY);
    keyspace.store.takeDeletedPassed();
    byte[] from = DueKeys.from(ExpirySweep.FROM_START);
    try (StoreView view = keyspace.store.view()) {
      assertEquals(
          2, ExpirySweep.look(view, keyspace.databases, from, keyspace.nowMillis, 9).size());
      assertEquals(1, GarbageRecords.of(view).size());
      try (GarbageWalk ranges = new GarbageWalk(view, new byte[0])) {
        assertTrue(ranges.next());
      }
      Transaction walk =
          new Transaction(
              keyspace.store,
              view,
              keyspace.databases,
              keyspace.packedLimits,
              keyspace.nowMillis - 1000,
              new SplittableRandom(1),
              true);
      assertEquals(2, KeyWalk.scan(walk, 0, null, 9, null, null).keys().size());
      assertEquals(2, KeyWalk.all(walk, 0, new Glob(bytes("*")), key -> {}));
      assertNotNull(KeyWalk.randomKey(walk, 0));
      assertEquals(0, Databases.load(view, 16).id(0));
    }
    long passed = keyspace.store.takeDeletedPassed();
    assertTrue(passed < 10, passed + " deleted entries passed");
  }

  private void fieldsThatExpire(byte[] key, String name, int count, long expiryMillis) {
    List<byte[]> fields = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      fields.add(bytes(name + i));
    }
    keyspace.apply(
        t -> {
          fields.forEach(field -> Hashes.set(t, 0, key, field, bytes("value")));
          HashExpiry.expireAt(t, 0, key, expiryMillis, ExpireCondition.ALWAYS, fields);
        });
  }

  @Test
  void aSweepOfManyFieldsGoesOnBehindThoseThatAreDeleted() {
    byte[] key = bytes("hash");
    int sweeps = 3;
    keyspace.apply(t -> Hashes.set(t, 0, key, bytes("stays"), bytes("value")));
    long soon = keyspace.nowMillis + 10;
    // Of one moment, and of names that begin alike.
    fieldsThatExpire(key, "f".repeat(100), sweeps * DueKey.FIELDS_MAX - 7, soon);
    // It is filed behind where the first sweep ends, and due by the next one.
    fieldsThatExpire(key, "a", 1, soon + 1);
    keyspace.nowMillis = soon;
    byte[] from = DueKeys.from(soon);
    for (int i = 0; i < sweeps; i++) {
      keyspace.store.takeDeletedPassed();
      DueKeys due = look(from, 9);
      long passed = keyspace.store.takeDeletedPassed();
      assertTrue(passed < 10, passed + " deleted entries passed by sweep " + i);
      DueDeletion deletion =
          due.deletion(0, due.size(), new KeysWrittenSince(), keyspace.databases);
      // For as long as there is a view, what is deleted leaves something behind.
      try (StoreView older = keyspace.store.view()) {
        keyspace.store.write(deletion);
        assertNotNull(older.get(KeyFormat.meta(0, key)));
      }
      KeyspaceCheck.assertConsistent(keyspace);
      from = DueKeys.from(deletion.nextMillis());
      keyspace.nowMillis++;
    }
    assertEquals(1, keyspace.number(t -> Hashes.size(t, 0, key)));
    assertEquals(List.of(), keyspace.stored(KeyFormat.FIELD_DUE));
    assertEquals(List.of(), keyspace.stored(KeyFormat.EXPIRY));
  }

  @Test
  void fieldsThatASweepLeavesAreDueByAClockThatStandsStill() {
    for (int sinceMillis = 0; sinceMillis < 2; sinceMillis++) {
      byte[] key = bytes("hash" + sinceMillis);
      keyspace.apply(t -> Hashes.set(t, 0, key, bytes("stays"), bytes("value")));
      long soon = keyspace.nowMillis + 10;
      fieldsThatExpire(key, "field", DueKey.FIELDS_MAX + 1, soon);
      keyspace.nowMillis = soon + sinceMillis;
      DueKeys due = lookFromStart();
      DueDeletion deletion =
          due.deletion(0, due.size(), new KeysWrittenSince(), keyspace.databases);
      keyspace.store.write(deletion);
      assertEquals(1, keyspace.number(t -> Hashes.size(t, 0, key)));
      assertTrue(deletion.nextMillis() <= keyspace.nowMillis);
      sweep(keyspace);
      assertEquals(List.of(), keyspace.stored(KeyFormat.FIELD_DUE));
      assertEquals(List.of(), keyspace.stored(KeyFormat.EXPIRY));
      KeyspaceCheck.assertConsistent(keyspace);
    }
  }

  @Test
  void looksGoOnWhereTheLastOneEnded() {
    Random random = new Random(3);
    for (int i = 0; i < 50; i++) {
      set(i % 3, "key" + i, keyspace.nowMillis - random.nextInt(8));
    }
    set(0, "later", keyspace.nowMillis + 1);
    KeysWrittenSince none = new KeysWrittenSince();
    List<DueKeys> looks = new ArrayList<>();
    for (byte[] from = DueKeys.from(ExpirySweep.FROM_START); from != null; ) {
      DueKeys due = look(from, 7);
      assertTrue(due.size() <= 7);
      looks.add(due);
      from = due.more();
    }
    assertEquals(keyspace.nowMillis + 1, looks.get(looks.size() - 1).deadlineMillis());
    int deleted = 0;
    for (DueKeys due : looks) {
      DueDeletion deletion = due.deletion(0, due.size(), none, keyspace.databases);
      keyspace.store.write(deletion);
      deleted += deletion.deleted();
    }
    assertEquals(50, deleted);
    assertEquals(1, keyspace.stored(KeyFormat.EXPIRY).size());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void aLookOfLargeKeysIsShort() {
    String large = "k".repeat(ExpirySweep.KEY_BYTES_MAX / 2);
    for (int i = 0; i < 4; i++) {
      set(0, large + i, keyspace.nowMillis - 1);
    }
    assertEquals(2, lookFromStart().size());
  }

  /** Strings whose expiry is put off, so that a sweep moves what is stored of them. */
  private void longStringsThatLiveOn(int count, int bytes, int moments) {
    for (int i = 0; i < count; i++) {
      byte[] key = bytes("key" + i);
      long expiryMillis = keyspace.nowMillis + 1 + i % moments;
      keyspace.apply(
          transaction -> {
            Meta meta = Meta.ofString(new byte[bytes]);
            meta.setExpiryMillis(expiryMillis);
            transaction.replace(0, key, null, meta);
          });
      keyspace.apply(
          transaction -> {
            Meta meta = Objects.requireNonNull(transaction.findForWrite(0, key));
            meta.setExpiryMillis(expiryMillis + 100_000);
            transaction.save(0, key, meta);
          });
    }
    keyspace.nowMillis += moments;
  }

  @Test
  void aLookHoldsNoMoreThanItMayHaveToWrite() {
    int bytes = ExpirySweep.WRITTEN_BYTES_MAX / 10;
    for (int moments : new int[] {1, 7}) {
      longStringsThatLiveOn(60, bytes, moments);
      List<Integer> sizes = new ArrayList<>();
      for (byte[] from = DueKeys.from(ExpirySweep.FROM_START); from != null; ) {
        DueKeys due = look(from, 100);
        sizes.add(due.size());
        keyspace.store.write(
            due.deletion(0, due.size(), new KeysWrittenSince(), keyspace.databases));
        from = due.more();
        assertEquals(from == null, due.deadlineMillis() != Meta.NO_EXPIRY);
      }
      assertTrue(sizes.stream().allMatch(size -> size <= 10), sizes + " at a time");
      assertEquals(60, sizes.stream().mapToInt(Integer::intValue).sum());
      keyspace.apply(transaction -> assertEquals(60, Keys.size(transaction, 0)));
      KeyspaceCheck.assertConsistent(keyspace);
      keyspace.apply(
          transaction -> {
            for (int i = 0; i < 60; i++) {
              Keys.delete(transaction, 0, bytes("key" + i));
            }
          });
    }
  }

  @Test
  void aLookOfManyFieldsIsShort() {
    int fields = 8_000;
    for (int i = 0; i < 6; i++) {
      fieldsThatExpire(bytes("hash" + i), "field", fields, keyspace.nowMillis + 10);
    }
    keyspace.nowMillis += 20;
    keyspace.takeEvents();
    int size = lookFromStart().size();
    assertTrue(size > 0 && size < 5, size + " hashes at once");
    sweep(keyspace);
    keyspace.apply(transaction -> assertEquals(0, Keys.size(transaction, 0)));
    assertTrue(keyspace.takeEvents().contains("del:hash5"), "who keeps an index is told");
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void deletesTheDueAndSaysSoAndNamesTheNextDeadline() {
    long now = keyspace.nowMillis;
    assertEquals(Meta.NO_EXPIRY, lookFromStart().deadlineMillis());
    set(0, "late", now + 30);
    set(1, "soon", now + 10);
    set(0, "next", now + 20);
    assertEquals(now + 10, lookFromStart().deadlineMillis());
    assertEquals(0, sweep(keyspace));
    keyspace.nowMillis = now + 20;
    keyspace.takeEvents();
    DueKeys due = lookFromStart();
    assertEquals(now + 30, due.deadlineMillis());
    DueDeletion deletion = due.deletion(0, due.size(), new KeysWrittenSince(), keyspace.databases);
    keyspace.apply(deletion::into);
    List<String> events = keyspace.takeEvents();
    events.sort(Comparator.naturalOrder());
    assertEquals(List.of("expired:next", "expired:soon"), events);
    keyspace.apply(transaction -> assertEquals(1, Keys.size(transaction, 0)));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void bothWaysToDeleteLeaveTheSame() {
    for (boolean isDirect : new boolean[] {true, false}) {
      long now = keyspace.nowMillis;
      hash("large", 1_000, now + 10);
      hash("small", 3, now + 10);
      set(2, "string", now + 10);
      set(0, "stays", now + 1_000_000);
      keyspace.nowMillis = now + 10;
      DueKeys due = lookFromStart();
      DueDeletion deletion =
          due.deletion(0, due.size(), new KeysWrittenSince(), keyspace.databases);
      assertEquals(3, deletion.deleted());
      deletion.count(CounterIds.CLOCK_MARK, 5);
      if (isDirect) {
        keyspace.store.write(deletion);
      } else {
        keyspace.apply(deletion::into);
      }
      KeyspaceCheck.assertConsistent(keyspace);
    }
    assertEquals(2_000, keyspace.store.counter(CounterIds.GARBAGE_ENTRIES));
    assertEquals(10, keyspace.store.counter(CounterIds.CLOCK_MARK));
    assertEquals(1, keyspace.store.counter(CounterIds.keys(0)));
    assertEquals(1, keyspace.store.counter(CounterIds.expires(0)));
  }

  @Test
  void keyThatIsWrittenWhileItIsDueStays() {
    long now = keyspace.nowMillis;
    set(0, "key", now + 10);
    set(0, "other", now + 10);
    keyspace.nowMillis = now + 10;
    KeysWrittenSince since = new KeysWrittenSince();
    DueKeys due = lookFromStart();
    keyspace.apply(
        transaction -> {
          Meta old = transaction.findForWrite(0, bytes("key"));
          transaction.replace(0, bytes("key"), old, Meta.ofString(bytes("new")));
          since.note(transaction.batch());
        });
    DueDeletion deletion = due.deletion(0, due.size(), since, keyspace.databases);
    assertEquals(1, deletion.skipped());
    keyspace.store.write(deletion);
    keyspace.apply(transaction -> assertEquals(1, Keys.size(transaction, 0)));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void whatWasFoundInADatabaseThatIsFlushedMeanwhileIsLeftAlone() {
    set(0, "key", keyspace.nowMillis - 1);
    DueKeys due = lookFromStart();
    keyspace.apply(transaction -> transaction.flush(0));
    DueDeletion deletion = due.deletion(0, due.size(), new KeysWrittenSince(), keyspace.databases);
    assertTrue(deletion.isEmpty());
    assertEquals(1, deletion.skipped());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void expiryKeysOfADeadDatabaseAreDropped() {
    set(0, "key", keyspace.nowMillis + 10);
    keyspace.apply(transaction -> transaction.flush(0));
    set(0, "key", keyspace.nowMillis + 90);
    keyspace.nowMillis += 10;
    assertEquals(2, keyspace.stored(KeyFormat.EXPIRY).size());
    DueKeys due = lookFromStart();
    keyspace.store.write(due.deletion(0, due.size(), new KeysWrittenSince(), keyspace.databases));
    assertEquals(1, keyspace.stored(KeyFormat.EXPIRY).size());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void clockThatWentBackFindsNothing() {
    set(0, "key", keyspace.nowMillis + 10);
    keyspace.nowMillis -= 3_600_000;
    assertEquals(0, lookFromStart().size());
    assertFalse(keyspace.stored(KeyFormat.EXPIRY).isEmpty());
  }

  @Test
  void keysThatLieAmongManyOthersAreFoundToo() {
    for (int i = 0; i < 3_000; i++) {
      set(0, String.format("key%05d", i), i % 97 == 0 ? keyspace.nowMillis : Meta.NO_EXPIRY);
    }
    int due = 0;
    for (int i = 0; i < 3_000; i += 97) {
      due++;
    }
    DueKeys found = lookFromStart();
    DueDeletion deletion =
        found.deletion(0, found.size(), new KeysWrittenSince(), keyspace.databases);
    assertEquals(due, deletion.deleted());
    keyspace.store.write(deletion);
    KeyspaceCheck.assertConsistent(keyspace);
  }
}
