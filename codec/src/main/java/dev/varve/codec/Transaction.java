package dev.varve.codec;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.rank.TransactionBuckets;
import dev.varve.codec.store.BriefValue;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.store.WriteTooLargeException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What one command, one MULTI/EXEC or one script reads and writes: it sees its own writes, and
 * nobody else does before they are applied together.
 *
 * <p>Single-threaded, used once. Time and randomness are frozen: run again from the start on the
 * same state, with the same clock reading and an equally seeded random source, it does the same.
 */
public final class Transaction {
  /** The longest key: what is filed under it has room for as long a member. */
  public static final int KEY_BYTES_MAX = StoreBatch.KEY_BYTES_MAX / 2;

  /** Of what is to be overwritten no more is read than this, if it is a string. */
  private static final int OVERWRITTEN_BYTES_READ = 4096;

  /** A hash of more fields, all of which are due, is declared dead as a whole. */
  private static final int FIELDS_DELETED_MAX = 16;

  private final Store store;
  private final StoreView view;
  private final PackedLimits packedLimits;
  private final long nowMillis;
  private final RandomGenerator random;
  private final boolean eventsWanted;
  private final StoreBatch batch = new StoreBatch();
  private Databases databases;
  private @Nullable List<KeyspaceEvent> events;
  private @Nullable BitSet touchedDatabases;
  private @Nullable AccessTimes accessTimes;
  private boolean readsOnly;
  private long dueFieldsMax = Long.MAX_VALUE;
  private byte[] dueFieldsPlace = FieldExpiry.FROM_START;
  private BooleanSupplier mayEndForDueFields = () -> false;

  // What many commands do not need: each has a transaction.
  private @Nullable ExpiryKeys expiryKeys;
  private @Nullable KeyLookups lookups;
  private @Nullable TransactionBuckets buckets;

  // The stored key built last: most commands look one key up and save it.
  private byte @Nullable [] lastKey;
  private int lastDatabaseId;
  private byte[] lastMetaKey = StoreBatch.DELETED;

  /**
   * @param store for counters and sequence numbers; the batch is written to it by the caller
   * @param view the state to read; the caller closes it
   * @param databases the mapping that fits the view
   * @param packedLimits when collections are spread
   * @param nowMillis the time of everything in this transaction, in ms since 1970
   * @param random the source of every random choice
   * @param eventsWanted whether anybody will ask for {@link #events()}
   */
  public Transaction(
      Store store,
      StoreView view,
      Databases databases,
      PackedLimits packedLimits,
      long nowMillis,
      RandomGenerator random,
      boolean eventsWanted) {
    this.store = store;
    this.view = view;
    this.databases = databases;
    this.packedLimits = packedLimits;
    this.nowMillis = nowMillis;
    this.random = random;
    this.eventsWanted = eventsWanted;
  }

  /** Notes in {@code times} which keys are used, from here on. */
  public void noteUsesIn(AccessTimes times) {
    accessTimes = times;
  }

  /**
   * Promises that the command which runs writes nothing, but for what has expired and it comes
   * across before it walks there: its walks need not look for writes that are made meanwhile.
   */
  public void promiseReadsOnly() {
    readsOnly = true;
  }

  /**
   * Lets the run end by a {@link DueFieldsSignal} where it meets a hash of which more than {@code
   * fieldsMax} fields are due and not all: to delete them takes as long as there are many. Not in a
   * database that it has swapped or flushed itself.
   *
   * @param place what {@link #deleteDueFields} returned last, of whatever hash; nothing if it has
   *     not run yet
   * @param mayEnd is asked then; if it says no, all of them are deleted
   */
  public void deleteNoMoreDueFieldsThan(int fieldsMax, byte[] place, BooleanSupplier mayEnd) {
    dueFieldsMax = fieldsMax;
    dueFieldsPlace = place;
    mayEndForDueFields = mayEnd;
  }

