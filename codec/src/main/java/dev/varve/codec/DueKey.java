package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import org.jspecify.annotations.Nullable;

/** A key that is due as {@link ExpirySweep} found it, and what its deletion takes. Immutable. */
final class DueKey {
  final byte[] expiryKey;
  final byte[] metaKey;
  final int databaseId;

  /** The number of its database, or negative if the database is dead. */
  final int database;

  /** Whether the expiry key no longer says the truth and goes alone. */
  final boolean isStale;

  /** What it leaves behind; null for nothing. */
  final @Nullable GarbageRecord garbage;

  private DueKey(
      byte[] expiryKey,
      byte[] metaKey,
      int databaseId,
      int database,
      boolean isStale,
      @Nullable GarbageRecord garbage) {
    this.expiryKey = expiryKey;
    this.metaKey = metaKey;
    this.databaseId = databaseId;
    this.database = database;
    this.isStale = isStale;
    this.garbage = garbage;
  }

  /**
   * @param metaValue what is stored under {@code metaKey}, or null for nothing
   * @param nowMillis when it dies
   */
  static DueKey of(
      byte[] expiryKey, byte[] metaKey, int database, byte @Nullable [] metaValue, long nowMillis) {
    int databaseId = KeyFormat.databaseId(expiryKey);
    Meta meta = database < 0 || metaValue == null ? null : MetaFormat.read(metaValue);
    if (meta == null || meta.expiryMillis() != KeyFormat.expiryMillis(expiryKey)) {
      return new DueKey(expiryKey, metaKey, databaseId, database, true, null);
    }
    GarbageRecord garbage =
        meta.isSpread()
            ? GarbageRecord.of(databaseId, KeyFormat.userKey(expiryKey), meta, nowMillis)
            : null;
    return new DueKey(expiryKey, metaKey, databaseId, database, false, garbage);
  }

  byte[] userKey() {
    return KeyFormat.userKey(expiryKey);
  }
}
