package dev.varve.codec.list;

import dev.varve.codec.EventClass;
import dev.varve.codec.GarbageRecord;
import dev.varve.codec.ListEnds;
import dev.varve.codec.Meta;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.member.MemberCursor;
import dev.varve.codec.member.PackedCursor;
import org.jspecify.annotations.Nullable;

/**
 * The elements of one list, packed or spread, as one operation reads and edits them. An index is
 * counted from the head, from 0 on, and is below the size.
 *
 * <p>Edits take effect with {@link #save}. Belongs to the thread of its transaction.
 */
public final class ListTable {
  /*
   * The elements of a spread list have ascending positions, from the meta's head up to and without
   * its tail, with few gaps between them, anywhere on the line of 64-bit numbers: pushes extend it at
   * either end, and no one lives to see its ends.
   */

  /** So many popped elements at an end, or a few more, no garbage record names. */
  private static final int SLACK_MAX = 64;

  /** Where an emptied list has had no more than this, its entries go without a garbage record. */
  private static final int SWEPT_MAX = 8;

  /** Below the size of a block, so that none is left out. */
  private static final int READ_AHEAD_STEP_BYTES = 12 << 10;

  private static final int READ_AHEAD_STEPS = 8;

  private final Transaction transaction;
  private final int database;
  private final byte[] key;
  private Meta meta;
  private @Nullable CollectionKeys keys;
  private boolean isMetaChanged;
  private @Nullable Meta replaced;

  private ListTable(Transaction transaction, int database, byte[] key, Meta meta) {
    this.transaction = transaction;
    this.database = database;
    this.key = key;
    this.meta = meta;
  }

  /** What {@code key} holds, for reading, or null. */
  static @Nullable ListTable find(Transaction transaction, int database, byte[] key) {
    return of(transaction, database, key, transaction.find(database, key, ValueType.LIST));
  }

  /** The same for who is done with it before the transaction reads on. */
  static @Nullable ListTable findBriefly(Transaction transaction, int database, byte[] key) {
    return of(transaction, database, key, transaction.findBriefly(database, key, ValueType.LIST));
  }

  /** What {@code key} holds, for editing, or null. */
  static @Nullable ListTable findForWrite(Transaction transaction, int database, byte[] key) {
    return of(transaction, database, key, transaction.findForWrite(database, key, ValueType.LIST));
  }

  /** The same for who has saved it before the transaction reads anything but elements of it. */
  static @Nullable ListTable findBrieflyForWrite(
      Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findBrieflyForWrite(database, key, ValueType.LIST);
    return of(transaction, database, key, meta);
  }

  private static @Nullable ListTable of(
      Transaction transaction, int database, byte[] key, @Nullable Meta meta) {
    return meta == null ? null : new ListTable(transaction, database, key, meta);
  }

  /** What {@code key} holds, for editing; a new list if it holds nothing. */
  public static ListTable findOrCreate(Transaction transaction, int database, byte[] key) {
    ListTable found = findForWrite(transaction, database, key);
    return found == null ? create(transaction, database, key) : found;
  }

  /** The same for who has saved it before the transaction reads anything but elements of it. */
  static ListTable findOrCreateBriefly(Transaction transaction, int database, byte[] key) {
    ListTable found = findBrieflyForWrite(transaction, database, key);
    return found == null ? create(transaction, database, key) : found;
  }

  private static ListTable create(Transaction transaction, int database, byte[] key) {
    return new ListTable(transaction, database, key, Meta.ofPacked(ValueType.LIST));
  }

  /** A new list, for editing, that takes the place of what {@code key} holds when it is saved. */
  static ListTable inPlaceOf(
      Transaction transaction, int database, byte[] key, @Nullable Meta old) {
    ListTable table = create(transaction, database, key);
    table.replaced = old;
    return table;
  }

  Transaction transaction() {
    return transaction;
  }

  public Meta meta() {
    return meta;
  }

  long size() {
    return meta.count();
  }

  CollectionKeys keys() {
    if (keys == null) {
      keys = meta.keys(transaction.databaseId(database), key);
    }
    return keys;
  }

  Slice get(long index) {
    if (!meta.isSpread()) {
      return meta.packed().item(meta.packed().place((int) index), 0);
    }
    return Slice.of(element(meta.ends().position(index)));
  }