  public PackedLimits packedLimits() {
    return packedLimits;
  }

  public long nowMillis() {
    return nowMillis;
  }

  public RandomGenerator random() {
    return random;
  }

  /** The mapping of database numbers as this transaction has it, to publish once applied. */
  public Databases databases() {
    return databases;
  }

  /** The id of a database number. */
  public int databaseId(int database) {
    return databases.id(database);
  }

  /** The writes so far, to hand to {@link Store#write} at the end. */
  public StoreBatch batch() {
    return batch;
  }

  // Entries ------------------------------------------------------------------------------------

  /** The value of a stored key, own writes included, or null. Nobody changes the array. */
  public byte @Nullable [] get(byte[] stored) {
    byte[] written = written(stored);
    if (written != null) {
      return written == StoreBatch.DELETED ? null : written;
    }
    return isOfNewVersion(stored) ? null : view.get(stored);
  }

  /** What this transaction has done to a stored key, as {@link StoreBatch#get} says it. */
  private byte @Nullable [] written(byte[] stored) {
    return batch.writeCount() == 0 ? null : batch.get(stored);
  }

  /** The value of the stored key of a meta, of which the start may be enough. */
  private byte @Nullable [] getStart(byte[] stored) {
    byte[] written = written(stored);
    if (written != null) {
      return written == StoreBatch.DELETED ? null : written;
    }
    return view.getStart(stored, OVERWRITTEN_BYTES_READ);
  }

  /**
   * Whether the key is of a collection that began in this transaction. The view must not be asked:
   * a filter may say by mistake that a block has it, another one for the version of each run again.
   */
  private boolean isOfNewVersion(byte[] stored) {
    return batch.sequencesReserved() > 0
        && KeyFormat.isOfCollection(stored)
        && KeyFormat.version(stored) >= store.nextSequence();
  }

  /** Whether reads wait for a disk here, as {@link StoreView#mayWait} says. */
  public boolean mayWait() {
    return view.mayWait();
  }

  /** Writes an entry. The arrays belong to the transaction from then on. */
  public void put(byte[] stored, byte[] value) {
    batch.put(stored, value);
  }

  /** Writes an entry without a value under a key that has none: {@link StoreBatch#insert}. */
  public void insert(byte[] stored) {
    batch.insert(stored);
  }

  /** Deletes an entry; that there is none is not an error. */
  public void delete(byte[] stored) {
    batch.delete(stored);
  }

  /** Says that an entry stays that nobody asks for any more, so that no memory is spent on it. */
  public void forget(byte[] stored) {
    batch.forget(stored);
  }

  /**
   * A cursor over the entries before {@code end}, own writes included, those too that are made
   * while it is open. The caller closes it.
   */
  public StoreCursor cursor(byte[] end) {
    StoreCursor stored = view.cursor(end);
    return readsOnly && batch.writeCount() == 0 ? stored : new OverlayCursor(stored, batch, end);
  }

  /** The same, but not before {@code from}: for who walks back. */
  public StoreCursor cursor(byte[] from, byte[] end) {
    StoreCursor cursor = cursor(end);
    cursor.within(from, end);
    return cursor;
  }

  /** The same, where both are in one keyspace of a collection, which has nothing else. */
  public StoreCursor cursorOverAll(byte[] from, byte[] end) {
    StoreCursor cursor = cursor(end);
    cursor.withinAll(from, end);
    return cursor;
  }

  /** A version that no collection ever had. */
  public long newVersion() {
    return store.nextSequence() + batch.reserveSequence();
  }

  /** A counter, own changes included. */
  long counter(long id) {
    return store.counter(id) + batch.delta(id);
  }

  /** Adds to a counter. */
  void count(long id, long delta) {
    batch.count(id, delta);
  }

  /** The counted buckets that are in memory. */
  public TransactionBuckets buckets() {
    if (buckets == null) {
      buckets = new TransactionBuckets(view, batch);
    }
    return buckets;
  }

