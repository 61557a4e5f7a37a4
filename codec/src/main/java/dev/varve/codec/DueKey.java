package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreView;
import org.jspecify.annotations.Nullable;

/** A key that is due as {@link ExpirySweep} found it, and what its deletion takes. Immutable. */
final class DueKey {
  final byte[] expiryKey;
  final byte[] metaKey;
  final int databaseId;

  /** The number of its database, or negative if the database is dead. */
  final int database;

  /** Whether the expiry key goes and its key does not: it is no longer true, or of fields. */
  final boolean isStale;

  /** What it leaves behind; null for nothing. */
  final @Nullable GarbageRecord garbage;

  /** What else is written: of a hash, its fields that are due. Null for nothing. */
  final @Nullable StoreBatch more;

  private DueKey(
      byte[] expiryKey,
      byte[] metaKey,
      int databaseId,
      int database,
      boolean isStale,
      @Nullable GarbageRecord garbage,
      @Nullable StoreBatch more) {
    this.expiryKey = expiryKey;
    this.metaKey = metaKey;
    this.databaseId = databaseId;
    this.database = database;
    this.isStale = isStale;
    this.garbage = garbage;
    this.more = more;
  }

  /** How many fields of one hash are deleted at once. */
  private static final int FIELDS_MAX = 10_000;

  /**
   * @param view where the meta was found, to find due fields in
   * @param metaValue what is stored under {@code metaKey}, or null for nothing
   * @param nowMillis when it dies
   */
  static DueKey of(
      StoreView view,
      byte[] expiryKey,
      byte[] metaKey,
      int database,
      byte @Nullable [] metaValue,
      long nowMillis) {
    long moment = KeyFormat.expiryMillis(expiryKey);
    int databaseId = KeyFormat.databaseId(expiryKey);
    Meta meta = database < 0 || metaValue == null ? null : MetaFormat.read(metaValue);
    if (meta == null) {
      return new DueKey(expiryKey, metaKey, databaseId, database, true, null, null);
    }
    if (meta.expiryMillis() != moment) {
      boolean isOfFields = meta.nextFieldExpiryMillis == moment && !meta.isExpiredAt(nowMillis);
      StoreBatch fields = isOfFields ? dueFields(view, expiryKey, metaKey, meta, nowMillis) : null;
      return new DueKey(expiryKey, metaKey, databaseId, database, true, null, fields);
    }
    StoreBatch more = null;
    if (meta.fieldExpiries > 0 && meta.nextFieldExpiryMillis > nowMillis) {
      // The other expiry key of a hash; one that is due itself is found by itself.
      more = new StoreBatch();
      more.delete(
          KeyFormat.expiry(meta.nextFieldExpiryMillis, databaseId, KeyFormat.userKey(expiryKey)));
    }
    GarbageRecord garbage =
        meta.isSpread()
            ? GarbageRecord.of(view::get, databaseId, KeyFormat.userKey(expiryKey), meta, nowMillis)
            : null;
    return new DueKey(expiryKey, metaKey, databaseId, database, false, garbage, more);
  }

  private static StoreBatch dueFields(
      StoreView view, byte[] expiryKey, byte[] metaKey, Meta meta, long nowMillis) {
    StoreBatch batch = new StoreBatch();
    int databaseId = KeyFormat.databaseId(expiryKey);
    byte[] key = KeyFormat.userKey(expiryKey);
    FieldExpiry.deleteDue(
        view::get, view::cursor, batch, meta, meta.keys(databaseId, key), nowMillis, FIELDS_MAX);
    if (meta.count() > 0) {
      batch.put(metaKey, MetaFormat.write(meta));
      long next = meta.nextFieldExpiryMillis;
      if (next != Meta.NO_EXPIRY && next != meta.expiryMillis()) {
        batch.put(KeyFormat.expiry(next, databaseId, key), new byte[0]);
      }
      return batch;
    }
    batch.delete(metaKey);
    batch.count(Counters.keys(databaseId), -1);
    if (meta.hasExpiry()) {
      batch.delete(KeyFormat.expiry(meta.expiryMillis(), databaseId, key));
      batch.count(Counters.expires(databaseId), -1);
    }
    return batch;
  }

  byte[] userKey() {
    return KeyFormat.userKey(expiryKey);
  }
}