  private byte[] element(long position) {
    return element(keys().element(position), position);
  }

  private byte[] element(byte[] stored, long position) {
    byte[] element = transaction.get(stored);
    if (element == null) {
      throw SpreadListCursor.missing(position);
    }
    return element;
  }

  /** A walk over {@code count} elements from {@code index} on. */
  MemberCursor range(long index, long count) {
    if (!meta.isSpread()) {
      PackedMembers packed = meta.packed();
      return new PackedCursor(ValueType.LIST, packed, packed.place((int) index), (int) count);
    }
    return walk(meta.ends().position(index), count, true);
  }

  /** A walk over {@code count} elements of a spread list from the one at a position on. */
  SpreadListCursor walk(long position, long count, boolean isForward) {
    return new SpreadListCursor(
        transaction, keys(), meta.ends().gaps(), position, count, isForward);
  }

  /** A walk over all elements from one end on. */
  MemberCursor walk(ListEnd from) {
    if (from == ListEnd.HEAD) {
      return range(0, size());
    }
    return meta.isSpread()
        ? walk(meta.tail() - 1, size(), false)
        : new ReversedPackedCursor(meta.packed());
  }

  public void push(ListEnd end, byte[] element) {
    isMetaChanged = true;
    if (!meta.isSpread()) {
      PackedMembers packed = meta.packed();
      if (isPackable(packed.size() + 1, packed.itemBytes() + (long) element.length)) {
        packed.insert(end == ListEnd.HEAD ? packed.first() : packed.end(), element);
        return;
      }
      spread();
    }
    long head = meta.head();
    long tail = meta.tail();
    if (end == ListEnd.HEAD) {
      head--;
      transaction.put(keys().element(head), element);
    } else {
      transaction.put(keys().element(tail), element);
      tail++;
    }
    meta.setEnds(head, tail);
    meta.add(1, element.length);
  }

  private boolean isPackable(int elements, long bytes) {
    PackedLimits limits = transaction.packedLimits();
    return elements <= limits.listEntriesMax() && bytes <= limits.listBytesMax();
  }

  /** Gives every element an entry of its own. */
  private void spread() {
    PackedMembers packed = meta.spread(transaction.newVersion());
    int place = packed.first();
    for (int position = 0; position < packed.size(); position++) {
      transaction.put(keys().element(position), packed.itemBytes(place, 0));
      place = packed.next(place);
    }
    meta.add(packed.size(), packed.itemBytes());
    meta.setEnds(0, packed.size());
  }

  /** Removes the element at one end. */
  byte[] pop(ListEnd end) {
    isMetaChanged = true;
    if (!meta.isSpread()) {
      PackedMembers packed = meta.packed();
      int place = end == ListEnd.HEAD ? packed.first() : packed.place(packed.size() - 1);
      byte[] element = packed.itemBytes(place, 0);
      packed.remove(place);
      return element;
    }
    long head = meta.head();
    long tail = meta.tail();
    long position = end == ListEnd.HEAD ? head++ : --tail;
    byte[] stored = keys().element(position);
    byte[] element = element(stored, position);
    if (transaction.mayWait()) {
      readAhead(end, position);
    }
    transaction.forget(stored);
    meta.setEnds(head, tail);
    meta.add(-1, -element.length);
    return element;
  }

  /**
   * Brings into memory what the next pops at that end will ask for: who pops one element of a queue
   * that lies on disk comes for the others soon.
   */
  private void readAhead(ListEnd end, long from) {
    long bytesEach = Math.max(1, meta.bytes() / meta.count());
    long stride = Math.max(1, READ_AHEAD_STEP_BYTES / bytesEach);
    for (int step = 1; step <= READ_AHEAD_STEPS; step++) {
      long position = end == ListEnd.HEAD ? from + step * stride : from - step * stride;
      if (position < meta.head() || position >= meta.tail()) {
        return;
      }
      transaction.get(keys().element(position));
    }
  }

