package dev.varve.codec;

/**
 * A key as it was found, which is to be deleted later if it is still so.
 *
 * <p>What it was is for any thread; what became of it is the writer thread's.
 */
public final class GuardedKey {
  final int databaseId;
  final Meta meta;
  private final int database;
  private final byte[] key;
  private boolean isTouched;
  private boolean isDeleted;

  GuardedKey(int database, int databaseId, byte[] key, Meta meta) {
    this.database = database;
    this.databaseId = databaseId;
    this.key = key;
    this.meta = meta;
  }

  public byte[] key() {
    return key;
  }

  /** When it expires, in ms since 1970, or {@link Meta#NO_EXPIRY}. */
  public long expiryMillis() {
    return meta.expiryMillis();
  }

  void touch() {
    isTouched = true;
  }

  /**
   * Deletes it, reading nothing, if nobody has written it since it was found; that it has expired
   * by now is as good. Returns false, having done nothing, where somebody has.
   */
  public boolean delete(Transaction transaction) {
    if (isDeleted) {
      return true;
    }
    if (transaction.databaseId(database) != databaseId) {
      return false;
    }
    boolean isExpired = meta.isExpiredAt(transaction.dueMillis());
    if (isTouched) {
      return isExpired && transaction.peek(database, key) == null;
    }
    isDeleted = true;
    if (!isExpired) {
      transaction.remove(database, key, meta);
      transaction.effects().deleted(database, key);
      transaction.event(EventClass.GENERIC, "del", database, key);
    }
    return true;
  }
}