  // Keys ---------------------------------------------------------------------------------------

  /**
   * What {@code key} holds now, or null: for commands that only read. That there is no such key is
   * an event.
   */
  public @Nullable Meta find(int database, byte[] key) {
    used(database, key);
    return observe(database, key);
  }

  /** As {@link #find}, for commands that tell about a key without using what it holds. */
  public @Nullable Meta observe(int database, byte[] key) {
    return looked(database, key, peek(database, key));
  }

  private void used(int database, byte[] key) {
    if (accessTimes != null) {
      accessTimes.used(metaKey(databases.id(database), key), nowMillis);
    }
  }

  private @Nullable Meta looked(int database, byte[] key, @Nullable Meta meta) {
    if (meta == null) {
      missed(database, key);
    } else {
      noteLookups().found(key);
    }
    return meta;
  }

  /** Says that a command was after a key that is not there; once for each of its arguments. */
  public void missed(int database, byte[] key) {
    if (noteLookups().missed(key)) {
      notice(EventClass.KEY_MISS, "keymiss", database, key);
    }
  }

  /** As {@link #observe}, but that there is no such key is no event. */
  public @Nullable Meta inspect(int database, byte[] key) {
    Meta meta = peek(database, key);
    if (meta == null) {
      noteLookups().missed(key);
    } else {
      noteLookups().found(key);
    }
    return meta;
  }

  /** What was looked up to be read, and what of it had expired. */
  public KeyLookups lookups() {
    return lookups == null ? KeyLookups.NONE : lookups;
  }

  /** From here on a command looks its keys up anew: each counts again. */
  public void forgetLastLookups() {
    if (lookups != null) {
      lookups.forgetLast();
    }
  }

  private KeyLookups noteLookups() {
    if (lookups == null) {
      lookups = new KeyLookups();
    }
    return lookups;
  }

  /** What {@code key} holds now, or null, which is no event. */
  public @Nullable Meta peek(int database, byte[] key) {
    return living(database, key, findStored(databases.id(database), key));
  }

  private @Nullable Meta living(int database, byte[] key, @Nullable Meta meta) {
    if (meta == null) {
      return null;
    }
    if (meta.isExpiredAt(nowMillis)) {
      noteLookups().expired(database, key);
      return null;
    }
    return meta.hasFieldsDueAt(nowMillis) ? withoutDueFields(database, key, meta) : meta;
  }

  /**
   * What {@code key} holds now, or null: for commands that only read.
   *
   * @throws DataException WRONG_TYPE when it holds another type
   */
  public @Nullable Meta find(int database, byte[] key, ValueType type) {
    return ofType(find(database, key), type);
  }

  /**
   * The same for a string that the command is done with before it reads on: its bytes are gone
   * then.
   *
   * @throws DataException WRONG_TYPE when it holds another type
   */
  public @Nullable Meta findBriefly(int database, byte[] key) {
    used(database, key);
    Meta meta = living(database, key, findStoredBriefly(databases.id(database), key));
    return ofType(looked(database, key, meta), ValueType.STRING);
  }

  /**
   * What {@code key} holds now, or null: for commands that may write. A key that has expired is
   * deleted on the way. The next look-up of the same key makes this meta stale.
   */
  public @Nullable Meta findForWrite(int database, byte[] key) {
    used(database, key);
    return current(database, key, findStored(databases.id(database), key));
  }

  /**
   * The same for commands that put something else in the place of what {@code key} holds: of a
   * string that is in one piece they may ask for anything but its bytes.
   */
  public @Nullable Meta findToOverwrite(int database, byte[] key) {
    used(database, key);
    return current(database, key, findStart(databases.id(database), key));
  }

  /** What is left of what a key holds when all that has expired is deleted. */
  private @Nullable Meta current(int database, byte[] key, @Nullable Meta meta) {
    if (meta != null && meta.isExpiredAt(nowMillis)) {
      expire(database, databases.id(database), key, meta);
      return null;
    }
    return meta != null && meta.hasFieldsDueAt(nowMillis)
        ? withoutDueFields(database, key, meta)
        : meta;
  }

