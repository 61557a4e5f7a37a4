package dev.varve.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads a whole store and asserts that metas, members, expiry keys, garbage records and counters
 * agree: nothing is counted wrong, lost, or left behind without a garbage record.
 *
 * <p>Single-threaded.
 */
public final class KeyspaceCheck {
  private static final byte[] TAGS = {
    KeyFormat.GROUP,
    KeyFormat.FIELD_DUE,
    KeyFormat.FIELD,
    KeyFormat.CONSUMER,
    KeyFormat.LIST,
    KeyFormat.PENDING,
    KeyFormat.OWNED,
    KeyFormat.MEMBER,
    KeyFormat.ENTRY,
    KeyFormat.INDEX
  };

  private final Store store;
  private final StoreView view;
  private final Databases databases;

  /** By the prefix of a live collection's members: how many entries are still to be met. */
  private final Map<byte[], Long> expected = new TreeMap<>(Arrays::compareUnsigned);

  /** By the prefix of their elements: lists that live. */
  private final Map<byte[], Meta> lists = new TreeMap<>(Arrays::compareUnsigned);

  private KeyspaceCheck(Store store, StoreView view, Databases databases) {
    this.store = store;
    this.view = view;
    this.databases = databases;
  }

  public static void assertConsistent(Keyspace keyspace) {
    assertConsistent(keyspace.store, keyspace.databases);
  }

  public static void assertConsistent(Store store, Databases databases) {
    try (StoreView view = store.view()) {
      KeyspaceCheck check = new KeyspaceCheck(store, view, databases);
      for (int database = 0; database < databases.count(); database++) {
        check.checkMetas(databases.id(database));
      }
      check.checkExpiryKeys();
      check.checkMembers();
      check.checkGarbage();
    }
  }

  private void checkMetas(int databaseId) {
    long keys = 0;
    long expires = 0;
    byte[] prefix = KeyFormat.databasePrefix(KeyFormat.META, databaseId);
    try (StoreCursor cursor = view.cursor(KeyFormat.successor(prefix))) {
      boolean found = cursor.seek(prefix);
      for (; found && KeyFormat.startsWith(cursor.key(), prefix); found = cursor.next()) {
        keys++;
        byte[] key = KeyFormat.userKey(cursor.key());
        Meta meta = MetaFormat.read(cursor.value());
        if (meta.hasExpiry()) {
          expires++;
          byte[] expiryKey = KeyFormat.expiry(meta.storedExpiryMillis, databaseId, key);
          assertNotNull(view.get(expiryKey), () -> "no expiry key for " + Keyspace.text(key));
          assertTrue(meta.storedExpiryMillis <= meta.expiryMillis(), "found after it has expired");
        }
        if (meta.nextFieldExpiryMillis != Meta.NO_EXPIRY) {
          byte[] expiryKey = KeyFormat.expiry(meta.nextFieldExpiryMillis, databaseId, key);
          assertNotNull(view.get(expiryKey), () -> "no expiry key for " + Keyspace.text(key));
        }
        if (meta.type() != ValueType.STRING && meta.type() != ValueType.STREAM) {
          assertTrue(meta.count() > 0, () -> "an empty collection: " + Keyspace.text(key));
        }
        if (meta.isSpread()) {
          for (byte tag : CollectionKeys.tags(meta.type())) {
            if (tag != KeyFormat.RANK) {
              byte counted = countedAs(tag);
              long entries =
                  switch (counted) {
                    case KeyFormat.GROUP -> meta.stream().others;
                    case KeyFormat.FIELD, KeyFormat.FIELD_DUE -> meta.fieldExpiries;
                    default -> meta.count();
                  };
              expected.put(meta.keys(databaseId, key).prefix(counted), entries);
            }
          }
          if (meta.ends != null) {
            checkEnds(meta, databaseId, key);
          }
        }
      }
    }
    assertEquals(keys, store.counter(Counters.keys(databaseId)), "keys");
    assertEquals(expires, store.counter(Counters.expires(databaseId)), "expires");
  }

  /** What was popped is within reach or declared dead, and nothing is declared dead that lives. */
  private void checkEnds(Meta meta, int databaseId, byte[] key) {
    lists.put(meta.keys(databaseId, key).prefix(KeyFormat.LIST), meta);
    byte[] garbageKey = KeyFormat.garbage(databaseId, meta.home(key), meta.version());
    byte[] record = view.get(garbageKey);
    if (record != null) {
      assertEquals(meta.ends().living(), Garbage.record(garbageKey, record).living());
    }
  }

