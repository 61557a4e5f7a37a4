package dev.varve.codec.stream;

import dev.varve.codec.Meta;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.Remainder;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.format.StreamState;
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
public final class StreamTable {
  /*
   * Value of an entry: 1 byte of flags, then with the flag 2 an id, then its fields and values in
   * turns as PackedMembers has them. Flags:
   *   1  it begins a node, see StreamState
   *   2  entries of its node that came after it were deleted, the last of them with that id
   *
   * Redis only marks what it deletes, and trims a node by the last id in it, marked or not. So the
   * last entry that is left of a node remembers that id. It means nothing once another follows.
   */
  private static final int STARTS_NODE = 1;
  private static final int REACHES_ON = 2;
  private static final int FLAG_BYTES = 1;

  /** What says how an entry stands to its node; its fields come behind. */
  private static final int START_BYTES = FLAG_BYTES + StreamId.BYTES;

  /** What Redis's encoding takes for each field or value, and for each entry, at least. */
  private static final int ITEM_BYTES = 2;

  private static final int ENTRY_BYTES = 10;

  /** Is handed entries of a stream in order. */
  interface EntryVisitor {
    /** Fields and values in turns; returns whether to go on. */
    boolean entry(StreamId id, PackedMembers items);
  }

  /** Is handed all entries of a stream in order, as nodes have them. */
  @FunctionalInterface
  public interface NodeVisitor {
    /** An entry, whether it begins a node, and how far that reaches if it is its last one. */
    void entry(StreamId id, PackedMembers items, boolean startsNode, StreamId reach);
  }

  final Transaction transaction;
  final int database;
  final byte[] key;
  public final Meta meta;
  final StreamKeys keys;

  private StreamTable(Transaction transaction, int database, byte[] key, Meta meta) {
    this.transaction = transaction;
    this.database = database;
    this.key = key;
    this.meta = meta;
    CollectionKeys its = meta.keys(transaction.databaseId(database), key);
    this.keys = new StreamKeys(its);
  }

  public static @Nullable StreamTable find(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.find(database, key, ValueType.STREAM);
    return meta == null ? null : new StreamTable(transaction, database, key, meta);
  }

  public static @Nullable StreamTable findForWrite(
      Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findForWrite(database, key, ValueType.STREAM);
    return meta == null ? null : new StreamTable(transaction, database, key, meta);
  }

  /** A new stream, for a key that holds nothing, not saved yet. */
  public static StreamTable create(Transaction transaction, int database, byte[] key) {
    Meta meta = Meta.ofSpread(ValueType.STREAM, transaction.newVersion());
    return new StreamTable(transaction, database, key, meta);
  }

  public StreamState state() {
    return meta.stream();
  }

  public long length() {
    return meta.count();
  }

  /** Adds an entry behind all others; its id is above the last one. */
  void append(StreamId id, List<byte[]> items) {
    StreamState state = state();
    PackedLimits limits = transaction.packedLimits();
    PackedMembers packed = packed(items);
    boolean isFull =
        state.nodeEntries >= limits.streamNodeEntriesMax()
            || state.nodeBytes + packed.itemBytes() >= limits.streamNodeBytesMax();
    if (isFull) {
      state.nodeEntries = 0;
      state.nodeBytes = 0;
    }
    append(id, packed, isFull || length() == 0, null);
    state.added++;
  }

  /**
   * Adds an entry behind all others, in a node that is told.
   *
   * @param reach the last id that its node has had, should no entry of that node follow
   */
  public void restore(StreamId id, List<byte[]> items, boolean startsNode, StreamId reach) {
    if (startsNode) {
      state().nodeEntries = 0;
      state().nodeBytes = 0;
    }
    append(id, packed(items), startsNode, reach.equals(id) ? null : reach);
  }

  private static PackedMembers packed(List<byte[]> items) {
    PackedMembers packed = PackedMembers.empty(ValueType.STREAM);
    items.forEach(packed::append);
    return packed;
  }