  /**
   * Deletes the fields that have expired, and the hash if it has no others. Where a command only
   * reads, nobody but it will see that.
   */
  private @Nullable Meta withoutDueFields(int database, byte[] key, Meta meta) {
    int databaseId = databases.id(database);
    CollectionKeys keys = meta.keys(databaseId, key);
    boolean isBuried =
        meta.count() > FIELDS_DELETED_MAX
            && FieldExpiry.areAllDue(this::cursor, meta, keys, nowMillis);
    if (isBuried) {
      bury(databaseId, key, meta);
    } else {
      // A database that this run has swapped is another one for who deletes them.
      if (meta.fieldExpiries > dueFieldsMax
          && !isTouched(database)
          && FieldExpiry.areMoreDue(this::cursor, keys, dueFieldsPlace, nowMillis, dueFieldsMax)
          && mayEndForDueFields.getAsBoolean()) {
        throw new DueFieldsSignal(database, key);
      }
      FieldExpiry.deleteDue(
          this::get, this::cursor, batch, meta, keys, dueFieldsPlace, nowMillis, Long.MAX_VALUE);
    }
    event(EventClass.HASH, "hexpired", database, key);
    if (isBuried || meta.count() == 0) {
      unlink(databaseId, key, meta);
      event(EventClass.GENERIC, "del", database, key);
      return null;
    }
    saveById(databaseId, key, meta);
    return meta;
  }

  /**
   * Deletes fields that are due, up to {@code fieldsMax}, of the hash under {@code key}; if it is
   * not one of which more are due, it stays as it is. The others are due as before.
   *
   * @return where the next one may go on, who would pass all that is deleted otherwise
   */
  public byte[] deleteDueFields(int database, byte[] key, int fieldsMax) {
    int databaseId = databases.id(database);
    Meta meta = findStored(databaseId, key);
    if (meta == null || meta.isExpiredAt(nowMillis) || !meta.hasFieldsDueAt(nowMillis)) {
      return dueFieldsPlace;
    }
    CollectionKeys keys = meta.keys(databaseId, key);
    if (!FieldExpiry.areMoreDue(this::cursor, keys, dueFieldsPlace, nowMillis, fieldsMax)) {
      return dueFieldsPlace;
    }
    long nextMillis = meta.nextFieldExpiryMillis;
    byte[] place =
        FieldExpiry.deleteDue(
            this::get, this::cursor, batch, meta, keys, dueFieldsPlace, nowMillis, fieldsMax);
    // The others must be seen to be due in this millisecond too; and a sweep may be beyond the
    // moment of the first of them.
    meta.setFieldExpiries(meta.fieldExpiries, nextMillis);
    event(EventClass.HASH, "hexpired", database, key);
    saveById(databaseId, key, meta);
    return place;
  }

  /**
   * As {@link #findForWrite(int, byte[])}, for commands that write one type.
   *
   * @throws DataException WRONG_TYPE when {@code key} holds another type
   */
  public @Nullable Meta findForWrite(int database, byte[] key, ValueType type) {
    return ofType(findForWrite(database, key), type);
  }

  /** The same for commands that read what they replace: it counts as {@link #find} does. */
  public @Nullable Meta findToReplace(int database, byte[] key, ValueType type) {
    return ofType(looked(database, key, findForWrite(database, key)), type);
  }

  private static @Nullable Meta ofType(@Nullable Meta meta, ValueType type) {
    if (meta != null && meta.type() != type) {
      throw DataException.WRONG_TYPE;
    }
    return meta;
  }

  /** What is stored under {@code key}, expired or not. */
  @Nullable Meta findStored(int databaseId, byte[] key) {
    return stored(get(metaKey(databaseId, key)));
  }

