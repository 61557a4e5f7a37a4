package dev.varve.codec;

import dev.varve.codec.format.CollectionKeys;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the fields of hashes that a transaction finds due, with all that belongs to it: the meta,
 * the key if no field is left, the events.
 *
 * <p>Belongs to the thread of its transaction.
 */
final class DueFields {
  /** A hash of more fields, all of which are due, is declared dead as a whole. */
  private static final int FIELDS_DELETED_MAX = 16;

  private final Transaction transaction;
  private final TransactionEntries entries;
  private final StoredKeys stored;
  private final DueFieldsLimit limit;
  private final Effects effects;
  private final long dueMillis;

  DueFields(
      Transaction transaction,
      TransactionEntries entries,
      StoredKeys stored,
      DueFieldsLimit limit) {
    this.transaction = transaction;
    this.entries = entries;
    this.stored = stored;
    this.limit = limit;
    this.effects = transaction.effects();
    this.dueMillis = transaction.dueMillis();
  }

  /**
   * Deletes the fields that have expired, and the hash if it has no others. Returns what is left:
   * all of it, if its first field was let expire later than the meta said.
   *
   * @throws DueFieldsSignal where more are due than the limit has
   */
  @Nullable Meta delete(int database, byte[] key, Meta meta) {
    int databaseId = transaction.databaseId(database);
    CollectionKeys keys = meta.keys(databaseId, key);
    long expiring = meta.fieldExpiries;
    boolean isBuried =
        meta.count() > FIELDS_DELETED_MAX && FieldExpiry.areAllDue(entries, meta, keys, dueMillis);
    if (isBuried) {
      stored.bury(databaseId, key, meta);
    } else {
      // A database that this run has swapped is another one for who deletes them.
      if (meta.fieldExpiries > limit.fieldsMax()
          && !transaction.isTouched(database)
          && FieldExpiry.areMoreDue(entries, keys, limit.place(), dueMillis, limit.fieldsMax())
          && limit.mayEnd().getAsBoolean()) {
        throw new DueFieldsSignal(database, key);
      }
      deleteSome(database, key, meta, keys, Long.MAX_VALUE);
    }
    if (isBuried || meta.fieldExpiries < expiring) {
      transaction.event(EventClass.HASH, "hexpired", database, key);
    }
    if (isBuried) {
      effects.deleted(database, key);
    }
    if (isBuried || meta.count() == 0) {
      stored.unlink(databaseId, key, meta);
      transaction.event(EventClass.GENERIC, "del", database, key);
      return null;
    }
    stored.save(databaseId, key, meta);
    return meta;
  }

  /** As {@link Transaction#deleteDueFields} says. */
  byte[] deleteSome(int database, byte[] key, int fieldsMax) {
    int databaseId = transaction.databaseId(database);
    Meta meta = stored.find(databaseId, key);
    if (meta == null || meta.isExpiredAt(dueMillis) || !meta.hasFieldsDueAt(dueMillis)) {
      return limit.place();
    }
    CollectionKeys keys = meta.keys(databaseId, key);
    if (!FieldExpiry.areMoreDue(entries, keys, limit.place(), dueMillis, fieldsMax)) {
      return limit.place();
    }
    // The others are due from the same moment on: a sweep may be beyond that of the first of them.
    byte[] place = deleteSome(database, key, meta, keys, fieldsMax);
    transaction.event(EventClass.HASH, "hexpired", database, key);
    stored.save(databaseId, key, meta);
    return place;
  }

  private byte[] deleteSome(
      int database, byte[] key, Meta meta, CollectionKeys keys, long fieldsMax) {
    List<byte[]> deleted = new ArrayList<>();
    byte[] place =
        FieldExpiry.deleteDue(
            entries::get,
            entries::cursor,
            entries.batch(),
            meta,
            keys,
            limit.place(),
            dueMillis,
            fieldsMax,
            meta.nextFieldExpiryMillis,
            effects.areWanted() ? deleted::add : field -> {});
    effects.fieldsDeleted(database, key, deleted);
    return place;
  }
}