  private void append(
      StreamId id, PackedMembers items, boolean startsNode, @Nullable StreamId reach) {
    byte[] value = value(startsNode, reach, items);
    transaction.put(keys.entry(id), value);
    meta.add(1, value.length);
    StreamState state = state();
    if (state.isFrontKnown() && !startsNode && state.frontEntries == length() - 1) {
      // All are of one node.
      state.frontEntries++;
      state.frontReach = id;
    } else if (state.isFrontKnown() && id.compareTo(state.frontReach) <= 0) {
      // XSETID has gone back: the reach does not tell any more what belongs to the first node.
      state.frontEntries = 0;
    }
    state.nodeEntries++;
    state.nodeBytes += items.itemBytes() + (long) ITEM_BYTES * items.size() + ENTRY_BYTES;
    if (length() == 1) {
      state.first = id;
    }
    state.last = id;
    state.top = id;
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
    int at = (value[0] & REACHES_ON) == 0 ? FLAG_BYTES : START_BYTES;
    return PackedMembers.read(ValueType.STREAM, value, at);
  }

  private static byte[] value(boolean startsNode, @Nullable StreamId reach, PackedMembers items) {
    int at = reach == null ? FLAG_BYTES : START_BYTES;
    byte[] value = new byte[at + items.encodedBytes()];
    value[0] = (byte) ((startsNode ? STARTS_NODE : 0) | (reach == null ? 0 : REACHES_ON));
    if (reach != null) {
      reach.write(value, FLAG_BYTES);
    }
    items.write(value, at);
    return value;
  }

  private static boolean startsNode(byte[] value) {
    return (value[0] & STARTS_NODE) != 0;
  }

  /** The last id that its node has had, if this is the last entry that is left of it. */
  private static StreamId reach(byte[] stored, byte[] value) {
    return (value[0] & REACHES_ON) == 0
        ? StreamKeys.idOf(stored)
        : StreamId.read(value, FLAG_BYTES);
  }

  /** Hands out the entries between two ids, both included, or backwards. */
  void walk(StreamId from, StreamId to, boolean reverse, EntryVisitor visitor) {
    // What is before the first one, or behind the top, is nothing but tombstones.
    StreamId first = StreamId.max(from, state().first);
    StreamId last = StreamId.min(to, state().top);
    if (length() == 0 || first.compareTo(last) > 0) {
      return;
    }
    byte[] start = keys.entry(first);
    byte[] end = keys.entryEnd(last);
    try (StoreCursor cursor = transaction.cursor(start, end)) {
      boolean found = reverse ? cursor.seekBefore(end) : cursor.seek(start);
      while (found && keys.isEntry(cursor.key())) {
        StreamId id = StreamKeys.idOf(cursor.key());
        boolean isOut = reverse ? id.compareTo(first) < 0 : id.compareTo(last) > 0;
        if (isOut || !visitor.entry(id, items(cursor.value()))) {
          return;
        }
        found = reverse ? cursor.previous() : cursor.next();
      }
    }
  }

  /** Over all entries that are there. */
  private StoreCursor cursor() {
    return transaction.cursor(keys.entry(state().first), keys.entryEnd(state().top));
  }

  /** How many nodes {@link #walkNodes} comes to. */
  public long countNodes(long bytesMax) {
    NodeStarts starts = new NodeStarts(bytesMax);
    long nodes = 0;
    try (StoreCursor cursor = cursor()) {
      boolean found = length() > 0 && cursor.seek(keys.entry(state().first));
      while (found && keys.isEntry(cursor.key())) {
        nodes += starts.at(cursor.valueStart(FLAG_BYTES), cursor.valueLength()) ? 1 : 0;
        found = cursor.next();
      }
    }
    return nodes;
  }