  /** The same, but perhaps without the bytes of a string. */
  private @Nullable Meta findStart(int databaseId, byte[] key) {
    byte[] start = getStart(metaKey(databaseId, key));
    boolean isEnough =
        start == null || start.length < OVERWRITTEN_BYTES_READ || MetaFormat.isStartOfString(start);
    return isEnough ? stored(start) : findStored(databaseId, key);
  }

  private @Nullable Meta findStoredBriefly(int databaseId, byte[] key) {
    byte[] stored = metaKey(databaseId, key);
    if (written(stored) != null) {
      return findStored(databaseId, key);
    }
    BriefValue value = view.getBriefly(stored);
    return value == null ? null : stored(MetaFormat.read(value.array(), value.length()));
  }

  private static @Nullable Meta stored(byte @Nullable [] value) {
    return value == null ? null : stored(MetaFormat.read(value));
  }

  private static Meta stored(Meta meta) {
    meta.stored = true;
    meta.storedFieldExpiryMillis = meta.nextFieldExpiryMillis;
    return meta;
  }

  /**
   * Makes {@code meta} what {@code key} holds: creates the key if there is none, and moves its
   * expiry key. {@code meta} is new and there is no such key, or it was found under it.
   *
   * @throws WriteTooLargeException when the key is longer than {@link #KEY_BYTES_MAX}
   */
  public void save(int database, byte[] key, Meta meta) {
    if (!meta.stored) {
      notice(EventClass.NEW, "new", database, key);
    }
    saveById(databases.id(database), key, meta);
  }

  private void saveById(int databaseId, byte[] key, Meta meta) {
    if (key.length > KEY_BYTES_MAX) {
      throw WriteTooLargeException.userKey(KEY_BYTES_MAX);
    }
    if (ExpiryKeys.areToMove(meta)) {
      // First of all: the meta value says where its expiry key is.
      expiryKeys().saved(databaseId, key, meta);
    }
    byte[] longString = meta.longString();
    if (longString == null) {
      batch.put(metaKey(databaseId, key), MetaFormat.write(meta));
    } else {
      batch.put(metaKey(databaseId, key), MetaFormat.writeStart(meta), longString);
    }
    if (!meta.stored) {
      batch.count(Counters.keys(databaseId), 1);
      meta.stored = true;
    }
  }

  /**
   * Puts the new {@code meta} in the place of what {@code key} holds.
   *
   * @param old what it holds, from {@link #findForWrite}, or null for nothing
   */
  public void replace(int database, byte[] key, @Nullable Meta old, Meta meta) {
    int databaseId = databases.id(database);
    if (old != null) {
      bury(databaseId, key, old);
      meta.stored = old.stored;
      meta.storedExpiryMillis = old.storedExpiryMillis;
      meta.storedFieldExpiryMillis = old.storedFieldExpiryMillis;
    } else {
      notice(EventClass.NEW, "new", database, key);
    }
    saveById(databaseId, key, meta);
  }

  /** Deletes {@code key}, which holds {@code meta}, in time that does not depend on its size. */
  public void remove(int database, byte[] key, Meta meta) {
    int databaseId = databases.id(database);
    bury(databaseId, key, meta);
    unlink(databaseId, key, meta);
  }

  /** Deletes an expired key and says so. */
  void expire(int database, int databaseId, byte[] key, Meta meta) {
    bury(databaseId, key, meta);
    unlink(databaseId, key, meta);
    noteLookups().deletedExpired();
    event(EventClass.EXPIRED, "expired", database, key);
  }

  /**
   * Deletes a key that {@link ExpirySweep} found expired and that nobody has written since, and
   * says so.
   */
  void expireFound(DueKey due) {
    if (due.garbage != null) {
      bury(due.garbage);
    }
    batch.delete(due.metaKey);
    batch.count(Counters.keys(due.databaseId), -1);
    batch.delete(due.expiryKey);
    batch.count(Counters.expires(due.databaseId), -1);
    noteLookups().deletedExpired();
    event(EventClass.EXPIRED, "expired", due.database, due.userKey());
  }

