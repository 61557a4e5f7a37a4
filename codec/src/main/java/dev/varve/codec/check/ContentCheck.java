package dev.varve.codec.check;

import dev.varve.codec.CounterIds;
import dev.varve.codec.Databases;
import dev.varve.codec.Garbage;
import dev.varve.codec.GarbageRecord;
import dev.varve.codec.Meta;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Whether all that a store has hangs together: metas, members, expiry keys, garbage records and
 * counters.
 *
 * <p>Reads everything, keeps little in memory: what it keeps is a few bytes for each database, and
 * for each collection that was renamed since it was spread. For one thread, used once.
 */
public final class ContentCheck {
  /*
   * First all metas, each with the entries of its key; then the other way round: whether each expiry key,
   * and each version that has entries in a keyspace, is of a key that is there or was declared dead. What
   * a collection has there is passed by one seek.
   *
   * What stands in two orders (expiry keys, members by score) is read in both and compared as a whole
   * (EntryDigest): a look-up from one to the other is a read at a random place, for each of them.
   */

  /** What was read. */
  public record Summary(long keys, long entries, long inconsistencies) {}

  /** A database that has entries. */
  private static final class Database {
    /** For those of which no key was met. */
    static final Database EMPTY = new Database(0, false);

    final int number;
    final boolean isDead;
    long keys;
    long expiring;

    Database(int number, boolean isDead) {
      this.number = number;
      this.isDead = isDead;
    }
  }

  private final StoreView view;
  private final LongUnaryOperator counters;
  private final Consumer<Inconsistency> target;
  private final Databases databases;
  private final Map<Integer, Database> databaseOf = new HashMap<>();

  /** The types of collections that were renamed, by what their garbage record would be called. */
  private final Map<ByteBuffer, ValueType> moved = new HashMap<>();

  /** The expiry keys that there are to be, and those that there are. */
  private final EntryDigest expected = new EntryDigest();

  private final EntryDigest expiring = new EntryDigest();
  private long keys;
  private long entries;
  private long inconsistencies;

  private ContentCheck(
      StoreView view, LongUnaryOperator counters, int count, Consumer<Inconsistency> target) {
    this.view = view;
    this.counters = counters;
    this.target = target;
    this.databases = Databases.load(view, count);
  }

  /**
   * Checks a store.
   *
   * @param view one state of it
   * @param counters its counters in that state, by their ids ({@link CounterIds})
   * @param count up to which number databases may have been used; of those from there on it is not
   *     asked whether their keys are counted right
   * @param target is handed what is wrong, as it is found
   */
  public static Summary run(
      StoreView view, LongUnaryOperator counters, int count, Consumer<Inconsistency> target) {
    ContentCheck check = new ContentCheck(view, counters, count, target);
    check.checkMetas();
    check.checkKeyCounts();
    check.checkExpiryKeys();
    for (byte tag : GarbageRecord.DATABASE_TAGS) {
      if (tag != KeyFormat.META) {
        check.checkOwners(tag);
      }
    }
    check.checkGarbage();
    return new Summary(check.keys, check.keys + check.entries, check.inconsistencies);
  }

  private void found(Inconsistency what) {
    inconsistencies++;
    target.accept(what);
  }

  private void found(String where, String what) {
    found(new Inconsistency(where, what));
  }

  private void found(int databaseId, byte[] key, String what) {
    found(Names.key(database(databaseId).number, key), what);
  }

  /** Goes over all of a keyspace, but for what goes with a database that is dead. */
  private void walk(byte tag, CheckedKey.EntryVisitor visitor) {
    boolean goesWithDatabases = CollectionKeys.isAmong(GarbageRecord.DATABASE_TAGS, tag);
    try (StoreCursor cursor = view.cursor(KeyFormat.endOf(tag))) {
      boolean isAny = cursor.seek(new byte[] {tag});
      while (isAny && cursor.key()[0] == tag) {
        byte[] stored = cursor.key();
        try {
          int databaseId = KeyFormat.databaseId(stored);
          if (goesWithDatabases && database(databaseId).isDead) {
            isAny = cursor.seek(KeyFormat.successor(KeyFormat.databasePrefix(tag, databaseId)));
            continue;
          }
          visitor.entry(stored, cursor.value());
        } catch (DamagedValueException damaged) {
          found(Names.entry(stored), damaged.what());
        }
        isAny = cursor.next();
      }
    }
  }

