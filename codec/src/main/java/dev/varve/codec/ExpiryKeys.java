package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreBatch;

/**
 * Keeps the expiry keys of what one transaction saves and deletes in step with the moments in its
 * metas.
 *
 * <p>A key and the first of its fields have one expiry key, or two where the moments differ.
 */
final class ExpiryKeys {
  /*
   * Who lets a key expire later leaves its expiry key where it is, and its meta says where that is. A
   * session that is extended with every request would else write three entries each time, two of
   * them to places far apart. When the earlier moment has come the sweep comes across the expiry key and
   * moves it (DueKey): once in the time that the key had left, however often it was extended meanwhile.
   *
   * A moment that has come is none to be left at, since the sweep may have been there. Nor are there such
   * keys among hashes with fields that expire, which have two expiry keys as it is.
   */
  private final StoreBatch batch;
  private final long nowMillis;
  private long earliestMillis = Meta.NO_EXPIRY;

  ExpiryKeys(StoreBatch batch, long nowMillis) {
    this.batch = batch;
    this.nowMillis = nowMillis;
  }

  /** The earliest moment that an expiry key was written for, or {@link Meta#NO_EXPIRY}. */
  long earliestMillis() {
    return earliestMillis;
  }

  /** Whether the expiry keys are elsewhere than at the moments of {@code meta}, which is saved. */
  static boolean areToMove(Meta meta) {
    return meta.expiryMillis != meta.storedExpiryMillis
        || meta.nextFieldExpiryMillis != meta.storedFieldExpiryMillis;
  }

  /** Whether there are expiry keys of the key that holds {@code meta}. */
  static boolean areStored(Meta meta) {
    return meta.storedExpiryMillis != Meta.NO_EXPIRY
        || meta.storedFieldExpiryMillis != Meta.NO_EXPIRY;
  }

  /**
   * The key that holds {@code meta} is about to be saved: its expiry keys are where the meta says
   * then.
   */
  void saved(int databaseId, byte[] key, Meta meta) {
    if (staysEarlier(meta)) {
      return;
    }
    move(databaseId, key, meta, meta.expiryMillis, meta.nextFieldExpiryMillis);
  }

  private boolean staysEarlier(Meta meta) {
    return meta.storedExpiryMillis < meta.expiryMillis
        && meta.storedExpiryMillis > nowMillis
        && meta.hasExpiry()
        && meta.nextFieldExpiryMillis == Meta.NO_EXPIRY
        && meta.storedFieldExpiryMillis == Meta.NO_EXPIRY;
  }

  /** The key that held {@code meta} is deleted: it has no expiry keys. */
  void deleted(int databaseId, byte[] key, Meta meta) {
    move(databaseId, key, meta, Meta.NO_EXPIRY, Meta.NO_EXPIRY);
  }

  private void move(
      int databaseId, byte[] key, Meta meta, long expiryMillis, long fieldExpiryMillis) {
    long stored = meta.storedExpiryMillis;
    long storedField = meta.storedFieldExpiryMillis;
    if (stored != Meta.NO_EXPIRY && stored != expiryMillis && stored != fieldExpiryMillis) {
      batch.delete(KeyFormat.expiry(stored, databaseId, key));
    }
    if (storedField != Meta.NO_EXPIRY
        && storedField != stored
        && storedField != expiryMillis
        && storedField != fieldExpiryMillis) {
      batch.delete(KeyFormat.expiry(storedField, databaseId, key));
    }
    put(databaseId, key, meta, expiryMillis);
    if (fieldExpiryMillis != expiryMillis) {
      put(databaseId, key, meta, fieldExpiryMillis);
    }
    int counted = (expiryMillis == Meta.NO_EXPIRY ? 0 : 1) - (stored == Meta.NO_EXPIRY ? 0 : 1);
    if (counted != 0) {
      batch.count(CounterIds.expires(databaseId), counted);
    }
    meta.storedExpiryMillis = expiryMillis;
    meta.storedFieldExpiryMillis = fieldExpiryMillis;
  }

  private void put(int databaseId, byte[] key, Meta meta, long moment) {
    if (moment != Meta.NO_EXPIRY
        && moment != meta.storedExpiryMillis
        && moment != meta.storedFieldExpiryMillis) {
      earliestMillis = Math.min(earliestMillis, moment);
      batch.insert(KeyFormat.expiry(moment, databaseId, key));
    }
  }
}