  private void checkExpiryKeys() {
    try (StoreCursor cursor = view.cursor(KeyFormat.endOf(KeyFormat.EXPIRY))) {
      boolean found = cursor.seek(new byte[] {KeyFormat.EXPIRY});
      for (; found && cursor.key()[0] == KeyFormat.EXPIRY; found = cursor.next()) {
        int databaseId = KeyFormat.databaseId(cursor.key());
        byte[] key = KeyFormat.userKey(cursor.key());
        if (databases.isDead(databaseId)) {
          continue;
        }
        byte[] value = view.get(KeyFormat.meta(databaseId, key));
        assertNotNull(value, () -> "an expiry key without " + Keyspace.text(key));
        Meta meta = MetaFormat.read(value);
        if (meta.nextFieldExpiryMillis != KeyFormat.expiryMillis(cursor.key())) {
          assertEquals(meta.storedExpiryMillis, KeyFormat.expiryMillis(cursor.key()));
        }
      }
    }
  }

  /** What else a stream has besides its entries is counted together. */
  private static byte countedAs(byte tag) {
    return switch (tag) {
      case KeyFormat.CONSUMER, KeyFormat.PENDING, KeyFormat.OWNED -> KeyFormat.GROUP;
      default -> tag;
    };
  }

  private void checkMembers() {
    for (byte tag : TAGS) {
      try (StoreCursor cursor = view.cursor(KeyFormat.endOf(tag));
          GarbageWalk dead =
              new GarbageWalk(view, new byte[] {tag}, new byte[] {(byte) (tag + 1)})) {
        boolean inDead = dead.next();
        boolean found = cursor.seek(new byte[] {tag});
        for (; found && cursor.key()[0] == tag; found = cursor.next()) {
          byte[] stored = cursor.key();
          while (inDead && Arrays.compareUnsigned(dead.range().end(), stored) <= 0) {
            inDead = dead.next();
          }
          if (!inDead || Arrays.compareUnsigned(stored, dead.range().start()) < 0) {
            meet(stored);
          }
        }
      }
    }
    expected.forEach(
        (prefix, missing) ->
            assertEquals(0, missing, () -> "members missing from " + Keyspace.text(prefix)));
  }

  private void meet(byte[] stored) {
    CollectionKeys keys =
        new CollectionKeys(
            KeyFormat.databaseId(stored), KeyFormat.userKey(stored), KeyFormat.version(stored));
    if (stored[0] == KeyFormat.LIST && isPopped(stored, lists.get(keys.prefix(KeyFormat.LIST)))) {
      return;
    }
    if (stored[0] == KeyFormat.LIST) {
      assertNotInGap(stored, lists.get(keys.prefix(KeyFormat.LIST)));
    }
    @Nullable Long missing =
        expected.computeIfPresent(keys.prefix(countedAs(stored[0])), (prefix, count) -> count - 1);
    assertNotNull(missing, () -> "neither live nor dead: " + Keyspace.text(stored));
  }

  private static boolean isPopped(byte[] stored, @Nullable Meta list) {
    if (list == null) {
      return false;
    }
    long position = OrderedNumbers.getLong(stored, stored.length - Long.BYTES);
    boolean isOutside = position < list.head() || position >= list.tail();
    return isOutside && list.ends().isWithinReach(position);
  }

  private static void assertNotInGap(byte[] stored, @Nullable Meta list) {
    long position = OrderedNumbers.getLong(stored, stored.length - Long.BYTES);
    assertFalse(list != null && list.ends().gaps().has(position), () -> "in a gap: " + position);
  }

  private void checkGarbage() {
    long entries = 0;
    long bytes = 0;
    for (GarbageRecord record : Garbage.records(view, null, Integer.MAX_VALUE)) {
      if (record.living() != null) {
        continue;
      }
      entries += record.entries();
      bytes += record.bytes();
    }
    assertEquals(entries, store.counter(Counters.GARBAGE_ENTRIES), "garbage entries");
    assertEquals(bytes, store.counter(Counters.GARBAGE_BYTES), "garbage bytes");
  }
}
