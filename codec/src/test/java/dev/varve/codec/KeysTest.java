package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.ValueType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeysTest {
  private static final byte[] A = bytes("a");
  private static final byte[] B = bytes("b");
  private final Keyspace keyspace = new Keyspace();

  @Test
  void deletingACollectionWritesThreeEntriesWhateverItsSize() {
    keyspace.apply(transaction -> SpreadHash.create(transaction, 0, A, 1000));
    keyspace.apply(
        transaction -> {
          assertTrue(Keys.delete(transaction, 0, A));
          assertFalse(Keys.delete(transaction, 0, A));
          assertEquals(2, transaction.batch().writeCount(), "meta tombstone, garbage record");
        });
    assertEquals(1000, keyspace.store.counter(CounterIds.GARBAGE_ENTRIES));
    KeyspaceCheck.assertConsistent(keyspace);
    assertEquals(List.of("del:a"), keyspace.takeEvents());
  }

  @Test
  void renamedCollectionKeepsItsMembersWhereTheyAre() {
    keyspace.apply(
        transaction -> {
          SpreadHash.create(transaction, 0, A, 100);
          SpreadHash.create(transaction, 0, B, 7);
          Keys.expireAt(transaction, 0, A, transaction.nowMillis() + 50, ExpireCondition.ALWAYS);
        });
    keyspace.takeEvents();
    keyspace.apply(
        transaction -> {
          assertFalse(Keys.rename(transaction, 0, A, B, false));
          assertTrue(Keys.rename(transaction, 0, A, B, true));
          assertEquals(5, transaction.batch().writeCount(), "two metas, two expiries, garbage");
        });
    assertEquals(List.of("rename_from:a", "rename_to:b"), keyspace.takeEvents());
    KeyspaceCheck.assertConsistent(keyspace);
    // The old name is free for another collection, whose members must not mix with the moved ones.
    keyspace.apply(transaction -> SpreadHash.create(transaction, 0, A, 3));
    KeyspaceCheck.assertConsistent(keyspace);
    keyspace.apply(
        transaction -> {
          Meta meta = Objects.requireNonNull(transaction.find(0, B));
          assertEquals(100, meta.count());
          assertEquals(transaction.nowMillis() + 50, meta.expiryMillis());
          assertNotNull(
              transaction.get(meta.keys(transaction.databaseId(0), B).member(bytes("f99"))));
          Keys.delete(transaction, 0, B);
        });
    assertEquals(107, keyspace.store.counter(CounterIds.GARBAGE_ENTRIES));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void renamingBackAndForthEndsWhereItBegan() {
    keyspace.apply(transaction -> SpreadHash.create(transaction, 0, A, 3));
    byte[] before = Objects.requireNonNull(keyspace.storedValue(KeyFormat.meta(0, A)));
    keyspace.apply(transaction -> Keys.rename(transaction, 0, A, B, true));
    keyspace.apply(transaction -> Keys.rename(transaction, 0, B, A, true));
    assertEquals(
        Keyspace.text(before),
        Keyspace.text(Objects.requireNonNull(keyspace.storedValue(KeyFormat.meta(0, A)))));
    assertThrows(
        DataException.class,
        () -> keyspace.run(transaction -> Keys.rename(transaction, 0, B, A, true)));
    assertTrue(keyspace.test(transaction -> Keys.rename(transaction, 0, A, A, true)));
  }

  @Test
  void copyHasMembersOfItsOwn() {
    keyspace.apply(transaction -> SpreadHash.create(transaction, 0, A, 20));
    keyspace.apply(
        transaction -> {
          assertTrue(Keys.copy(transaction, 0, A, 5, B, false));
          assertFalse(Keys.copy(transaction, 0, A, 5, B, false));
          assertTrue(Keys.copy(transaction, 0, A, 5, B, true));
          assertFalse(Keys.copy(transaction, 0, B, 5, B, true));
        });
    KeyspaceCheck.assertConsistent(keyspace);
    keyspace.apply(transaction -> Keys.delete(transaction, 0, A));
    keyspace.apply(
        transaction -> {
          Meta meta = Objects.requireNonNull(transaction.find(5, B));
          assertEquals(20, meta.count());
          assertNotNull(
              transaction.get(meta.keys(transaction.databaseId(5), B).member(bytes("f19"))));
        });
  }

  @Test
  void movedCollectionSurvivesTheEndOfItsFirstDatabase() {
    keyspace.apply(transaction -> SpreadHash.create(transaction, 0, A, 20));
    keyspace.apply(transaction -> assertTrue(Keys.move(transaction, 0, A, 1)));
    keyspace.apply(transaction -> transaction.save(0, B, Meta.ofString(B)));
    keyspace.apply(transaction -> transaction.flush(0));
    KeyspaceCheck.assertConsistent(keyspace);
    assertEquals(20, keyspace.held(1, A).count());
    keyspace.apply(transaction -> assertFalse(Keys.move(transaction, 0, A, 1)));
  }

  @Test
  void expiryConditions() {
    long now = keyspace.nowMillis;
    keyspace.apply(transaction -> transaction.save(0, A, Meta.ofString(A)));
    assertFalse(expire(now + 10, false, true, false, false), "XX without expiry");
    assertFalse(expire(now + 10, false, false, true, false), "GT: no expiry is the latest");
    assertTrue(expire(now + 10, false, false, false, true), "LT");
    assertFalse(expire(now + 20, true, false, false, false), "NX with expiry");
    assertFalse(expire(now + 10, false, false, true, false), "GT with the same");
    assertFalse(expire(now + 10, false, false, false, true), "LT with the same");
    assertTrue(expire(now + 20, false, true, true, false), "XX GT");
    KeyspaceCheck.assertConsistent(keyspace);
    assertTrue(keyspace.test(transaction -> Keys.persist(transaction, 0, A)));
    assertFalse(keyspace.test(transaction -> Keys.persist(transaction, 0, A)));
    keyspace.takeEvents();
    assertTrue(expire(now, false, false, false, false));
    assertEquals(List.of("del:a"), keyspace.takeEvents());
    assertNull(keyspace.<@Nullable ValueType>run(transaction -> Keys.type(transaction, 0, A)));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  private boolean expire(long at, boolean none, boolean some, boolean later, boolean earlier) {
    ExpireCondition condition = new ExpireCondition(none, some, later, earlier);
    return keyspace.run(transaction -> Keys.expireAt(transaction, 0, A, at, condition));
  }

  @Test
  void randomOperationsDoWhatAMapWouldDo() {
    for (int seed = 0; seed < 60; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Keyspace tried = new Keyspace(seed);
      KeysModel model = new KeysModel(tried);
      for (int step = 0; step < 150; step++) {
        model.step(random);
      }
      model.assertSame("seed " + seed);
      KeyspaceCheck.assertConsistent(tried);
    }
  }

  /** Two databases as maps from key to the number of its fields and its expiry. */
  private static final class KeysModel {
    private final Keyspace keyspace;
    private final List<Map<String, long[]>> databases =
        new ArrayList<>(List.of(new TreeMap<>(), new TreeMap<>()));

    KeysModel(Keyspace keyspace) {
      this.keyspace = keyspace;
    }

    void step(SplittableRandom random) {
      int db = random.nextInt(2);
      int other = random.nextInt(2);
      String key = "k" + random.nextInt(5);
      String target = "k" + random.nextInt(5);
      boolean replace = random.nextBoolean();
      int fields = 1 + random.nextInt(4);
      long expiry = keyspace.nowMillis + random.nextInt(6);
      forgetExpired();
      long[] held = databases.get(db).get(key);
      boolean same = key.equals(target) && db == other;
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> {
          keyspace.apply(transaction -> SpreadHash.create(transaction, db, bytes(key), fields));
          databases.get(db).put(key, new long[] {fields, Meta.NO_EXPIRY});
        }
        case 3 -> {
          boolean done = keyspace.run(tx -> Keys.delete(tx, db, bytes(key)));
          assertEquals(databases.get(db).remove(key) != null, done);
        }
        case 4, 5 -> {
          keyspace.run(tx -> Keys.expireAt(tx, db, bytes(key), expiry, ExpireCondition.ALWAYS));
          if (held != null) {
            databases.get(db).put(key, new long[] {held[0], expiry});
          }
        }
        case 6 -> {
          if (held != null && !key.equals(target)) {
            boolean wanted = replace || !databases.get(db).containsKey(target);
            boolean done =
                keyspace.run(tx -> Keys.rename(tx, db, bytes(key), bytes(target), replace));
            assertEquals(wanted, done);
            if (done) {
              databases.get(db).put(target, databases.get(db).remove(key));
            }
          }
        }
        case 7 -> {
          if (!same) {
            boolean wanted = held != null && (replace || !databases.get(other).containsKey(target));
            boolean done =
                keyspace.run(tx -> Keys.copy(tx, db, bytes(key), other, bytes(target), replace));
            assertEquals(wanted, done);
            if (done) {
              databases.get(other).put(target, held);
            }
          }
        }
        case 8 -> {
          if (db != other) {
            boolean wanted = held != null && !databases.get(other).containsKey(key);
            boolean done = keyspace.run(tx -> Keys.move(tx, db, bytes(key), other));
            assertEquals(wanted, done);
            if (done) {
              databases.get(other).put(key, databases.get(db).remove(key));
            }
          }
        }
        case 9 -> {
          if (random.nextInt(4) == 0) {
            keyspace.apply(transaction -> transaction.flush(db));
            databases.get(db).clear();
          } else {
            keyspace.apply(transaction -> transaction.swap(0, 1));
            Collections.swap(databases, 0, 1);
          }
        }
        case 10 -> keyspace.nowMillis += random.nextInt(4);
        default -> ExpirySweepTest.sweep(keyspace);
      }
    }

    private void forgetExpired() {
      for (Map<String, long[]> database : databases) {
        database.values().removeIf(held -> held[1] <= keyspace.nowMillis);
      }
    }

    void assertSame(String message) {
      forgetExpired();
      for (int database = 0; database < 2; database++) {
        int db = database;
        ScanPage page =
            keyspace.run(tx -> KeyWalk.scan(tx, db, null, Integer.MAX_VALUE, null, null));
        List<String> found = page.keys().stream().map(Keyspace::text).toList();
        assertEquals(List.copyOf(databases.get(db).keySet()), found, message);
        databases
            .get(db)
            .forEach(
                (key, held) -> {
                  Meta meta = keyspace.held(db, bytes(key));
                  assertEquals(held[0], meta.count(), message);
                  assertEquals(held[1], meta.expiryMillis(), message);
                });
      }
    }
  }
}
