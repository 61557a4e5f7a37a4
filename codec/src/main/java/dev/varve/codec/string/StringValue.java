package dev.varve.codec.string;

import dev.varve.codec.Meta;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.store.StoreCursor;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one string, in one piece or in fragments, as one operation reads and edits them.
 *
 * <p>Edits take effect with {@link #save}. Belongs to the thread of its transaction.
 */
public final class StringValue {
  /*
   * Fragment n holds the bytes from n * fragmentBytes on, without the zeroes at its end; one of nothing
   * but zeroes is not stored. So a bit that is set far out costs one small fragment, and what is
   * between is free. The meta counts the fragments that are there, and their bytes.
   */
  private static final byte[] EMPTY = new byte[0];

  private static final long NO_FRAGMENT = -1;

  /** So many fragments are looked up: a walk begins with having applied what others wrote. */
  private static final int LOOKED_UP_MAX = 2;

  /** Is handed the bytes of a string that are not known to be zero. */
  @FunctionalInterface
  interface PieceVisitor {
    /**
     * {@code array[offset, offset + length)} are the bytes from {@code position} on; returns
     * whether to go on.
     */
    boolean piece(long position, byte[] array, int offset, int length);
  }

  private final Transaction transaction;
  private final int database;
  private final byte[] key;
  private final Meta meta;
  private @Nullable CollectionKeys keys;

  /** Of a string in one piece that was edited: its bytes, which nobody else has seen. */
  private byte @Nullable [] own;

  /** The fragment that was asked for last: who looks at a bit changes it. */
  private byte @Nullable [] latest;

  private long latestIndex = NO_FRAGMENT;

  private StringValue(Transaction transaction, int database, byte[] key, Meta meta) {
    this.transaction = transaction;
    this.database = database;
    this.key = key;
    this.meta = meta;
  }

  static StringValue of(Transaction transaction, int database, byte[] key, Meta meta) {
    return new StringValue(transaction, database, key, meta);
  }

  /** What {@code key} holds, for reading, or null. */
  static @Nullable StringValue find(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.find(database, key, ValueType.STRING);
    return meta == null ? null : new StringValue(transaction, database, key, meta);
  }

  /** The same for who is done with its bytes before anything else is read. */
  static @Nullable StringValue findBriefly(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findBriefly(database, key, ValueType.STRING);
    return meta == null ? null : new StringValue(transaction, database, key, meta);
  }

  /** What {@code key} holds, for editing, or null. */
  static @Nullable StringValue findForWrite(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.findForWrite(database, key, ValueType.STRING);
    return meta == null ? null : new StringValue(transaction, database, key, meta);
  }

  /** What {@code key} holds, for editing; an empty string if it holds nothing. */
  static StringValue findOrCreate(Transaction transaction, int database, byte[] key) {
    StringValue found = findForWrite(transaction, database, key);
    return found == null
        ? new StringValue(transaction, database, key, Meta.ofString(EMPTY))
        : found;
  }

  /** A new string that will have this key, not saved yet. */
  public static Meta build(Transaction transaction, int database, byte[] key, byte[] value) {
    PackedLimits limits = transaction.packedLimits();
    if (value.length <= limits.stringBytesMax()) {
      return Meta.ofString(value);
    }
    Meta meta = Meta.ofFragments(transaction.newVersion(), limits.fragmentBytes());
    new StringValue(transaction, database, key, meta).writeFragments(0, value, 0, value.length);
    return meta;
  }

  /** A new string that will have this key, empty and in fragments, not saved yet. */
  static StringValue ofFragments(Transaction transaction, int database, byte[] key) {
    Meta meta =
        Meta.ofFragments(transaction.newVersion(), transaction.packedLimits().fragmentBytes());
    return new StringValue(transaction, database, key, meta);
  }

  Meta meta() {
    return meta;
  }

  int length() {
    return meta.isSpread() ? meta.length : meta.string().length();
  }

  /** The whole value. */
  Slice all() {
    return range(0, length());
  }

  /** The same for who hands it on. */
  StringRange inFull() {
    return new StringRange(this, 0, length());
  }

  /** A part of the value that lies inside of it. */
  Slice range(int from, int length) {
    if (!meta.isSpread()) {
      Slice whole = meta.string();
      return new Slice(whole.array(), whole.offset() + from, length);
    }
    transaction.need(length);
    byte[] target = new byte[length];
    walk(
        from,
        from + (long) length,
        (position, array, offset, bytes) -> {
          System.arraycopy(array, offset, target, (int) position - from, bytes);
          return true;
        });
    return Slice.of(target);
  }

  /** The byte at a place, 0 after the end. */
  byte byteAt(long position) {
    if (position >= length()) {
      return 0;
    }
    if (!meta.isSpread()) {
      Slice whole = meta.string();
      return whole.array()[whole.offset() + (int) position];
    }
    byte[] fragment = fragment(position / meta.fragmentBytes);
    int at = (int) (position & (meta.fragmentBytes - 1));
    return fragment == null || at >= fragment.length ? 0 : fragment[at];
  }

  private byte @Nullable [] fragment(long index) {
    if (index != latestIndex) {
      latest = transaction.get(keys().element(index));
      latestIndex = index;
    }
    return latest;
  }

  /** Hands out the pieces between two places in order; what lies between them is zero. */
  void walk(long from, long to, PieceVisitor visitor) {
    long end = Math.min(to, length());
    if (from >= end) {
      return;
    }
    if (!meta.isSpread()) {
      Slice whole = meta.string();
      visitor.piece(from, whole.array(), whole.offset() + (int) from, (int) (end - from));
      return;
    }
    long first = from / meta.fragmentBytes;
    long last = (end - 1) / meta.fragmentBytes;
    if (last - first < LOOKED_UP_MAX) {
      for (long index = first; index <= last; index++) {
        byte[] fragment = fragment(index);
        if (fragment != null && !hand(index, fragment, from, end, visitor)) {
          return;
        }
      }
      return;
    }
    try (StoreCursor cursor = transaction.cursor(keys().end(KeyFormat.LIST))) {
      boolean found = cursor.seek(keys().element(first));
      for (; found && keys().owns(KeyFormat.LIST, cursor.key()); found = cursor.next()) {
        long index = keys().positionOf(cursor.key());
        if (index > last || !hand(index, cursor.value(), from, end, visitor)) {
          return;
        }
      }
    }
  }

  /** Hands out what a fragment has between two places; returns whether to go on. */
  private boolean hand(long index, byte[] fragment, long from, long end, PieceVisitor visitor) {
    long start = index * meta.fragmentBytes;
    int skipped = (int) Math.max(0, from - start);
    int length = (int) Math.min(fragment.length, end - start) - skipped;
    return length <= 0 || visitor.piece(start + skipped, fragment, skipped, length);
  }

  /** Overwrites the value from {@code position} on, with zeroes in between if it is shorter. */
  void write(int position, byte[] part) {
    write(position, part, 0, part.length);
  }

  void write(int position, byte[] array, int offset, int length) {
    int end = Math.addExact(position, length);
    int grown = Math.max(end, length());
    if (!meta.isSpread()) {
      if (grown <= transaction.packedLimits().editedStringBytesMax()) {
        System.arraycopy(array, offset, inOnePiece(grown), position, length);
        return;
      }
      spread(length);
    }
    writeFragments(position, array, offset, length);
    meta.length = grown;
  }

  /** Makes it as long as that, with zeroes at the end, unless it is longer. */
  void grow(int length) {
    if (length > length()) {
      write(length, EMPTY);
    }
  }

  private byte[] inOnePiece(int length) {
    byte[] bytes = own;
    if (bytes == null || bytes.length != length) {
      Slice old = meta.string();
      bytes = new byte[length];
      System.arraycopy(old.array(), old.offset(), bytes, 0, old.length());
      own = bytes;
      meta.setString(bytes);
    }
    return bytes;
  }

  /** For an edit of so many bytes: who writes little at a time writes small fragments anew. */
  private void spread(int editBytes) {
    PackedLimits limits = transaction.packedLimits();
    Slice whole = meta.string();
    own = null;
    meta.spreadString(
        transaction.newVersion(),
        editBytes < limits.fragmentBytes() ? limits.editedFragmentBytes() : limits.fragmentBytes());
    writeFragments(0, whole.array(), whole.offset(), whole.length());
  }

  private void writeFragments(int position, byte[] array, int offset, int length) {
    int fragmentBytes = meta.fragmentBytes;
    int written = 0;
    while (written < length) {
      int at = (position + written) & (fragmentBytes - 1);
      int bytes = Math.min(fragmentBytes - at, length - written);
      long index = (position + written) / fragmentBytes;
      writeFragment(index, at, array, offset + written, bytes);
      written += bytes;
    }
    meta.length = Math.max(meta.length, position + length);
  }

  private void writeFragment(long index, int at, byte[] array, int offset, int bytes) {
    byte[] old = fragment(index);
    int oldBytes = old == null ? 0 : old.length;
    // What is after the part written stays; what is zero at the end is not stored.
    int end = at + bytes;
    if (oldBytes <= end) {
      while (bytes > 0 && array[offset + bytes - 1] == 0) {
        bytes--;
      }
      end = bytes == 0 ? withoutZeroes(old, Math.min(at, oldBytes)) : at + bytes;
    } else {
      end = oldBytes;
    }
    if (end == 0) {
      if (old != null) {
        transaction.delete(keys().element(index));
        latest = null;
        meta.add(-1, -oldBytes);
      }
      return;
    }
    byte[] changed = new byte[end];
    if (old != null) {
      System.arraycopy(old, 0, changed, 0, Math.min(oldBytes, end));
    }
    if (bytes > 0) {
      System.arraycopy(array, offset, changed, at, bytes);
    }
    transaction.put(keys().element(index), changed);
    latest = changed;
    meta.add(old == null ? 1 : 0, end - oldBytes);
  }

  private static int withoutZeroes(byte @Nullable [] fragment, int length) {
    int end = length;
    while (fragment != null && end > 0 && fragment[end - 1] == 0) {
      end--;
    }
    return fragment == null ? 0 : end;
  }

  private CollectionKeys keys() {
    if (keys == null) {
      keys = meta.keys(transaction.databaseId(database), key);
    }
    return keys;
  }

  /** Whether it is kept as one that was edited. */
  boolean isEdited() {
    return meta.isEdited();
  }

  /** Makes the edits part of the transaction. */
  void save() {
    meta.setEdited();
    meta.setText(false);
    transaction.save(database, key, meta);
  }
}
