package dev.varve.codec;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.rank.RankFormat;
import dev.varve.codec.store.StoreCursor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What can be done with a key whatever it holds. Walks over all keys are in {@link KeyWalk}.
 *
 * <p>Pure functions of a transaction.
 */
public final class Keys {

  private Keys() {}

  /** Whether there is such a key, which is not used by being asked for. */
  public static boolean exists(Transaction transaction, int database, byte[] key) {
    return transaction.observe(database, key) != null;
  }

  /** Whether there is such a key, which is used now. */
  public static boolean touch(Transaction transaction, int database, byte[] key) {
    return transaction.touch(database, key);
  }

  /** The type of what {@code key} holds, or null; the key is not used by that. */
  public static @Nullable ValueType type(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.observe(database, key);
    return meta == null ? null : meta.type();
  }

  /** How many keys a database has, those included that expired and were not swept yet. */
  public static long size(Transaction transaction, int database) {
    return transaction.counter(CounterIds.keys(transaction.databaseId(database)));
  }

  /**
   * Deletes every key of every database, in time that does not depend on them; how many it were.
   */
  public static long flushAll(Transaction transaction) {
    long keys = 0;
    for (int database = 0; database < transaction.databases().count(); database++) {
      keys += transaction.flush(database);
    }
    return keys;
  }

  /** Deletes a key in time that does not depend on its size; false if there is none. */
  public static boolean delete(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findForWrite(database, key);
    if (meta == null) {
      return false;
    }
    transaction.remove(database, key, meta);
    transaction.event(EventClass.GENERIC, "del", database, key);
    return true;
  }

  /**
   * Sets when a key expires, or deletes it if that moment is not in the future.
   *
   * @return false if there is no such key, or the condition does not allow it
   */
  public static boolean expireAt(
      Transaction transaction,
      int database,
      byte[] key,
      long expiryMillis,
      ExpireCondition condition) {
    Meta meta = transaction.findForWrite(database, key);
    if (meta == null || !condition.allows(meta.expiryMillis(), expiryMillis)) {
      return false;
    }
    expireAt(transaction, database, key, meta, expiryMillis);
    return true;
  }

  /** The same with {@code key} if it holds {@code meta}, without a condition. */
  public static void expireAt(
      Transaction transaction, int database, byte[] key, Meta meta, long expiryMillis) {
    if (expiryMillis <= transaction.dueMillis()) {
      transaction.remove(database, key, meta);
      transaction.event(EventClass.GENERIC, "del", database, key);
      return;
    }
    meta.setExpiryMillis(expiryMillis);
    transaction.save(database, key, meta);
    transaction.event(EventClass.GENERIC, "expire", database, key);
  }

  /** Takes a key's expiry away; false if there is no such key or it has none. */
  public static boolean persist(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findForWrite(database, key);
    return meta != null && persist(transaction, database, key, meta);
  }

  /** The same with {@code key} if it holds {@code meta}. */
  public static boolean persist(Transaction transaction, int database, byte[] key, Meta meta) {
    if (!meta.hasExpiry()) {
      return false;
    }
    meta.setExpiryMillis(Meta.NO_EXPIRY);
    transaction.save(database, key, meta);
    transaction.event(EventClass.GENERIC, "persist", database, key);
    return true;
  }

  /**
   * Gives what {@code source} holds the name {@code target}, in time that depends neither on its
   * size nor on that of what {@code target} held.
   *
   * @param replace whether an existing target is overwritten
   * @return false if the target exists and is not overwritten
   * @throws DataException NO_SUCH_KEY when there is no source
   */
  public static boolean rename(
      Transaction transaction, int database, byte[] source, byte[] target, boolean replace) {
    Meta meta = transaction.findForWrite(database, source);
    if (meta == null) {
      throw DataException.NO_SUCH_KEY;
    }
    if (Arrays.equals(source, target)) {
      return replace;
    }
    Meta overwritten = transaction.findForWrite(database, target);
    if (overwritten != null && !replace) {
      return false;
    }
    transaction.unlink(transaction.databaseId(database), source, meta);
    if (meta.isSpread()) {
      meta.setHome(meta.home(source), target);
    }
    replace(transaction, database, target, overwritten, meta);
    transaction.event(EventClass.GENERIC, "rename_from", database, source);
    transaction.event(EventClass.GENERIC, "rename_to", database, target);
    return true;
  }

