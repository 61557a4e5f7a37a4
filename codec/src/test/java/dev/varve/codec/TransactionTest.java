package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.list.ListEnd;
import dev.varve.codec.list.Lists;
import dev.varve.codec.member.HashExpiry;
import dev.varve.codec.member.Hashes;
import dev.varve.codec.member.Sets;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.string.SetOptions;
import dev.varve.codec.string.Strings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TransactionTest {
  private static final byte[] KEY = bytes("key");
  private final Keyspace keyspace = new Keyspace();

  @Test
  void seesItsOwnWritesAndNobodyElseDoes() {
    keyspace.apply(
        transaction -> {
          transaction.save(0, KEY, Meta.ofString(bytes("new")));
          assertNotNull(transaction.find(0, KEY));
          assertEquals(1, Keys.size(transaction, 0));
          assertEquals(0, keyspace.store.size());
        });
    assertEquals(1, keyspace.store.size());
  }

  @Test
  void anotherTypeIsRefused() {
    keyspace.apply(transaction -> transaction.save(0, KEY, Meta.ofString(bytes("x"))));
    DataException refused =
        assertThrows(
            DataException.class,
            () -> keyspace.run(transaction -> transaction.find(0, KEY, ValueType.HASH)));
    assertSame(DataException.WRONG_TYPE, refused);
  }

  @Test
  void keyIsGoneFromTheMillisecondOfItsExpiryOn() {
    keyspace.apply(
        transaction -> {
          Meta meta = Meta.ofString(bytes("x"));
          meta.setExpiryMillis(transaction.nowMillis() + 10);
          transaction.save(0, KEY, meta);
        });
    keyspace.nowMillis += 9;
    assertTrue(keyspace.test(transaction -> Keys.exists(transaction, 0, KEY)));
    keyspace.nowMillis += 1;
    assertEquals(false, keyspace.test(transaction -> Keys.exists(transaction, 0, KEY)));
    assertEquals(2, keyspace.store.size(), "reading deletes nothing");
  }

  /** As a replica: what its master did before a key expired is done here after it. */
  @Test
  void nothingExpiresWhereAnotherServerSaysWhatHas() {
    long moment = keyspace.nowMillis + 10;
    byte[] hash = bytes("hash");
    keyspace.apply(
        transaction -> {
          Strings.set(transaction, 0, KEY, bytes("x"));
          Keys.expireAt(transaction, 0, KEY, moment, ExpireCondition.ALWAYS);
          Hashes.set(transaction, 0, hash, bytes("a"), bytes("1"), bytes("b"), bytes("2"));
          HashExpiry.expireAt(
              transaction, 0, hash, moment, ExpireCondition.ALWAYS, List.of(bytes("a")));
        });
    keyspace.nowMillis += 20;
    assertEquals(false, keyspace.test(transaction -> Keys.exists(transaction, 0, KEY)));
    long past = keyspace.nowMillis - 1;
    long later = keyspace.nowMillis + 1000;
    keyspace.apply(
        transaction -> {
          transaction.expireNothing();
          assertTrue(Keys.exists(transaction, 0, KEY));
          assertEquals(moment, Objects.requireNonNull(transaction.find(0, KEY)).expiryMillis());
          assertTrue(Keys.expireAt(transaction, 0, KEY, past, ExpireCondition.ALWAYS));
          assertEquals(2, Hashes.size(transaction, 0, hash));
          assertArrayEquals(
              new long[] {1},
              HashExpiry.expireAt(
                  transaction, 0, hash, past, ExpireCondition.ALWAYS, List.of(bytes("a"))));
        });
    assertEquals(false, keyspace.test(transaction -> Keys.exists(transaction, 0, KEY)));
    assertEquals(1, keyspace.number(transaction -> Hashes.size(transaction, 0, hash)));
    keyspace.apply(
        transaction -> {
          transaction.expireNothing();
          Keys.expireAt(transaction, 0, KEY, later, ExpireCondition.ALWAYS);
        });
    assertEquals(later, keyspace.held(0, KEY).expiryMillis());
  }

  @Test
  void writeThatMeetsAnExpiredCollectionBuriesItFirst() {
    keyspace.apply(transaction -> SpreadHash.create(transaction, 0, KEY, 5));
    keyspace.apply(
        transaction ->
            Keys.expireAt(
                transaction, 0, KEY, transaction.nowMillis() + 1, ExpireCondition.ALWAYS));
    keyspace.takeEvents();
    keyspace.nowMillis += 1;
    keyspace.apply(
        transaction -> {
          assertNull(transaction.findForWrite(0, KEY));
          transaction.save(0, KEY, Meta.ofString(bytes("again")));
        });
    assertEquals(List.of("expired:key"), keyspace.takeEvents());
    assertEquals(5, keyspace.store.counter(CounterIds.GARBAGE_ENTRIES));
    assertEquals(0, keyspace.stored(KeyFormat.EXPIRY).size());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  private void createExpiring(int fields, int expiring) {
    keyspace.apply(
        transaction -> {
          SpreadHash.create(transaction, 0, KEY, fields);
          Meta meta = Objects.requireNonNull(transaction.findForWrite(0, KEY));
          CollectionKeys keys = meta.keys(transaction.databaseId(0), KEY);
          for (int i = 0; i < expiring; i++) {
            byte[] field = bytes("f" + i);
            FieldExpiry.set(transaction, keys, meta, field, transaction.nowMillis() + 1 + i % 10);
          }
          transaction.save(0, KEY, meta);
        });
    keyspace.takeEvents();
  }

  @Test
  void hashWhoseFieldsAreAllDueGoesAsAWhole() {
    createExpiring(1_000, 1_000);
    keyspace.nowMillis += 9;
    assertEquals(100, keyspace.held(0, KEY).count());
    createExpiring(1_000, 1_000);
    keyspace.nowMillis += 10;
    int writes =
        keyspace.run(
            transaction -> {
              assertNull(transaction.find(0, KEY));
              return transaction.batch().writeCount();
            });
    assertTrue(writes < 10, writes + " writes");
    assertEquals(List.of("hexpired:key", "del:key"), keyspace.takeEvents());
    assertEquals(0, keyspace.stored(KeyFormat.EXPIRY).size());
    assertEquals(0, keyspace.store.counter(CounterIds.keys(keyspace.databases.id(0))));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void hashThatKeepsOneFieldStays() {
    createExpiring(1_000, 999);
    keyspace.nowMillis += 10;
    assertEquals(1, keyspace.held(0, KEY).count());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void keyThatWasNotThereIsToldToBeNew() {
    keyspace.apply(
        transaction -> Strings.append(transaction, 0, KEY, bytes("a"), Strings.BYTES_MAX));
    keyspace.apply(
        transaction -> Strings.append(transaction, 0, KEY, bytes("b"), Strings.BYTES_MAX));
    assertEquals(List.of("new:key", "append:key", "append:key"), keyspace.takeAllEvents());
  }

  @Test
  void recreatingInOneTransactionGetsAnotherVersion() {
    keyspace.apply(
        transaction -> {
          SpreadHash.create(transaction, 0, KEY, 3);
          Keys.delete(transaction, 0, KEY);
          SpreadHash.create(transaction, 0, KEY, 2);
          long first =
              KeyFormat.version(
                  Objects.requireNonNull(transaction.batch().higher(bytes("s"))).getKey());
          assertNotEquals(first, Objects.requireNonNull(transaction.find(0, KEY)).version());
        });
    KeyspaceCheck.assertConsistent(keyspace);
    long before = keyspace.store.nextSequence();
    keyspace.apply(transaction -> assertEquals(before, transaction.newVersion()));
    assertEquals(before + 1, keyspace.store.nextSequence());
  }

  @Test
  void overwritingACollectionKeepsTheCountsRight() {
    keyspace.apply(transaction -> SpreadHash.create(transaction, 0, KEY, 4));
    keyspace.apply(
        transaction ->
            Keys.expireAt(
                transaction, 0, KEY, transaction.nowMillis() + 9, ExpireCondition.ALWAYS));
    keyspace.apply(
        transaction ->
            transaction.replace(
                0, KEY, transaction.findForWrite(0, KEY), Meta.ofString(bytes("s"))));
    assertEquals(4, keyspace.store.counter(CounterIds.GARBAGE_ENTRIES));
    assertEquals(16, keyspace.store.counter(CounterIds.GARBAGE_BYTES));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void whatIsOverwrittenMayBeLongAndOfAnyType() {
    byte[] longText = "x".repeat(10_000).getBytes(StandardCharsets.UTF_8);
    byte[] packedList = bytes("packed list");
    byte[] manyFields = bytes("fields");
    byte[] longKey = "k".repeat(9_000).getBytes(StandardCharsets.UTF_8);
    byte[] moved = bytes("moved");
    keyspace.apply(transaction -> Strings.set(transaction, 0, KEY, longText));
    keyspace.apply(
        transaction ->
            Keys.expireAt(
                transaction, 0, KEY, transaction.nowMillis() + 1_000, ExpireCondition.ALWAYS));
    keyspace.apply(
        transaction -> {
          for (int i = 0; i < 100; i++) {
            Lists.push(transaction, 0, packedList, ListEnd.TAIL, bytes("x".repeat(60) + i));
          }
        });
    keyspace.apply(transaction -> SpreadHash.create(transaction, 0, manyFields, 5));
    // A collection that was renamed keeps its first name, which may be as long as any.
    keyspace.apply(transaction -> SpreadHash.create(transaction, 0, longKey, 5));
    keyspace.apply(transaction -> Keys.rename(transaction, 0, longKey, moved, true));
    List<byte[]> all = List.of(KEY, packedList, manyFields, moved);
    for (byte[] key : all) {
      assertTrue(keyspace.test(transaction -> Keys.exists(transaction, 0, key)));
      keyspace.apply(transaction -> Strings.set(transaction, 0, key, longText));
      KeyspaceCheck.assertConsistent(keyspace);
    }
    assertEquals(10, keyspace.store.counter(CounterIds.GARBAGE_ENTRIES));
    assertEquals(0, keyspace.stored(KeyFormat.EXPIRY).size());
    for (byte[] key : all) {
      SetOptions keepsExpiry =
          new SetOptions(SetOptions.Condition.IF_PRESENT, Meta.NO_EXPIRY, true);
      assertTrue(
          keyspace.test(transaction -> Strings.set(transaction, 0, key, longText, keepsExpiry)));
      byte[] found =
          keyspace.run(
              transaction ->
                  Objects.requireNonNull(Strings.getBriefly(transaction, 0, key))
                      .whole()
                      .toBytes());
      assertArrayEquals(longText, found);
    }
  }

  @Test
  void flushedDatabaseIsEmptyAndItsIdDead() {
    keyspace.apply(
        transaction -> {
          SpreadHash.create(transaction, 3, KEY, 4);
          transaction.save(3, bytes("t"), Meta.ofString(bytes("u")));
          transaction.save(4, bytes("other"), Meta.ofString(bytes("v")));
        });
    int id = keyspace.databases.id(3);
    keyspace.apply(
        transaction -> {
          Keys.expireAt(transaction, 3, KEY, transaction.nowMillis() + 9, ExpireCondition.ALWAYS);
          assertEquals(2, transaction.flush(3));
          assertTrue(transaction.isTouched(3));
          assertEquals(0, Keys.size(transaction, 3));
          transaction.save(3, KEY, Meta.ofString(bytes("anew")));
        });
    assertTrue(keyspace.databases.isDead(id));
    assertEquals(false, keyspace.databases.isDead(keyspace.databases.id(3)));
    assertEquals(false, keyspace.databases.isDead(keyspace.databases.id(3) + 1));
    assertEquals(0, keyspace.store.counter(CounterIds.expires(id)));
    assertEquals(1, keyspace.store.counter(CounterIds.keys(keyspace.databases.id(3))));
    KeyspaceCheck.assertConsistent(keyspace);
    Databases loaded = Databases.load(keyspace.store.view(), 2);
    assertEquals(keyspace.databases.id(3), loaded.id(3), "a smaller count forgets no id");
    assertTrue(loaded.isDead(id));
  }

  @Test
  void swappedDatabasesSwapWhatTheyHold() {
    keyspace.apply(transaction -> transaction.save(1, KEY, Meta.ofString(bytes("one"))));
    keyspace.apply(transaction -> transaction.swap(1, 2));
    keyspace.apply(
        transaction -> {
          assertNull(transaction.find(1, KEY));
          assertNotNull(transaction.find(2, KEY));
          assertEquals(1, Keys.size(transaction, 2));
        });
    assertEquals(keyspace.databases.id(2), Databases.load(keyspace.store.view(), 16).id(2));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void whatBeganInTheTransactionIsNotLookedForInTheView() {
    keyspace.packedLimits = new PackedLimits(0, 0, 0, 0, 0, 0, 0, 0);
    List<byte[]> asked = new ArrayList<>();
    try (StoreView view = keyspace.store.writerView()) {
      StoreView noting =
          new StoreView() {
            @Override
            public byte @Nullable [] get(byte[] key) {
              asked.add(key);
              return view.get(key);
            }

            @Override
            public StoreCursor cursor(byte[] end) {
              return view.cursor(end);
            }

            @Override
            public void close() {}
          };
      Transaction transaction = keyspace.transaction(noting);
      Sets.add(transaction, 0, KEY, bytes("a"), bytes("b"));
    }
    assertEquals(1, asked.size(), "the meta, and no member");
  }
}
