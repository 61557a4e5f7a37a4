package dev.varve.codec.member;

import dev.varve.codec.EventClass;
import dev.varve.codec.FieldExpiry;
import dev.varve.codec.Meta;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.MemberOrder;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The members of one hash or set, packed or spread, as one operation reads and edits them.
 *
 * <p>Edits take effect with {@link #save} or {@link #replace}. Belongs to the thread of its
 * transaction.
 */
public final class MemberTable {
  private static final byte[] NO_VALUE = new byte[0];

  private final Transaction transaction;
  private final int database;
  private final byte[] key;
  private final Meta meta;
  private final int packedEntriesMax;
  private final int packedItemBytesMax;
  private @Nullable CollectionKeys keys;
  private boolean isMetaChanged;

  public MemberTable(Transaction transaction, int database, byte[] key, Meta meta) {
    this.transaction = transaction;
    this.database = database;
    this.key = key;
    this.meta = meta;
    PackedLimits limits = transaction.packedLimits();
    boolean isHash = hasValues();
    packedEntriesMax = isHash ? limits.hashEntriesMax() : limits.setEntriesMax();
    packedItemBytesMax = isHash ? limits.hashItemBytesMax() : limits.setItemBytesMax();
  }

  /** What {@code key} holds, for reading, or null. */
  static @Nullable MemberTable find(
      Transaction transaction, int database, byte[] key, ValueType type) {
    return of(transaction, database, key, transaction.find(database, key, type));
  }

  /** The same for who is done with it before the transaction reads on. */
  static @Nullable MemberTable findBriefly(
      Transaction transaction, int database, byte[] key, ValueType type) {
    return of(transaction, database, key, transaction.findBriefly(database, key, type));
  }

  /** What {@code key} holds, for editing, or null. */
  static @Nullable MemberTable findForWrite(
      Transaction transaction, int database, byte[] key, ValueType type) {
    return of(transaction, database, key, transaction.findForWrite(database, key, type));
  }

  /** The same for who has saved it before the transaction reads anything but members of it. */
  static @Nullable MemberTable findBrieflyForWrite(
      Transaction transaction, int database, byte[] key, ValueType type) {
    return of(transaction, database, key, transaction.findBrieflyForWrite(database, key, type));
  }

  private static @Nullable MemberTable of(
      Transaction transaction, int database, byte[] key, @Nullable Meta meta) {
    return meta == null ? null : new MemberTable(transaction, database, key, meta);
  }

  /** What {@code key} holds, for editing; a new collection if it holds nothing. */
  static MemberTable findOrCreate(
      Transaction transaction, int database, byte[] key, ValueType type) {
    MemberTable found = findForWrite(transaction, database, key, type);
    return found == null ? create(transaction, database, key, type) : found;
  }

  /** The same for who has saved it before the transaction reads anything but members of it. */
  static MemberTable findOrCreateBriefly(
      Transaction transaction, int database, byte[] key, ValueType type) {
    MemberTable found = findBrieflyForWrite(transaction, database, key, type);
    return found == null ? create(transaction, database, key, type) : found;
  }

  private static MemberTable create(
      Transaction transaction, int database, byte[] key, ValueType type) {
    return new MemberTable(transaction, database, key, Meta.ofPacked(type));
  }

  public Meta meta() {
    return meta;
  }

  long count() {
    return meta.count();
  }

  boolean isSpread() {
    return meta.isSpread();
  }

  /** Whether the members are fields of a hash. */
  boolean hasValues() {
    return meta.type() == ValueType.HASH;
  }

  /** The keys of a spread collection's members. */
  CollectionKeys keys() {
    if (keys == null) {
      keys = meta.keys(transaction.databaseId(database), key);
    }
    return keys;
  }

  /** A walk over all members. */
  public MemberCursor members() {
    return isSpread()
        ? new SpreadCursor(transaction, meta, keys())
        : new PackedCursor(meta.type(), meta.packed());
  }

  boolean contains(byte[] member) {
    return isSpread()
        ? transaction.get(keys().member(member)) != null
        : meta.packed().find(member) >= 0;
  }

  /** The value of a hash field, or null. */
  @Nullable Slice value(byte[] field) {
    if (isSpread()) {
      byte[] value = transaction.get(keys().member(field));
      return value == null ? null : Slice.of(value);
    }
    int place = meta.packed().find(field);
    return place < 0 ? null : meta.packed().item(place, 1);
  }

  /**
   * The order in which members that one command adds are best taken up; if they are too many to
   * stay packed, all is spread now.
   */
  MemberOrder orderToAdd(int count, IntFunction<byte[]> members) {
    if (isSpread()) {
      return MemberOrder.of(count, members);
    }
    MemberOrder order = MemberOrder.outgrowing(packedEntriesMax, count, members);
    if (order != MemberOrder.AS_NAMED) {
      spread();
    }
    return order;
  }

  /** Adds a set member; false if it is there already. */
  boolean add(byte[] member) {
    if (!isSpread()) {
      PackedMembers packed = meta.packed();
      if (packed.find(member) >= 0) {
        return false;
      }
      isMetaChanged = true;
      if (packed.size() < packedEntriesMax && member.length <= packedItemBytesMax) {
        packed.append(member);
        return true;
      }
      spread();
    }
    byte[] stored = keys().member(member);
    if (transaction.get(stored) != null) {
      return false;
    }
    transaction.insert(stored);
    countAdded(member.length);
    return true;
  }

  /** Sets a hash field, which then does not expire; false if it was there already. */
  public boolean put(byte[] field, byte[] value) {
    boolean isNew = putKeepingExpiry(field, value);
    if (!isNew && meta.fieldExpiries > 0) {
      isMetaChanged |= FieldExpiry.clear(transaction, keys(), meta, field);
    }
    return isNew;
  }

  /** As {@link #put}, but for a field that expires, which still does. */
  boolean putKeepingExpiry(byte[] field, byte[] value) {
    if (!isSpread()) {
      isMetaChanged = true;
      PackedMembers packed = meta.packed();
      int place = packed.find(field);
      boolean isSmall = field.length <= packedItemBytesMax && value.length <= packedItemBytesMax;
      if (isSmall && place >= 0) {
        packed.replace(place, 1, value);
        return false;
      }
      if (isSmall && packed.size() < packedEntriesMax) {
        packed.append(field, value);
        return true;
      }
      spread();
    }
    byte[] stored = keys().member(field);
    byte[] old = transaction.get(stored);
    if (old == null) {
      transaction.put(stored, value);
      countAdded((long) field.length + value.length);
      return true;
    }
    transaction.put(stored, value);
    if (value.length != old.length) {
      meta.add(0, value.length - old.length);
      isMetaChanged = true;
    }
    return false;
  }

  private void countAdded(long bytes) {
    meta.add(1, bytes);
    isMetaChanged = true;
  }

  /** When a field expires, or {@link Meta#NO_EXPIRY}. */
  public long expiryMillis(byte[] field) {
    return meta.fieldExpiries == 0 ? Meta.NO_EXPIRY : FieldExpiry.get(transaction, keys(), field);
  }

  /** Lets a field that is there expire, or no more with {@link Meta#NO_EXPIRY}. */
  void setExpiry(byte[] field, long expiryMillis) {
    if (expiryMillis == Meta.NO_EXPIRY) {
      isMetaChanged |=
          meta.fieldExpiries > 0 && FieldExpiry.clear(transaction, keys(), meta, field);
      return;
    }
    if (!isSpread()) {
      spread();
    }
    FieldExpiry.set(transaction, keys(), meta, field, expiryMillis);
    isMetaChanged = true;
  }

  /** Gives every member an entry of its own. */
  private void spread() {
    PackedMembers packed = meta.spread(transaction.newVersion());
    int place = packed.first();
    for (int left = packed.size(); left > 0; left--) {
      Slice member = packed.item(place, 0);
      transaction.put(
          keys().member(member.array(), member.offset(), member.length()),
          hasValues() ? packed.itemBytes(place, 1) : NO_VALUE);
      place = packed.next(place);
    }
    meta.add(packed.size(), packed.itemBytes());
  }

  /** Removes members with their values; returns how many there were. */
  int removeAll(byte[][] members) {
    MemberOrder order =
        isSpread()
            ? MemberOrder.of(members.length, number -> members[number])
            : MemberOrder.AS_NAMED;
    int removed = 0;
    for (int i = 0; i < members.length; i++) {
      if (remove(members[order.at(i)])) {
        removed++;
      }
    }
    return removed;
  }

  /** Removes a member with its value; false if it is not there. */
  boolean remove(byte[] member) {
    if (!isSpread()) {
      int place = meta.packed().find(member);
      if (place < 0) {
        return false;
      }
      removePacked(place);
      return true;
    }
    byte[] stored = keys().member(member);
    byte[] value = transaction.get(stored);
    if (value == null) {
      return false;
    }
    removeStored(stored, value.length);
    return true;
  }

  /** Removes the member at a place of a packed collection. */
  void removePacked(int place) {
    meta.packed().remove(place);
    isMetaChanged = true;
  }

  /** Removes the member of a spread collection that is stored under this key. */
  void removeStored(byte[] stored, int valueBytes) {
    transaction.delete(stored);
    if (meta.fieldExpiries > 0) {
      FieldExpiry.clear(transaction, keys(), meta, keys().memberOf(stored));
    }
    meta.add(-1, -((long) stored.length - keys().memberOffset() + valueBytes));
    isMetaChanged = true;
  }

  /** Makes the edits part of the transaction; a collection without members is deleted. */
  void save() {
    if (count() == 0) {
      transaction.remove(database, key, meta);
      transaction.event(EventClass.GENERIC, "del", database, key);
    } else if (isMetaChanged) {
      transaction.save(database, key, meta);
    }
  }
}