  /** The earliest moment that this transaction let a key expire at, or {@link Meta#NO_EXPIRY}. */
  public long earliestExpiryMillis() {
    return expiryKeys == null ? Meta.NO_EXPIRY : expiryKeys.earliestMillis();
  }

  private ExpiryKeys expiryKeys() {
    if (expiryKeys == null) {
      expiryKeys = new ExpiryKeys(batch, nowMillis);
    }
    return expiryKeys;
  }

  /** Takes the name from what {@code meta} describes; the members stay as they are. */
  void unlink(int databaseId, byte[] key, Meta meta) {
    batch.delete(metaKey(databaseId, key));
    batch.count(Counters.keys(databaseId), -1);
    if (ExpiryKeys.areStored(meta)) {
      expiryKeys().deleted(databaseId, key, meta);
    }
    meta.stored = false;
  }

  /** Declares the members of a spread collection dead. */
  private void bury(int databaseId, byte[] key, Meta meta) {
    GarbageRecord record = GarbageRecord.of(this::get, databaseId, key, meta, nowMillis);
    if (record != null) {
      bury(record);
    }
  }

  private void bury(GarbageRecord record) {
    batch.put(record.storedKey(), record.value());
    batch.count(Counters.GARBAGE_ENTRIES, record.entries());
    batch.count(Counters.GARBAGE_BYTES, record.bytes());
  }

  // Databases ----------------------------------------------------------------------------------

  /** Empties a database in time that does not depend on its size; returns how many keys it had. */
  public long flush(int database) {
    int databaseId = databases.id(database);
    long keys = counter(Counters.keys(databaseId));
    if (keys == 0) {
      return 0;
    }
    bury(new GarbageRecord(KeyFormat.garbage(databaseId), null, keys, 0, nowMillis));
    batch.count(Counters.keys(databaseId), -keys);
    batch.count(Counters.expires(databaseId), -counter(Counters.expires(databaseId)));
    databases = databases.flushed(database, batch);
    touch(database);
    return keys;
  }

  /** Swaps the content of two databases. */
  public void swap(int database, int other) {
    if (database != other) {
      databases = databases.swapped(database, other, batch);
      touch(database);
      touch(other);
    }
  }

  // Events -------------------------------------------------------------------------------------

  /** Says that something happened to a key. Every change that a client can see passes here. */
  public void event(EventClass eventClass, String name, int database, byte[] key) {
    if (eventsWanted) {
      add(new KeyspaceEvent(eventClass, name, database, key, true));
    }
  }

  /**
   * Says that something happened to a key that is no change for those who watch or cache it: as in
   * Redis, what happens to the groups of a stream.
   */
  public void notice(EventClass eventClass, String name, int database, byte[] key) {
    if (eventsWanted) {
      add(new KeyspaceEvent(eventClass, name, database, key, false));
    }
  }

  private void add(KeyspaceEvent event) {
    if (events == null) {
      events = new ArrayList<>(2);
    }
    events.add(event);
  }

  private void touch(int database) {
    if (touchedDatabases == null) {
      touchedDatabases = new BitSet();
    }
    touchedDatabases.set(database);
  }

  /** What happened to keys, in order; empty unless events were wanted. */
  public List<KeyspaceEvent> events() {
    return events == null ? List.of() : events;
  }

  /** Whether all keys of a database changed at once. */
  public boolean isTouched(int database) {
    return touchedDatabases != null && touchedDatabases.get(database);
  }

  private byte[] metaKey(int databaseId, byte[] key) {
    if (key != lastKey || databaseId != lastDatabaseId) {
      lastMetaKey = KeyFormat.meta(databaseId, key);
      lastKey = key;
      lastDatabaseId = databaseId;
    }
    return lastMetaKey;
  }
}