  private Database database(int databaseId) {
    return databaseOf.computeIfAbsent(
        databaseId,
        id -> {
          int number = databases.number(id);
          return new Database(number < 0 ? id : number, databases.isDead(id));
        });
  }

  // Keys ---------------------------------------------------------------------------------------

  private void checkMetas() {
    walk(
        KeyFormat.META,
        (stored, value) -> {
          int databaseId = KeyFormat.databaseId(stored);
          byte[] key = KeyFormat.userKey(stored);
          Database its = database(databaseId);
          keys++;
          its.keys++;
          try {
            Meta meta = Meta.read(value);
            its.expiring += meta.hasExpiry() ? 1 : 0;
            expect(databaseId, key, meta);
            checkValue(databaseId, key, meta);
          } catch (DamagedValueException damaged) {
            found(databaseId, key, damaged.what());
          }
        });
  }

  /** Says which expiry keys the key of a meta has. */
  private void expect(int databaseId, byte[] key, Meta meta) {
    if (meta.storedExpiryMillis() > meta.expiryMillis()) {
      found(databaseId, key, "it expires before its expiry key");
    }
    for (byte[] expiryKey : expiryKeys(databaseId, key, meta)) {
      expected.add(expiryKey);
    }
  }

  private static List<byte[]> expiryKeys(int databaseId, byte[] key, Meta meta) {
    return LongStream.of(meta.storedExpiryMillis(), meta.nextFieldExpiryMillis())
        .distinct()
        .filter(moment -> moment != Meta.NO_EXPIRY)
        .mapToObj(moment -> KeyFormat.expiry(moment, databaseId, key))
        .toList();
  }

  private void checkValue(int databaseId, byte[] key, Meta meta) {
    ValueType type = meta.type();
    if (!meta.isSpread()) {
      String wrong = type == ValueType.STRING ? null : PackedCheck.check(type, meta.packed());
      if (wrong != null) {
        found(databaseId, key, wrong);
      }
      return;
    }
    byte[] garbageKey = meta.keys(databaseId, key).prefix(KeyFormat.GARBAGE);
    if (!Arrays.equals(KeyFormat.userKey(garbageKey), key)) {
      moved.put(ByteBuffer.wrap(garbageKey), type);
    }
    GarbageRecord garbage = garbage(garbageKey);
    if (garbage != null && garbage.living() == null) {
      found(databaseId, key, "it is declared dead");
    }
    boolean mayBeEmpty = type == ValueType.STREAM || type == ValueType.STRING;
    if (!mayBeEmpty && meta.count() == 0) {
      found(databaseId, key, "a collection without members");
    }
    CheckedKey its =
        new CheckedKey(view, databaseId, key, meta, garbage, what -> found(databaseId, key, what));
    switch (type) {
      case STRING -> StringCheck.check(its);
      case LIST -> ListCheck.check(its);
      case SET -> SetCheck.check(its);
      case HASH -> HashCheck.check(its);
      case ZSET -> ZSetCheck.check(its);
      case STREAM -> StreamCheck.check(its);
    }
    entries += its.entriesWalked();
  }

  private @Nullable GarbageRecord garbage(byte[] garbageKey) {
    byte[] value = view.get(garbageKey);
    return value == null ? null : Garbage.record(garbageKey, value);
  }

  private void checkKeyCounts() {
    for (int number = 0; number < databases.count(); number++) {
      int id = databases.id(number);
      // Of most no key was met; to search each for its number would be quadratic.
      Database its = databaseOf.getOrDefault(id, Database.EMPTY);
      String name = "database " + number;
      checkCounter(name, "keys", CounterIds.keys(id), its.keys);
      checkCounter(name, "keys that expire", CounterIds.expires(id), its.expiring);
    }
  }

  private void checkCounter(String where, String what, long counter, long counted) {
    long said = counters.applyAsLong(counter);
    if (said != counted) {
      found(where, said + " " + what + " are counted, " + counted + " are there");
    }
  }

  // What belongs to keys -----------------------------------------------------------------------

  private void checkExpiryKeys() {
    walk(
        KeyFormat.EXPIRY,
        (stored, value) -> {
          entries++;
          if (!database(KeyFormat.databaseId(stored)).isDead) {
            expiring.add(stored);
          }
        });
    if (!expected.isSame(expiring)) {
      walk(KeyFormat.META, this::lookForExpiryKeys);
      walk(KeyFormat.EXPIRY, (stored, value) -> lookForKey(stored));
    }
  }

