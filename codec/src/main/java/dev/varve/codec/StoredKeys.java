package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.BriefValue;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.WriteTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * What is stored under keys, expired or not, for a transaction: the only place that changes metas,
 * expiry keys, garbage records and the counts of keys together.
 *
 * <p>Belongs to the thread of its transaction.
 */
final class StoredKeys {
  /** Of what is to be overwritten no more is read than this, if it is a string. */
  private static final int OVERWRITTEN_BYTES_READ = 4096;

  private final TransactionEntries entries;
  private final StoreBatch batch;
  private final long nowMillis;

  /** Many commands write no moment: each has a transaction. */
  private @Nullable ExpiryKeys expiryKeys;

  // The stored key built last: most commands look one key up and save it.
  private byte @Nullable [] lastKey;
  private int lastDatabaseId;
  private byte[] lastMetaKey = StoreBatch.DELETED;

  StoredKeys(TransactionEntries entries, long nowMillis) {
    this.entries = entries;
    this.batch = entries.batch();
    this.nowMillis = nowMillis;
  }

  /** What is stored under {@code key}, or null. */
  @Nullable Meta find(int databaseId, byte[] key) {
    return stored(entries.get(metaKey(databaseId, key)));
  }

  /** The same, but perhaps without the bytes of a string or packed members. */
  @Nullable Meta findStart(int databaseId, byte[] key) {
    BriefValue start = entries.getStart(metaKey(databaseId, key), OVERWRITTEN_BYTES_READ);
    boolean isEnough =
        start == null
            || start.length() < OVERWRITTEN_BYTES_READ
            || MetaFormat.isStartOfString(start.array(), start.offset(), start.length());
    return isEnough ? stored(start) : find(databaseId, key);
  }

  /** The same as {@link #find} for a while: as {@link Transaction#findBriefly} says. */
  @Nullable Meta findBriefly(int databaseId, byte[] key) {
    return stored(entries.getBriefly(metaKey(databaseId, key)));
  }

  private static @Nullable Meta stored(@Nullable BriefValue value) {
    return value == null
        ? null
        : stored(MetaFormat.read(value.array(), value.offset(), value.length()));
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
   * Makes {@code meta} what {@code key} holds, and its expiry keys those of {@code meta}.
   *
   * @throws WriteTooLargeException when the key is longer than {@link Transaction#KEY_BYTES_MAX}
   */
  void save(int databaseId, byte[] key, Meta meta) {
    if (key.length > Transaction.KEY_BYTES_MAX) {
      throw WriteTooLargeException.userKey(Transaction.KEY_BYTES_MAX);
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
      batch.count(CounterIds.keys(databaseId), 1);
      meta.stored = true;
    }
  }

  /** Puts the new {@code meta} in the place of {@code old}, which {@code key} holds. */
  void replace(int databaseId, byte[] key, Meta old, Meta meta) {
    bury(databaseId, key, old);
    meta.stored = old.stored;
    meta.storedExpiryMillis = old.storedExpiryMillis;
    meta.storedFieldExpiryMillis = old.storedFieldExpiryMillis;
    save(databaseId, key, meta);
  }

  /** Takes the name from what {@code meta} describes; the members stay as they are. */
  void unlink(int databaseId, byte[] key, Meta meta) {
    batch.delete(metaKey(databaseId, key));
    batch.count(CounterIds.keys(databaseId), -1);
    if (ExpiryKeys.areStored(meta)) {
      expiryKeys().deleted(databaseId, key, meta);
    }
    meta.stored = false;
  }

  /** Deletes {@code key}, which holds {@code meta}, in time that does not depend on its size. */
  void remove(int databaseId, byte[] key, Meta meta) {
    bury(databaseId, key, meta);
    unlink(databaseId, key, meta);
  }

  /** Deletes a key that was found expired, and that nobody has written since. */
  void remove(DueKey due) {
    if (due.garbage != null) {
      bury(due.garbage);
    }
    batch.delete(due.metaKey);
    batch.count(CounterIds.keys(due.databaseId), -1);
    batch.delete(due.expiryKey);
    batch.count(CounterIds.expires(due.databaseId), -1);
  }

  /** Declares the members of a spread collection dead. */
  void bury(int databaseId, byte[] key, Meta meta) {
    GarbageRecord record = GarbageRecord.of(entries::get, databaseId, key, meta, nowMillis);
    if (record != null) {
      bury(record);
    }
  }

  private void bury(GarbageRecord record) {
    batch.put(record.storedKey(), record.value());
    batch.count(CounterIds.GARBAGE_ENTRIES, record.entries());
    batch.count(CounterIds.GARBAGE_BYTES, record.bytes());
  }

  /** Declares all that a database has dead, and counts it empty; returns how many keys it had. */
  long buryAll(int databaseId) {
    long keys = entries.counter(CounterIds.keys(databaseId));
    if (keys > 0) {
      bury(new GarbageRecord(KeyFormat.garbage(databaseId), null, keys, 0, nowMillis));
      batch.count(CounterIds.keys(databaseId), -keys);
      long expires = entries.counter(CounterIds.expires(databaseId));
      batch.count(CounterIds.expires(databaseId), -expires);
    }
    return keys;
  }

  /** The earliest moment that an expiry key was written for, or {@link Meta#NO_EXPIRY}. */
  long earliestExpiryMillis() {
    return expiryKeys == null ? Meta.NO_EXPIRY : expiryKeys.earliestMillis();
  }

  private ExpiryKeys expiryKeys() {
    if (expiryKeys == null) {
      expiryKeys = new ExpiryKeys(batch, nowMillis);
    }
    return expiryKeys;
  }

  /** The stored key of a meta. */
  byte[] metaKey(int databaseId, byte[] key) {
    if (key != lastKey || databaseId != lastDatabaseId) {
      lastMetaKey = KeyFormat.meta(databaseId, key);
      lastKey = key;
      lastDatabaseId = databaseId;
    }
    return lastMetaKey;
  }
}