  void set(long index, byte[] element) {
    if (!meta.isSpread()) {
      isMetaChanged = true;
      PackedMembers packed = meta.packed();
      int place = packed.place((int) index);
      long bytes = (long) packed.itemBytes() - packed.itemLength(place, 0) + element.length;
      if (isPackable(packed.size(), bytes)) {
        packed.replace(place, 0, element);
        return;
      }
      spread();
    }
    long position = meta.ends().position(index);
    int oldBytes = element(position).length;
    transaction.put(keys().element(position), element);
    if (element.length != oldBytes) {
      meta.add(0, element.length - oldBytes);
      isMetaChanged = true;
    }
  }

  /** Puts an element before the one at {@code index}, or at the tail if that is the size. */
  void insert(long index, byte[] element) {
    isMetaChanged = true;
    if (!meta.isSpread()) {
      PackedMembers packed = meta.packed();
      if (isPackable(packed.size() + 1, packed.itemBytes() + (long) element.length)) {
        packed.insert(packed.place((int) index), element);
        return;
      }
      spread();
    }
    ListShifts.insert(this, index, element);
  }

  /**
   * Removes elements.
   *
   * @param indexes of the elements, in ascending order, not all there are
   * @param bytes how many bytes they have together
   */
  void remove(long[] indexes, long bytes) {
    isMetaChanged = true;
    if (!meta.isSpread()) {
      PackedMembers packed = meta.packed();
      for (int i = indexes.length - 1; i >= 0; i--) {
        packed.remove(packed.place((int) indexes[i]));
      }
      return;
    }
    ListShifts.remove(this, indexes, bytes);
  }

  /** Removes all elements but {@code kept}, at least one, from {@code index} on. */
  void trim(long index, long kept) {
    long removed = size() - kept;
    if (removed == 0) {
      return;
    }
    isMetaChanged = true;
    if (!meta.isSpread()) {
      PackedMembers packed = meta.packed();
      packed.remove(packed.place((int) (index + kept)), packed.end());
      packed.remove(packed.first(), packed.place((int) index));
    } else {
      // Whichever is less is measured, what goes or what stays.
      long removedBytes =
          removed > kept
              ? meta.bytes() - bytes(index, kept)
              : bytes(0, index) + bytes(index + kept, removed - index);
      ListEnds ends = meta.ends();
      meta.setEnds(ends.position(index), ends.position(index + kept - 1) + 1);
      meta.add(-removed, -removedBytes);
    }
  }

  private long bytes(long index, long count) {
    long bytes = 0;
    try (MemberCursor elements = range(index, count)) {
      while (elements.next()) {
        bytes += elements.length();
      }
    }
    return bytes;
  }

  /** Makes the edits part of the transaction; a list without elements is deleted. */
  void save() {
    if (size() == 0) {
      sweep();
      delete();
      return;
    }
    if (isMetaChanged && meta.isSpread()) {
      noteWhatDied();
    }
    if (replaced != null) {
      transaction.replace(database, key, replaced, meta);
      replaced = null;
    } else if (isMetaChanged) {
      transaction.save(database, key, meta);
    }
  }

  /**
   * Leaves it to a garbage record to name what was popped, now and then: what lies outside of the
   * list is not asked for meanwhile.
   */
  private void noteWhatDied() {
    PackedLimits limits = transaction.packedLimits();
    long bytesEach = Math.max(1, meta.bytes() / meta.count());
    long slack = Math.min(limits.listEntriesMax() / 2, limits.listBytesMax() / bytesEach);
    long died = meta.ends().settle(Math.max(1, Math.min(SLACK_MAX, slack)));
    if (died != ListEnds.NOTHING_TO_NOTE) {
      GarbageRecord record =
          GarbageRecord.ofPopped(transaction, database, key, meta, died, died * bytesEach);
      transaction.put(record.storedKey(), record.value());
    }
  }

  /** Deletes the entries of a list that had few, so that a garbage record for them is spared. */
  private void sweep() {
    if (meta.isSpread() && !meta.ends().isNoted() && meta.ends().reach() <= SWEPT_MAX) {
      meta.ends().sweep(position -> transaction.delete(keys().element(position)));
    }
  }

  /** Deletes the list, whatever it has. */
  void delete() {
    transaction.remove(database, key, meta);
    transaction.event(EventClass.GENERIC, "del", database, key);
  }
}
