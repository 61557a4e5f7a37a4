package dev.varve.codec;

import dev.varve.codec.format.ValueType;
import dev.varve.codec.rank.TransactionBuckets;
import dev.varve.codec.store.StepMeter;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.store.WriteTooLargeException;
import java.util.BitSet;
import java.util.List;
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

  private static final long NOTHING_DUE = Long.MIN_VALUE;

  private final TransactionEntries entries;
  private final StoredKeys stored;
  private final PackedLimits packedLimits;
  private final long nowMillis;
  private final RandomGenerator random;
  private final boolean eventsWanted;
  private long dueMillis;
  private Databases databases;
  private DueFieldsLimit dueFieldsLimit = DueFieldsLimit.NONE;
  private WantedEvents wanted = WantedEvents.ALL;
  private @Nullable GatheredEvents events;
  private @Nullable BitSet touchedDatabases;
  private @Nullable AccessTimes accessTimes;
  private boolean isUseHidden;
  private Effects effects = Effects.NONE;

  // What many commands do not need: each has a transaction.
  private @Nullable KeyLookups lookups;
  private @Nullable TransactionBuckets buckets;

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
    this.entries = new TransactionEntries(store, view);
    this.stored = new StoredKeys(entries, nowMillis);
    this.databases = databases;
    this.packedLimits = packedLimits;
    this.nowMillis = nowMillis;
    this.dueMillis = nowMillis;
    this.random = random;
    this.eventsWanted = eventsWanted;
  }

  /** Notes in {@code times} which keys are used, from here on. */
  public void noteUsesIn(AccessTimes times) {
    accessTimes = times;
  }

  /** From here on keys look as if they were not used, or look used again. */
  public void hideUses(boolean yes) {
    isUseHidden = yes;
  }

  /**
   * Promises that the command which runs writes nothing, but for what has expired and it comes
   * across before it walks there: its walks need not look for writes that are made meanwhile.
   */
  public void promiseReadsOnly() {
    entries.promiseReadsOnly();
  }

  /**
   * From here on nothing has expired, whatever its moment: another server says what has, and what
   * it does meanwhile is done here later.
   */
  public void expireNothing() {
    dueMillis = NOTHING_DUE;
  }

  /** From here on says in {@code its} what a copy of the data has to be asked for. */
  public void tellEffects(Effects its) {
    effects = its;
  }

  /** What a copy of the data has to be asked for, where that is told. */
  public Effects effects() {
    return effects;
  }

  /** How much has been written so far: more, whenever anything is. */
  public int operations() {
    return entries.batch().operations();
  }

  /** Says which events are asked for, where any are. Before the first of them. */
  public void wants(WantedEvents its) {
    wanted = its;
  }

  /** Lets the run end where it would delete many due fields. */
  public void limitDueFields(DueFieldsLimit limit) {
    dueFieldsLimit = limit;
  }

  public PackedLimits packedLimits() {
    return packedLimits;
  }

  public long nowMillis() {
    return nowMillis;
  }

  /**
   * Keys and fields have expired whose moment is not after this, in ms since 1970: {@link
   * #nowMillis}, unless nothing expires here.
   */
  public long dueMillis() {
    return dueMillis;
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
    return entries.batch();
  }

  // Entries ------------------------------------------------------------------------------------

  /** The value of a stored key, own writes included, or null. Nobody changes the array. */
  public byte @Nullable [] get(byte[] key) {
    return entries.get(key);
  }

  /** So many bytes are about to be in memory, of what was read: see {@link StoreView#need}. */
  public void need(long bytes) {
    entries.view().need(bytes);
  }

  /** From here on tells {@code its} how much is read and written, about. */
  public void meter(StepMeter its) {
    entries.view().meter(its);
    entries.batch().meter(its);
  }

  /** One step more, of what neither reads nor writes here and takes as long: see {@link #meter}. */
  public void step() {
    entries.batch().step();
  }

  /** Whether reads wait for a disk here, as {@link StoreView#mayWait} says. */
  public boolean mayWait() {
    return entries.view().mayWait();
  }

  /** Writes an entry. The arrays belong to the transaction from then on. */
  public void put(byte[] key, byte[] value) {
    entries.batch().put(key, value);
  }

  /** Writes an entry without a value under a key that has none: {@link StoreBatch#insert}. */
  public void insert(byte[] key) {
    entries.batch().insert(key);
  }

  /** Deletes an entry; that there is none is not an error. */
  public void delete(byte[] key) {
    entries.batch().delete(key);
  }

  /** Says that an entry stays that nobody asks for any more, so that no memory is spent on it. */
  public void forget(byte[] key) {
    entries.batch().forget(key);
  }

  /**
   * A cursor over the entries before {@code end}, own writes included, those too that are made
   * while it is open. The caller closes it.
   */
  public StoreCursor cursor(byte[] end) {
    return entries.cursor(end);
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
    return entries.newVersion();
  }

  /** A counter, own changes included. */
  long counter(long id) {
    return entries.counter(id);
  }

  /** Adds to a counter. */
  void count(long id, long delta) {
    entries.batch().count(id, delta);
  }

  /** The counted buckets that are in memory. */
  public TransactionBuckets buckets() {
    if (buckets == null) {
      buckets = new TransactionBuckets(entries.view(), entries.batch());
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
    if (!isUseHidden) {
      noteUse(database, key);
    }
  }

  private void noteUse(int database, byte[] key) {
    if (accessTimes != null) {
      accessTimes.used(stored.metaKey(databases.id(database), key), nowMillis);
    }
  }

  /** Whether there is such a key, which is used by that, whoever asks. */
  boolean touch(int database, byte[] key) {
    noteUse(database, key);
    return observe(database, key) != null;
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
    return living(database, key, stored.find(databases.id(database), key));
  }

  private @Nullable Meta living(int database, byte[] key, @Nullable Meta meta) {
    if (meta == null) {
      return null;
    }
    if (meta.isExpiredAt(dueMillis)) {
      noteLookups().expired(database, key);
      return null;
    }
    return meta.hasFieldsDueAt(dueMillis) ? withoutDueFields(database, key, meta) : meta;
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
   * As {@link #find}, for who is done with what it finds before the command reads on: the bytes of
   * a string are gone then, and packed members.
   */
  public @Nullable Meta findBriefly(int database, byte[] key) {
    used(database, key);
    Meta meta = living(database, key, stored.findBriefly(databases.id(database), key));
    return looked(database, key, meta);
  }

  /**
   * The same.
   *
   * @throws DataException WRONG_TYPE when it holds another type
   */
  public @Nullable Meta findBriefly(int database, byte[] key, ValueType type) {
    return ofType(findBriefly(database, key), type);
  }

  /**
   * What {@code key} holds now, or null: for commands that may write. A key that has expired is
   * deleted on the way. The next look-up of the same key makes this meta stale.
   */
  public @Nullable Meta findForWrite(int database, byte[] key) {
    used(database, key);
    return current(database, key, stored.find(databases.id(database), key));
  }

  /**
   * The same for commands that write one type, and have saved what they find before they read on,
   * as {@link #findBriefly} says.
   *
   * @throws DataException WRONG_TYPE when {@code key} holds another type
   */
  public @Nullable Meta findBrieflyForWrite(int database, byte[] key, ValueType type) {
    used(database, key);
    return ofType(current(database, key, stored.findBriefly(databases.id(database), key)), type);
  }

  /**
   * As {@link #findForWrite}, for commands that put something else in the place of what {@code key}
   * holds: they may ask for anything but the bytes of a string and packed members.
   */
  public @Nullable Meta findToOverwrite(int database, byte[] key) {
    used(database, key);
    return current(database, key, stored.findStart(databases.id(database), key));
  }

  /** What is left of what a key holds when all that has expired is deleted. */
  private @Nullable Meta current(int database, byte[] key, @Nullable Meta meta) {
    Meta left = meta;
    if (meta != null && meta.isExpiredAt(dueMillis)) {
      expire(database, databases.id(database), key, meta);
      left = null;
    } else if (meta != null && meta.hasFieldsDueAt(dueMillis)) {
      left = withoutDueFields(database, key, meta);
    }
    if (left == null && isUseHidden) {
      // What is made here is as old as the command.
      noteUse(database, key);
    }
    return left;
  }

  /** Where a command only reads, nobody but it will see that they are deleted. */
  private @Nullable Meta withoutDueFields(int database, byte[] key, Meta meta) {
    return dueFields().delete(database, key, meta);
  }

  private DueFields dueFields() {
    return new DueFields(this, entries, stored, dueFieldsLimit);
  }

  /**
   * Deletes fields that are due, up to {@code fieldsMax}, of the hash under {@code key}; if it is
   * not one of which more are due, it stays as it is. The others are due as before.
   *
   * @return where the next one may go on, who would pass all that is deleted otherwise
   */
  public byte[] deleteDueFields(int database, byte[] key, int fieldsMax) {
    return dueFields().deleteSome(database, key, fieldsMax);
  }

  /**
   * As {@link #findForWrite(int, byte[])}, for commands that write one type.
   *
   * @throws DataException WRONG_TYPE when {@code key} holds another type
   */
  public @Nullable Meta findForWrite(int database, byte[] key, ValueType type) {
    return ofType(findForWrite(database, key), type);
  }

  /**
   * The string under {@code key}, or null, for commands that read what they replace: it counts as
   * {@link #find} does.
   *
   * @throws DataException WRONG_TYPE when {@code key} holds another type
   */
  public @Nullable Meta findStringToReplace(int database, byte[] key) {
    return ofType(looked(database, key, findForWrite(database, key)), ValueType.STRING);
  }

  private static @Nullable Meta ofType(@Nullable Meta meta, ValueType type) {
    if (meta != null && meta.type() != type) {
      throw DataException.WRONG_TYPE;
    }
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
    stored.save(databases.id(database), key, meta);
  }

  /**
   * Puts the new {@code meta} in the place of what {@code key} holds.
   *
   * @param old what it holds, from {@link #findForWrite}, or null for nothing
   */
  public void replace(int database, byte[] key, @Nullable Meta old, Meta meta) {
    if (old == null) {
      save(database, key, meta);
    } else {
      stored.replace(databases.id(database), key, old, meta);
    }
  }

  /** Deletes {@code key}, which holds {@code meta}, in time that does not depend on its size. */
  public void remove(int database, byte[] key, Meta meta) {
    stored.remove(databases.id(database), key, meta);
  }

  /** Deletes an expired key and says so. */
  void expire(int database, int databaseId, byte[] key, Meta meta) {
    stored.remove(databaseId, key, meta);
    expired(database, key);
  }

  /**
   * Deletes a key that {@link ExpirySweep} found expired and that nobody has written since, and
   * says so.
   */
  void expireFound(DueKey due) {
    stored.remove(due);
    expired(due.database, due.userKey());
  }

  private void expired(int database, byte[] key) {
    noteLookups().deletedExpired();
    effects.deleted(database, key);
    event(EventClass.EXPIRED, "expired", database, key);
  }

  /** The earliest moment that this transaction let a key expire at, or {@link Meta#NO_EXPIRY}. */
  public long earliestExpiryMillis() {
    return stored.earliestExpiryMillis();
  }

  /** Takes the name from what {@code meta} describes; the members stay as they are. */
  void unlink(int databaseId, byte[] key, Meta meta) {
    stored.unlink(databaseId, key, meta);
  }

  // Databases ----------------------------------------------------------------------------------

  /** Empties a database in time that does not depend on its size; returns how many keys it had. */
  public long flush(int database) {
    long keys = stored.buryAll(databases.id(database));
    if (keys > 0) {
      databases = databases.flushed(database, entries.batch());
      touch(database);
    }
    return keys;
  }

  /** Swaps the content of two databases. */
  public void swap(int database, int other) {
    if (database != other) {
      databases = databases.swapped(database, other, entries.batch());
      touch(database);
      touch(other);
    }
  }

  // Events -------------------------------------------------------------------------------------

  /**
   * Says that something happened to a key. Every change that a client can see passes here.
   *
   * @throws dev.varve.codec.store.WriteTooLargeException when there were too many, as with what is
   *     written
   */
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
      events = new GatheredEvents(wanted);
    }
    events.add(event);
  }

  private void touch(int database) {
    if (touchedDatabases == null) {
      touchedDatabases = new BitSet();
    }
    touchedDatabases.set(database);
  }

  /**
   * What happened to keys, in order, as far as that was {@linkplain #wants wanted}; empty unless
   * events were.
   */
  public List<KeyspaceEvent> events() {
    return events == null ? List.of() : events.all();
  }

  /** Whether all keys of a database changed at once. */
  public boolean isTouched(int database) {
    return touchedDatabases != null && touchedDatabases.get(database);
  }
}
