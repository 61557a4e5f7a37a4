package dev.varve.codec.check;

import dev.varve.codec.GarbageRecord;
import dev.varve.codec.Meta;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One key whose value is spread over entries of its own, as its check sees it. */
final class CheckedKey {
  /** Is handed the entries of a keyspace in order. */
  @FunctionalInterface
  interface EntryVisitor {
    void entry(byte[] stored, byte[] value);
  }

  final Meta meta;
  final CollectionKeys keys;

  /** What its garbage record says, or null if it has none. */
  final @Nullable GarbageRecord garbage;

  private final StoreView view;
  private final int databaseId;
  private final byte[] key;
  private final Consumer<String> found;
  private long entriesWalked;

  /**
   * @param databaseId where it is
   * @param key its name
   */
  CheckedKey(
      StoreView view,
      int databaseId,
      byte[] key,
      Meta meta,
      @Nullable GarbageRecord garbage,
      Consumer<String> found) {
    this.view = view;
    this.databaseId = databaseId;
    this.key = key;
    this.meta = meta;
    this.keys = meta.keys(databaseId, key);
    this.garbage = garbage;
    this.found = found;
  }

  /** Goes over all entries that it has in a keyspace. */
  void walk(byte tag, EntryVisitor visitor) {
    try (StoreCursor cursor = view.cursor(keys.end(tag))) {
      boolean isAny = cursor.seek(keys.prefix(tag));
      for (; isAny && keys.owns(tag, cursor.key()); isAny = cursor.next()) {
        entriesWalked++;
        visitor.entry(cursor.key(), cursor.value());
      }
    }
  }

  /** How many entries all walks have gone over. */
  long entriesWalked() {
    return entriesWalked;
  }

  byte @Nullable [] get(byte[] stored) {
    return view.get(stored);
  }

  /** What is stored under its expiry key of a moment, or null if it has none there. */
  byte @Nullable [] getExpiry(long moment) {
    return view.get(KeyFormat.expiry(moment, databaseId, key));
  }

  void wrong(String what) {
    found.accept(what);
  }

  void require(boolean holds, Supplier<String> wrong) {
    if (!holds) {
      wrong(wrong.get());
    }
  }

  /** What the meta value says of a number, and what was counted. */
  void requireCounted(String what, long said, long counted) {
    if (said != counted) {
      wrong(said + " " + what + " are said, " + counted + " are there");
    }
  }
}