  /**
   * Copies what {@code source} holds with its expiry; the members of a spread collection are
   * written one by one.
   *
   * @param replace whether an existing target is overwritten
   * @return false if there is no source, or the target exists and is not overwritten
   */
  public static boolean copy(
      Transaction transaction,
      int sourceDatabase,
      byte[] source,
      int targetDatabase,
      byte[] target,
      boolean replace) {
    Meta meta = transaction.find(sourceDatabase, source);
    if (meta == null) {
      return false;
    }
    Meta overwritten = transaction.findForWrite(targetDatabase, target);
    if (overwritten != null && !replace) {
      return false;
    }
    Meta copy = copyMembers(transaction, sourceDatabase, source, meta, targetDatabase, target);
    replace(transaction, targetDatabase, target, overwritten, copy);
    transaction.event(EventClass.GENERIC, "copy_to", targetDatabase, target);
    return true;
  }

  /** What is there is deleted first: as in Redis, the key is a new one then. */
  private static void replace(
      Transaction transaction, int database, byte[] key, @Nullable Meta old, Meta meta) {
    if (old != null) {
      transaction.notice(EventClass.NEW, "new", database, key);
    }
    transaction.replace(database, key, old, meta);
  }

  /**
   * Moves a key with its expiry to another database; the members of a spread collection are written
   * anew, since they die with their database.
   *
   * @return false if there is no such key, or there is one in the other database
   */
  public static boolean move(
      Transaction transaction, int sourceDatabase, byte[] key, int targetDatabase) {
    Meta meta = transaction.findForWrite(sourceDatabase, key);
    if (meta == null || transaction.findForWrite(targetDatabase, key) != null) {
      return false;
    }
    Meta copy = copyMembers(transaction, sourceDatabase, key, meta, targetDatabase, key);
    transaction.save(targetDatabase, key, copy);
    transaction.remove(sourceDatabase, key, meta);
    transaction.event(EventClass.GENERIC, "move_from", sourceDatabase, key);
    transaction.event(EventClass.GENERIC, "move_to", targetDatabase, key);
    return true;
  }

  private static Meta copyMembers(
      Transaction transaction,
      int sourceDatabase,
      byte[] source,
      Meta meta,
      int targetDatabase,
      byte[] target) {
    Meta copy = MetaFormat.read(MetaFormat.write(meta));
    copy.storedExpiryMillis = Meta.NO_EXPIRY;
    if (!meta.isSpread()) {
      return copy;
    }
    copy.setHome(target, target);
    copy.version = transaction.newVersion();
    copy.ends = meta.ends == null ? null : meta.ends.unworn();
    CollectionKeys from = meta.keys(transaction.databaseId(sourceDatabase), source);
    CollectionKeys to = copy.keys(transaction.databaseId(targetDatabase), target);
    // What this transaction has counted in memory is in no row yet.
    transaction.buckets().countInRows();
    for (byte tag : CollectionKeys.tags(meta.type())) {
      byte[] start = start(meta, from, tag);
      byte[] end = end(meta, from, tag);
      try (StoreCursor cursor = transaction.cursor(end)) {
        boolean found = cursor.seek(start);
        while (found && Arrays.compareUnsigned(cursor.key(), end) < 0) {
          transaction.put(to.translate(from, cursor.key()), cursor.value());
          found = cursor.next();
        }
      }
    }
    return copy;
  }

  /** Where the entries of a collection begin: what was popped of it may lie before. */
  private static byte[] start(Meta meta, CollectionKeys keys, byte tag) {
    return switch (tag) {
      case KeyFormat.LIST -> meta.ends == null ? keys.prefix(tag) : keys.element(meta.head());
      case KeyFormat.INDEX -> keys.suffixed(tag, meta.edges().start(RankFormat.START));
      case KeyFormat.ENTRY -> keys.suffixed(tag, meta.stream().first.bytes());
      default -> keys.prefix(tag);
    };
  }

  /** Where they have ended: what was popped may lie behind. */
  private static byte[] end(Meta meta, CollectionKeys keys, byte tag) {
    return switch (tag) {
      case KeyFormat.LIST -> meta.ends == null ? keys.end(tag) : keys.element(meta.tail());
      case KeyFormat.INDEX -> meta.edges().end(keys, tag, null);
      case KeyFormat.ENTRY -> {
        StreamId behind = meta.stream().top.next();
        yield behind == null ? keys.end(tag) : keys.suffixed(tag, behind.bytes());
      }
      default -> keys.end(tag);
    };
  }
}