  private void lookForExpiryKeys(byte[] stored, byte[] value) {
    int databaseId = KeyFormat.databaseId(stored);
    byte[] key = KeyFormat.userKey(stored);
    for (byte[] expiryKey : expiryKeys(databaseId, key, Meta.read(value))) {
      if (view.get(expiryKey) == null) {
        found(databaseId, key, "it has no expiry key at " + KeyFormat.expiryMillis(expiryKey));
      }
    }
  }

  private void lookForKey(byte[] stored) {
    int databaseId = KeyFormat.databaseId(stored);
    byte[] key = KeyFormat.userKey(stored);
    byte[] its = view.get(KeyFormat.meta(databaseId, key));
    boolean isIts =
        database(databaseId).isDead
            || (its != null
                && expiryKeys(databaseId, key, Meta.read(its)).stream()
                    .anyMatch(expiryKey -> Arrays.equals(expiryKey, stored)));
    if (!isIts) {
      found(
          databaseId,
          key,
          "an expiry key at " + KeyFormat.expiryMillis(stored) + " that is not its own");
    }
  }

  /** Whether each version that has entries in a keyspace lives, or has been declared dead. */
  private void checkOwners(byte tag) {
    try (StoreCursor cursor = view.cursor(KeyFormat.endOf(tag))) {
      boolean isAny = cursor.seek(new byte[] {tag});
      while (isAny && cursor.key()[0] == tag) {
        byte[] stored = cursor.key();
        int prefixBytes = KeyFormat.collectionPrefixBytes(stored);
        if (prefixBytes < 0) {
          found(Names.entry(stored), "a key that is cut off");
          isAny = cursor.next();
          continue;
        }
        int databaseId = KeyFormat.databaseId(stored);
        byte[] prefix = Arrays.copyOf(stored, prefixBytes);
        if (database(databaseId).isDead) {
          prefix = KeyFormat.databasePrefix(tag, databaseId);
        } else if (!isOwned(prefix)) {
          found(Names.entriesOf(prefix), "they belong to no key, and are not declared dead");
        }
        isAny = cursor.seek(KeyFormat.successor(prefix));
      }
    }
  }

  private boolean isOwned(byte[] prefix) {
    byte[] garbageKey = prefix.clone();
    garbageKey[0] = KeyFormat.GARBAGE;
    try {
      ValueType living = living(garbageKey);
      if (living != null) {
        return CollectionKeys.isAmong(CollectionKeys.tags(living), prefix[0]);
      }
      GarbageRecord garbage = garbage(garbageKey);
      return garbage != null
          && garbage.living() == null
          && CollectionKeys.isAmong(garbage.tags(), prefix[0]);
    } catch (DamagedValueException damaged) {
      // Who reads that for itself says so.
      return true;
    }
  }

  /** The type of the collection that has this version, or null if none has. */
  private @Nullable ValueType living(byte[] garbageKey) {
    ValueType type = moved.get(ByteBuffer.wrap(garbageKey));
    if (type != null) {
      return type;
    }
    int databaseId = KeyFormat.databaseId(garbageKey);
    byte[] home = KeyFormat.userKey(garbageKey);
    byte[] stored = view.get(KeyFormat.meta(databaseId, home));
    Meta meta = stored == null ? null : Meta.read(stored);
    if (meta == null || !meta.isSpread()) {
      return null;
    }
    byte[] itsGarbageKey = meta.keys(databaseId, home).prefix(KeyFormat.GARBAGE);
    return Arrays.equals(itsGarbageKey, garbageKey) ? meta.type() : null;
  }

  // Garbage ------------------------------------------------------------------------------------

  private void checkGarbage() {
    long[] dead = new long[2];
    walk(
        KeyFormat.GARBAGE,
        (stored, value) -> {
          entries++;
          GarbageRecord record = Garbage.record(stored, value);
          boolean isOfDead = database(KeyFormat.databaseId(stored)).isDead;
          if (record.living() == null) {
            dead[0] += record.entries();
            dead[1] += record.bytes();
          } else if (!isOfDead && living(stored) != ValueType.LIST) {
            found(Names.entriesOf(stored), "said to be of a list that lives, which is not there");
          }
          if (record.type() == null && !isOfDead) {
            found(Names.entry(stored), "a database that lives is declared dead");
          }
        });
    checkCounter("garbage", "entries", CounterIds.GARBAGE_ENTRIES, dead[0]);
    checkCounter("garbage", "bytes", CounterIds.GARBAGE_BYTES, dead[1]);
  }
}
