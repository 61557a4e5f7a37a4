package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.store.StoreCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Walks over the keys of a database, in key order, without those that have expired: SCAN, KEYS,
 * RANDOMKEY.
 *
 * <p>Pure functions of a transaction; they write nothing.
 */
public final class KeyWalk {
  private static final int RANDOM_TRIES_MAX = 100;

  private KeyWalk() {}

  /**
   * One step of a walk, which ends where it has found {@link ScanPage#BYTES_MAX}, too. A key that
   * is there during the whole walk is found once; one that comes or goes meanwhile may be found or
   * not.
   *
   * @param after the position that the step before returned, or null to start
   * @param countMax how many keys to look at
   * @param match what the keys must match, or null
   * @param type the type they must have, or null
   */
  public static ScanPage scan(
      Transaction transaction,
      int database,
      byte @Nullable [] after,
      int countMax,
      @Nullable Glob match,
      @Nullable ValueType type) {
    int databaseId = transaction.databaseId(database);
    byte[] prefix = KeyFormat.meta(databaseId, match == null ? new byte[0] : match.literalPrefix());
    List<byte[]> keys = new ArrayList<>();
    long foundBytes = 0;
    try (StoreCursor cursor = transaction.cursor(KeyFormat.successor(prefix))) {
      boolean found = cursor.seek(start(prefix, databaseId, after));
      for (int looked = 0; found && KeyFormat.startsWith(cursor.key(), prefix); looked++) {
        byte[] key = KeyFormat.userKey(cursor.key());
        if (isWanted(transaction, database, cursor, key, match, type)) {
          keys.add(key);
          foundBytes += ScanPage.ITEM_BYTES + key.length;
        }
        if (looked + 1 >= countMax || foundBytes >= ScanPage.BYTES_MAX) {
          return new ScanPage(keys, key);
        }
        found = cursor.next();
      }
    }
    return new ScanPage(keys, null);
  }

  /**
   * A whole walk at one moment, which keeps nothing of what it finds.
   *
   * @param visitor is handed each key that matches
   * @return how many those were
   */
  public static long all(
      Transaction transaction, int database, Glob match, Consumer<byte[]> visitor) {
    byte[] prefix = KeyFormat.meta(transaction.databaseId(database), match.literalPrefix());
    Glob filter = match.matchesAll() ? null : match;
    long keys = 0;
    try (StoreCursor cursor = transaction.cursor(KeyFormat.successor(prefix))) {
      boolean found = cursor.seek(prefix);
      while (found && KeyFormat.startsWith(cursor.key(), prefix)) {
        byte[] key = KeyFormat.userKey(cursor.key());
        if (isWanted(transaction, database, cursor, key, filter, null)) {
          visitor.accept(key);
          keys++;
        }
        found = cursor.next();
      }
    }
    return keys;
  }

  /** The first stored key with this prefix that can come after a position. */
  private static byte[] start(byte[] prefix, int databaseId, byte @Nullable [] after) {
    if (after == null) {
      return prefix;
    }
    byte[] last = KeyFormat.meta(databaseId, after);
    byte[] past = Arrays.copyOf(last, last.length + 1);
    return Arrays.compareUnsigned(past, prefix) > 0 ? past : prefix;
  }

  private static boolean isWanted(
      Transaction transaction,
      int database,
      StoreCursor cursor,
      byte[] key,
      @Nullable Glob match,
      @Nullable ValueType type) {
    if (match != null && !match.matches(key)) {
      return false;
    }
    byte[] start = start(cursor);
    return (type == null || type == MetaFormat.type(start))
        && isThere(transaction, database, cursor, key, start);
  }

  /**
   * Whether the key that the cursor is on has not expired, nor all fields of it.
   *
   * @param start of its value
   */
  private static boolean isThere(
      Transaction transaction, int database, StoreCursor cursor, byte[] key, byte[] start) {
    long dueMillis = transaction.dueMillis();
    return dueMillis < MetaFormat.expiryMillis(start)
        && (!MetaFormat.haveFieldsExpiry(start)
            || dueMillis < MetaFormat.nextFieldExpiryMillis(cursor.value())
            || transaction.peek(database, key) != null);
  }

  /** What a walk needs of a meta value, which may be all of a long string. */
  private static byte[] start(StoreCursor cursor) {
    return cursor.valueStart(MetaFormat.START_BYTES);
  }

  /**
   * A key chosen at random, or null if there is none. Every key can be chosen; their chances are
   * alike where the keys are spread evenly over their range.
   */
  public static byte @Nullable [] randomKey(Transaction transaction, int database) {
    byte[] prefix = KeyFormat.databasePrefix(KeyFormat.META, transaction.databaseId(database));
    try (StoreCursor cursor = transaction.cursor(KeyFormat.successor(prefix))) {
      for (int tries = 0; tries < RANDOM_TRIES_MAX; tries++) {
        byte[] stored = randomStored(transaction, cursor, prefix);
        if (stored == null) {
          return null;
        }
        cursor.seek(stored);
        byte[] key = KeyFormat.userKey(stored);
        if (isThere(transaction, database, cursor, key, start(cursor))) {
          return key;
        }
      }
    }
    // Nearly all keys have expired and wait for the sweep: take any that has not.
    ScanPage page = scan(transaction, database, null, 1, null, null);
    while (page.keys().isEmpty() && page.next() != null) {
      page = scan(transaction, database, page.next(), 1, null, null);
    }
    return page.keys().isEmpty() ? null : page.keys().get(0);
  }

  /**
   * Goes down the tree that the keys' common prefixes make: among the keys left, all alike up to
   * some byte, it draws that byte between the first key's and the last's, until one key is left.
   */
  private static byte @Nullable [] randomStored(
      Transaction transaction, StoreCursor cursor, byte[] prefix) {
    if (!cursor.seek(prefix) || !KeyFormat.startsWith(cursor.key(), prefix)) {
      return null;
    }
    byte[] first = cursor.key();
    cursor.seekBefore(KeyFormat.successor(prefix));
    byte[] last = cursor.key();
    while (true) {
      int common = Arrays.mismatch(first, last);
      if (common < 0) {
        return first;
      }
      int low = common == first.length ? -1 : first[common] & 0xFF;
      int high = last[common] & 0xFF;
      int drawn = transaction.random().nextInt(low, high + 1);
      if (drawn < 0) {
        return first;
      }
      byte[] branch = Arrays.copyOf(first, common + 1);
      branch[common] = (byte) drawn;
      cursor.seek(branch);
      if (!KeyFormat.startsWith(cursor.key(), branch)) {
        // No key has this byte there: those of the nearest byte below or above get its chance.
        if (transaction.random().nextBoolean()) {
          cursor.seekBefore(branch);
          if (cursor.key().length == common) {
            return cursor.key();
          }
        }
        branch[common] = cursor.key()[common];
        cursor.seek(branch);
      }
      first = cursor.key();
      if (branch[common] == last[common]) {
        continue;
      }
      cursor.seekBefore(KeyFormat.successor(branch));
      last = cursor.key();
    }
  }
}