  /**
   * Hands out all entries as nodes have them.
   *
   * @param bytesMax a node that has more bytes than that goes on as another one
   */
  public void walkNodes(long bytesMax, NodeVisitor visitor) {
    NodeStarts starts = new NodeStarts(bytesMax);
    try (StoreCursor cursor = cursor()) {
      boolean found = length() > 0 && cursor.seek(keys.entry(state().first));
      while (found && keys.isEntry(cursor.key())) {
        byte[] stored = cursor.key();
        byte[] value = cursor.value();
        visitor.entry(
            StreamKeys.idOf(stored),
            items(value),
            starts.at(value, value.length),
            reach(stored, value));
        found = cursor.next();
      }
    }
  }

  /** Where nodes begin, for who goes over all entries. */
  private static final class NodeStarts {
    private final long bytesMax;

    /** Of the node so far; before the first entry there is none that could go on. */
    private long bytes = Long.MAX_VALUE;

    NodeStarts(long bytesMax) {
      this.bytesMax = bytesMax;
    }

    /** Whether the next entry begins one. */
    boolean at(byte[] value, long length) {
      boolean isStart = startsNode(value) || bytes > bytesMax;
      bytes = (isStart ? 0 : bytes) + length;
      return isStart;
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
    try (StoreCursor cursor = cursor()) {
      boolean hasNext =
          id.compareTo(state().top) < 0 && isEntry(cursor, cursor.seek(keys.entryEnd(id)));
      StreamId next = hasNext ? StreamKeys.idOf(cursor.key()) : null;
      if (startsNode(value)) {
        startNode(next);
      } else if ((!hasNext || startsNode(cursor.value())) && cursor.seekBefore(stored)) {
        extendNode(cursor.key(), cursor.value(), reach(stored, value));
      }
      if (id.equals(state().first)) {
        state().first = next == null ? StreamId.MIN : next;
      }
      if (next == null) {
        boolean isAny = length() > 1 && isEntry(cursor, cursor.seekBefore(stored));
        state().top = isAny ? StreamKeys.idOf(cursor.key()) : StreamId.MIN;
      }
      if (state().isFrontKnown() && id.compareTo(state().frontReach) <= 0) {
        state().frontEntries--;
      }
    }
    transaction.delete(stored);
    meta.add(-1, -value.length);
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
    if (value != null && !startsNode(value)) {
      byte[] changed = value.clone();
      changed[0] |= STARTS_NODE;
      transaction.put(stored, changed);
    }
  }

  /** Lets the entry before a removed end of a node remember how far that node has reached. */
  private void extendNode(byte[] stored, byte[] value, StreamId reach) {
    byte[] changed = value(startsNode(value), reach, items(value));
    transaction.put(stored, changed);
    meta.add(0, changed.length - value.length);
  }

  /** Removes entries from the front; returns how many. */
  long trim(StreamTrim trim) {
    long limit = trim.limit(transaction.packedLimits());
    if (length() == 0 || !trim.isWanted(length()) || (trim.isApproximate() && stays(trim, limit))) {
      return 0;
    }
    try (StoreCursor cursor = cursor()) {
      boolean isAny = isEntry(cursor, cursor.seek(keys.entry(state().first)));
      if (!isAny) {
        return 0;
      }
      return trim.isApproximate() ? trimNodes(cursor, trim, limit) : trimEntries(cursor, trim);
    }
  }

  /** Whether what a trim leaves is to be written anew: {@link #last}. */
  boolean isLessToKeep(StreamTrim trim) {
    boolean isCounted = trim.lengthMax() >= 0 && !trim.isApproximate();
    return isCounted
        && state().others == 0
        && Remainder.isWrittenAnew(trim.lengthMax(), length() - trim.lengthMax());
  }

