package dev.varve.codec;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.store.StoreCursor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one stream, as one operation reads and edits them.
 *
 * <p>Edits take effect with {@link #save}. Belongs to the thread of its transaction.
 */
final class StreamTable {
  /*
   * Value of an entry: 1 byte of flags (1: it begins a node, see StreamState), then its fields and
   * values in turns as PackedMembers has them.
   */
  private static final int STARTS_NODE = 1;
  private static final int FLAG_BYTES = 1;

  /** What Redis's encoding takes for each field or value, and for each entry, at least. */
  private static final int ITEM_BYTES = 2;

  private static final int ENTRY_BYTES = 10;

  /** Is handed entries of a stream in order. */
  interface EntryVisitor {
    /** Fields and values in turns; returns whether to go on. */
    boolean entry(StreamId id, PackedMembers items);
  }

  final Transaction transaction;
  final int database;
  final byte[] key;
  final Meta meta;
  final StreamKeys keys;

  private StreamTable(Transaction transaction, int database, byte[] key, Meta meta) {
    this.transaction = transaction;
    this.database = database;
    this.key = key;
    this.meta = meta;
    CollectionKeys its = meta.keys(transaction.databaseId(database), key);
    this.keys = new StreamKeys(its);
  }

  static @Nullable StreamTable find(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.find(database, key, ValueType.STREAM);
    return meta == null ? null : new StreamTable(transaction, database, key, meta);
  }

  static @Nullable StreamTable findForWrite(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findForWrite(database, key, ValueType.STREAM);
    return meta == null ? null : new StreamTable(transaction, database, key, meta);
  }

  /** A new stream, for a key that holds nothing, not saved yet. */
  static StreamTable create(Transaction transaction, int database, byte[] key) {
    Meta meta = Meta.ofSpread(ValueType.STREAM, transaction.newVersion());
    return new StreamTable(transaction, database, key, meta);
  }

  StreamState state() {
    return meta.stream();
  }

  long length() {
    return meta.count();
  }

  /** Adds an entry behind all others; its id is above the last one. */
  void append(StreamId id, List<byte[]> items) {
    StreamState state = state();
    PackedLimits limits = transaction.packedLimits();
    PackedMembers packed = PackedMembers.empty(ValueType.STREAM);
    items.forEach(packed::append);
    boolean startsNode =
        length() == 0
            || state.nodeEntries >= limits.streamNodeEntriesMax()
            || state.nodeBytes + packed.itemBytes() >= limits.streamNodeBytesMax();
    if (startsNode) {
      state.nodeEntries = 0;
      state.nodeBytes = 0;
    }
    byte[] value = new byte[FLAG_BYTES + packed.encodedBytes()];
    value[0] = (byte) (startsNode ? STARTS_NODE : 0);
    packed.write(value, FLAG_BYTES);
    transaction.put(keys.entry(id), value);
    meta.add(1, value.length);
    state.nodeEntries++;
    state.nodeBytes += packed.itemBytes() + (long) ITEM_BYTES * items.size() + ENTRY_BYTES;
    if (length() == 1) {
      state.first = id;
    }
    state.last = id;
    state.added++;
  }

  boolean contains(StreamId id) {
    return transaction.get(keys.entry(id)) != null;
  }

  /** The fields and values of an entry, or null. */
  @Nullable PackedMembers get(StreamId id) {
    byte[] value = transaction.get(keys.entry(id));
    return value == null ? null : items(value);
  }

  private static PackedMembers items(byte[] value) {
    return PackedMembers.read(ValueType.STREAM, value, FLAG_BYTES);
  }

  /** Hands out the entries between two ids, both included, or backwards. */
  void walk(StreamId from, StreamId to, boolean reverse, EntryVisitor visitor) {
    // What is before the first one is nothing but tombstones.
    StreamId first = from.compareTo(state().first) < 0 ? state().first : from;
    if (length() == 0 || first.compareTo(to) > 0) {
      return;
    }
    try (StoreCursor cursor = transaction.cursor()) {
      boolean found =
          reverse ? cursor.seekBefore(keys.entryEnd(to)) : cursor.seek(keys.entry(first));
      while (found && keys.isEntry(cursor.key())) {
        StreamId id = StreamKeys.idOf(cursor.key());
        boolean isOut = reverse ? id.compareTo(first) < 0 : id.compareTo(to) > 0;
        if (isOut || !visitor.entry(id, items(cursor.value()))) {
          return;
        }
        found = reverse ? cursor.previous() : cursor.next();
      }
    }
  }

  /** The id of the first entry at or after {@code from}, or null. */
  @Nullable StreamId firstFrom(StreamId from) {
    StreamId[] found = new StreamId[1];
    walk(
        from,
        StreamId.MAX,
        false,
        (id, items) -> {
          found[0] = id;
          return false;
        });
    return found[0];
  }

  /** The id of the last entry, or null. */
  @Nullable StreamId lastEntry() {
    StreamId[] found = new StreamId[1];
    walk(
        StreamId.MIN,
        StreamId.MAX,
        true,
        (id, items) -> {
          found[0] = id;
          return false;
        });
    return found[0];
  }

  /** Removes an entry; false if it is not there. */
  boolean remove(StreamId id) {
    byte[] stored = keys.entry(id);
    byte[] value = transaction.get(stored);
    if (value == null) {
      return false;
    }
    transaction.delete(stored);
    meta.add(-1, -value.length);
    StreamId next = null;
    if (id.equals(state().first) || (value[0] & STARTS_NODE) != 0) {
      StreamId after = id.next();
      next = after == null ? null : firstFrom(after);
    }
    if ((value[0] & STARTS_NODE) != 0) {
      startNode(next);
    }
    if (id.equals(state().first)) {
      state().first = next == null ? StreamId.MIN : next;
    }
    return true;
  }

  /** Lets the entry after a removed beginning of a node begin it, if there is more of that node. */
  private void startNode(@Nullable StreamId next) {
    if (next == null) {
      // The last node is gone: the next entry begins another.
      state().nodeEntries = Long.MAX_VALUE;
      return;
    }
    byte[] stored = keys.entry(next);
    byte[] value = transaction.get(stored);
    if (value != null && (value[0] & STARTS_NODE) == 0) {
      byte[] changed = value.clone();
      changed[0] |= STARTS_NODE;
      transaction.put(stored, changed);
    }
  }

  /** Removes entries from the front; returns how many. */
  long trim(StreamTrim trim) {
    long limit = trim.limit(transaction.packedLimits());
    long removed = 0;
    try (StoreCursor cursor = transaction.cursor()) {
      boolean found = length() > 0 && cursor.seek(keys.entry(state().first));
      List<byte[]> node = new ArrayList<>();
      List<Integer> sizes = new ArrayList<>();
      while (found && keys.isEntry(cursor.key()) && trim.isWanted(length())) {
        node.clear();
        sizes.clear();
        do {
          node.add(cursor.key());
          sizes.add(cursor.value().length);
          found = cursor.next();
        } while (found && keys.isEntry(cursor.key()) && (cursor.value()[0] & STARTS_NODE) == 0);
        if (limit > 0 && removed + node.size() > limit) {
          break;
        }
        StreamId last = StreamKeys.idOf(node.get(node.size() - 1));
        boolean isWhole = trim.allowsWhole(length(), node.size(), last);
        if (!isWhole && trim.isApproximate()) {
          break;
        }
        int at = 0;
        while (at < node.size()
            && (isWhole || trim.allows(length(), StreamKeys.idOf(node.get(at))))) {
          transaction.delete(node.get(at));
          meta.add(-1, -sizes.get(at));
          removed++;
          at++;
        }
        StreamId next = null;
        if (at < node.size()) {
          next = StreamKeys.idOf(node.get(at));
        } else if (found && keys.isEntry(cursor.key())) {
          next = StreamKeys.idOf(cursor.key());
        }
        state().first = next == null ? StreamId.MIN : next;
        if (!isWhole) {
          if (at > 0) {
            startNode(next);
          }
          break;
        }
      }
    }
    return removed;
  }

  /** Makes the edits part of the transaction. */
  void save() {
    transaction.save(database, key, meta);
  }
}
