package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the keys that are due, from the front of the expiry keyspace, and deletes them.
 *
 * <p>Pure functions: a worker looks for due keys in a view, the writer deletes them in a
 * transaction, which looks again.
 */
public final class ExpirySweep {

  /** From where {@link #due} starts if nothing is known of earlier sweeps. */
  public static final long FROM_START = Long.MIN_VALUE;

  private ExpirySweep() {}

  /**
   * The expiry keys with a moment from {@code fromMillis} to {@code nowMillis}, at most {@code
   * max}, earliest first.
   *
   * @param fromMillis a moment before which all were swept, so that their tombstones are not walked
   *     again; {@link #FROM_START} after the clock went back
   */
  public static List<byte[]> due(StoreView view, long fromMillis, long nowMillis, int max) {
    return dueFrom(view, KeyFormat.expiry(fromMillis, 0, new byte[0]), nowMillis, max);
  }

  /**
   * The same after an expiry key: the next ones of a sweep that goes on, which need not walk over
   * what it has just deleted.
   */
  public static List<byte[]> dueAfter(StoreView view, byte[] expiryKey, long nowMillis, int max) {
    return dueFrom(view, Arrays.copyOf(expiryKey, expiryKey.length + 1), nowMillis, max);
  }

  private static List<byte[]> dueFrom(StoreView view, byte[] from, long nowMillis, int max) {
    List<byte[]> due = new ArrayList<>();
    try (StoreCursor cursor = view.cursor()) {
      boolean found = cursor.seek(from);
      while (found && due.size() < max && isExpiryKey(cursor.key())) {
        if (KeyFormat.expiryMillis(cursor.key()) > nowMillis) {
          break;
        }
        due.add(cursor.key());
        found = cursor.next();
      }
    }
    return due;
  }

  /** When the next key is due, from {@code fromMillis} on, or {@link Meta#NO_EXPIRY}. */
  public static long nextDeadlineMillis(StoreView view, long fromMillis) {
    try (StoreCursor cursor = view.cursor()) {
      boolean found = cursor.seek(KeyFormat.expiry(fromMillis, 0, new byte[0]));
      return found && isExpiryKey(cursor.key())
          ? KeyFormat.expiryMillis(cursor.key())
          : Meta.NO_EXPIRY;
    }
  }

  private static boolean isExpiryKey(byte[] stored) {
    return stored[0] == KeyFormat.EXPIRY;
  }

  /**
   * Deletes the key that a due expiry key names, if it still expires at that moment and that moment
   * has come; an expiry key that no longer says the truth is dropped by itself.
   *
   * @return whether a key was deleted
   */
  public static boolean sweep(Transaction transaction, byte[] expiryKey) {
    long expiryMillis = KeyFormat.expiryMillis(expiryKey);
    int databaseId = KeyFormat.databaseId(expiryKey);
    byte[] key = KeyFormat.userKey(expiryKey);
    int database = transaction.databases().number(databaseId);
    Meta meta = database < 0 ? null : transaction.findStored(databaseId, key);
    if (meta == null || meta.expiryMillis() != expiryMillis) {
      // Only then it may be gone already: a meta that says this moment has its expiry key.
      if (transaction.get(expiryKey) != null) {
        transaction.delete(expiryKey);
      }
      return false;
    }
    if (!meta.isExpiredAt(transaction.nowMillis())) {
      return false;
    }
    transaction.expire(database, databaseId, key, meta);
    return true;
  }
}