  /**
   * The same stream with no more than its last {@code kept} entries, and without groups, under a
   * version of its own: it is to take the place of this one, of which nothing else is looked at.
   */
  StreamTable last(long kept) {
    StreamTable rest = create(transaction, database, key);
    rest.meta.setExpiryMillis(meta.expiryMillis());
    StreamState left = rest.state();
    left.last = state().last;
    left.maxDeleted = state().maxDeleted;
    left.added = state().added;
    left.nodeEntries = state().nodeEntries;
    left.nodeBytes = state().nodeBytes;
    try (StoreCursor cursor = cursor()) {
      boolean found = kept > 0 && isEntry(cursor, cursor.seekBefore(keys.entryEnd(state().top)));
      left.top = found ? state().top : StreamId.MIN;
      while (found) {
        left.first = StreamKeys.idOf(cursor.key());
        transaction.put(rest.keys.entry(left.first), cursor.value());
        rest.meta.add(1, cursor.valueLength());
        found = rest.length() < kept && isEntry(cursor, cursor.previous());
      }
    }
    rest.startNode(rest.length() == 0 ? null : left.first);
    return rest;
  }

  private boolean isEntry(StoreCursor cursor, boolean found) {
    return found && keys.isEntry(cursor.key());
  }

  /** Whether it is known, without reading it, that the first node stays. */
  private boolean stays(StreamTrim trim, long limit) {
    StreamState state = state();
    return state.isFrontKnown() && !mayGo(trim, limit, 0, state.frontEntries, state.frontReach);
  }

  private boolean mayGo(StreamTrim trim, long limit, long removed, long entries, StreamId reach) {
    return (limit == 0 || removed + entries <= limit) && trim.allowsWhole(length(), entries, reach);
  }

  /** Removes whole nodes, from the first entry on, which the cursor is on. */
  private long trimNodes(StoreCursor cursor, StreamTrim trim, long limit) {
    StreamState state = state();
    long removed = 0;
    boolean isAny = true;
    List<byte[]> node = new ArrayList<>();
    while (isAny && trim.isWanted(length())) {
      node.clear();
      long bytes = 0;
      StreamId reach;
      do {
        byte[] stored = cursor.key();
        node.add(stored);
        bytes += cursor.valueLength();
        reach = reach(stored, cursor.valueStart(START_BYTES));
        isAny = isEntry(cursor, cursor.next());
      } while (isAny && !startsNode(cursor.valueStart(FLAG_BYTES)));
      if (!mayGo(trim, limit, removed, node.size(), reach)) {
        boolean isApart = !isAny || StreamKeys.idOf(cursor.key()).compareTo(reach) > 0;
        state.frontEntries = isApart ? node.size() : 0;
        state.frontReach = reach;
        return removed;
      }
      node.forEach(transaction::delete);
      meta.add(-node.size(), -bytes);
      removed += node.size();
      beginAt(isAny ? StreamKeys.idOf(cursor.key()) : null, true);
    }
    return removed;
  }

  /** Removes entries, from the first one on, which the cursor is on. */
  private long trimEntries(StoreCursor cursor, StreamTrim trim) {
    long removed = 0;
    boolean isAny = true;
    StreamId reach = StreamId.MIN;
    while (isAny && trim.allows(length(), StreamKeys.idOf(cursor.key()))) {
      byte[] stored = cursor.key();
      reach = reach(stored, cursor.valueStart(START_BYTES));
      meta.add(-1, -cursor.valueLength());
      isAny = isEntry(cursor, cursor.next());
      transaction.delete(stored);
      removed++;
    }
    if (removed > 0) {
      // A node that is left without entries, but not as a whole, takes the next one.
      StreamId next = isAny ? StreamKeys.idOf(cursor.key()) : null;
      beginAt(next, next != null || trim.allowsWhole(0, 0, reach));
    }
    return removed;
  }

  /** The entries before {@code next}, or all, are gone. */
  private void beginAt(@Nullable StreamId next, boolean startsNode) {
    state().first = next == null ? StreamId.MIN : next;
    if (next == null) {
      state().top = StreamId.MIN;
    }
    state().frontEntries = 0;
    if (startsNode) {
      startNode(next);
    }
  }

  /** Makes the edits part of the transaction. */
  public void save() {
    transaction.save(database, key, meta);
  }
}
