package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A key that is due as {@link ExpirySweep} found it, and what its deletion takes. Immutable. */
final class DueKey {
  final byte[] expiryKey;
  final byte[] metaKey;
  final int databaseId;

  /** The number of its database, or negative if the database is dead. */
  final int database;

  /** What has come of an expiry key's moment; the expiry key goes in any case. */
  enum Kind {
    /** Its key has expired and goes too. */
    EXPIRED,
    /** Its key expires later, or the first of its fields: it gets another expiry key. */
    LATER,
    /** Fields of its key have expired. */
    FIELDS,
    /** Nothing: it is no longer true. */
    STALE
  }

  final Kind kind;

  /** What it leaves behind; null for nothing. */
  final @Nullable GarbageRecord garbage;

  /** What else is written; null for nothing. */
  final @Nullable StoreBatch more;

  /** Which fields of it have expired. */
  final List<byte[]> fields;

  private final boolean isLast;

  /** The moment of the expiry key that its key gets, or {@link Meta#NO_EXPIRY}. */
  final long nextMillis;

  private DueKey(
      byte[] expiryKey,
      byte[] metaKey,
      int database,
      Kind kind,
      @Nullable GarbageRecord garbage,
      @Nullable StoreBatch more,
      List<byte[]> fields,
      boolean isLast,
      long nextMillis) {
    this.expiryKey = expiryKey;
    this.metaKey = metaKey;
    this.databaseId = KeyFormat.databaseId(expiryKey);
    this.database = database;
    this.kind = kind;
    this.garbage = garbage;
    this.more = more;
    this.fields = fields;
    this.isLast = isLast;
    this.nextMillis = nextMillis;
  }

  private static DueKey ofOthers(
      byte[] expiryKey,
      byte[] metaKey,
      int database,
      Kind kind,
      @Nullable StoreBatch more,
      long nextMillis) {
    return new DueKey(expiryKey, metaKey, database, kind, null, more, List.of(), false, nextMillis);
  }

  /** What an entry takes besides its bytes, about. */
  private static final int ENTRY_BYTES = 64;

  /** How many fields of one hash are deleted at once. */
  static final int FIELDS_MAX = 10_000;

  /**
   * @param view where the meta was found, to find due fields in
   * @param place what is stored under {@code expiryKey}: where a sweep of its fields goes on
   * @param metaValue what is stored under {@code metaKey}, or null for nothing
   * @param nowMillis when it dies
   */
  static DueKey of(
      StoreView view,
      byte[] expiryKey,
      byte[] place,
      byte[] metaKey,
      int database,
      byte @Nullable [] metaValue,
      long nowMillis) {
    long moment = KeyFormat.expiryMillis(expiryKey);
    int databaseId = KeyFormat.databaseId(expiryKey);
    Meta meta = database < 0 || metaValue == null ? null : MetaFormat.read(metaValue);
    boolean isExpired = meta != null && meta.isExpiredAt(nowMillis);
    if (meta != null && !isExpired && meta.nextFieldExpiryMillis == moment) {
      List<byte[]> fields = new ArrayList<>();
      StoreBatch more = dueFields(view, expiryKey, place, metaKey, meta, nowMillis, fields);
      Kind kind = fields.isEmpty() ? Kind.LATER : Kind.FIELDS;
      boolean isLast = meta.count() == 0;
      return new DueKey(
          expiryKey,
          metaKey,
          database,
          kind,
          null,
          more,
          fields,
          isLast,
          meta.nextFieldExpiryMillis);
    }
    if (meta == null || meta.storedExpiryMillis != moment) {
      return ofOthers(expiryKey, metaKey, database, Kind.STALE, null, Meta.NO_EXPIRY);
    }
    if (!isExpired) {
      StoreBatch moved = moved(expiryKey, metaKey, meta);
      return ofOthers(expiryKey, metaKey, database, Kind.LATER, moved, meta.expiryMillis());
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
    return new DueKey(
        expiryKey,
        metaKey,
        database,
        Kind.EXPIRED,
        garbage,
        more,
        List.of(),
        false,
        Meta.NO_EXPIRY);
  }

  /** The key has its expiry key where it expires. */
  private static StoreBatch moved(byte[] expiryKey, byte[] metaKey, Meta meta) {
    StoreBatch batch = new StoreBatch();
    meta.storedExpiryMillis = meta.expiryMillis();
    batch.put(metaKey, MetaFormat.write(meta));
    byte[] key = KeyFormat.userKey(expiryKey);
    batch.put(
        KeyFormat.expiry(meta.expiryMillis(), KeyFormat.databaseId(expiryKey), key), new byte[0]);
    return batch;
  }

  private static StoreBatch dueFields(
      StoreView view,
      byte[] expiryKey,
      byte[] place,
      byte[] metaKey,
      Meta meta,
      long nowMillis,
      List<byte[]> fields) {
    StoreBatch batch = new StoreBatch();
    int databaseId = KeyFormat.databaseId(expiryKey);
    byte[] key = KeyFormat.userKey(expiryKey);
    byte[] left =
        FieldExpiry.deleteDue(
            view::get,
            view::cursor,
            batch,
            meta,
            meta.keys(databaseId, key),
            place,
            nowMillis,
            FIELDS_MAX,
            leftMillis(expiryKey, nowMillis),
            fields::add);
    if (meta.count() > 0) {
      batch.put(metaKey, MetaFormat.write(meta));
      long next = meta.nextFieldExpiryMillis;
      if (next != Meta.NO_EXPIRY && next != meta.expiryMillis()) {
        batch.put(KeyFormat.expiry(next, databaseId, key), left);
      }
      return batch;
    }
    batch.delete(metaKey);
    batch.count(CounterIds.keys(databaseId), -1);
    if (meta.hasExpiry()) {
      batch.delete(KeyFormat.expiry(meta.expiryMillis(), databaseId, key));
      batch.count(CounterIds.expires(databaseId), -1);
    }
    return batch;
  }

  /**
   * When fields are due that this sweep leaves: they have another expiry key than those it took.
   */
  private static long leftMillis(byte[] expiryKey, long nowMillis) {
    return KeyFormat.expiryMillis(expiryKey) < nowMillis ? nowMillis : nowMillis - 1;
  }

  /** Whether its last fields have expired, so that it goes with them. */
  boolean isGone() {
    return kind == Kind.FIELDS && isLast;
  }

  /** How much memory it takes what is written besides its deletion, about. */
  long writtenBytes() {
    if (more == null) {
      return 0;
    }
    Size size = new Size();
    more.accept(size);
    fields.forEach(field -> size.bytes += ENTRY_BYTES + field.length);
    return size.bytes;
  }

  private static final class Size implements StoreBatch.Visitor {
    private long bytes;

    @Override
    public void put(byte[] key, byte[] value) {
      bytes += ENTRY_BYTES + key.length + value.length;
    }

    @Override
    public void delete(byte[] key) {
      bytes += ENTRY_BYTES + key.length;
    }

    @Override
    public void count(long counterId, long delta) {}
  }

  byte[] userKey() {
    return KeyFormat.userKey(expiryKey);
  }
}
