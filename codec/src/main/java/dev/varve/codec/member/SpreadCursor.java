package dev.varve.codec.member;

import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.store.StoreCursor;

/** Walks over the members of a spread hash or set in the order of their hashes. */
final class SpreadCursor extends SortedCursor {
  /** How many steps are tried before a seek: about as many as one costs. */
  private static final int STEPS_MAX = 8;

  private static final byte[] NONE = new byte[0];

  private final CollectionKeys keys;
  private final StoreCursor cursor;
  private final boolean hasValues;
  private final long count;
  private final int memberOffset;
  private byte[] stored = NONE;

  SpreadCursor(Transaction transaction, Meta meta, CollectionKeys keys) {
    this.keys = keys;
    this.cursor = transaction.cursor(keys.end(KeyFormat.MEMBER));
    this.hasValues = meta.type() == ValueType.HASH;
    this.count = meta.count();
    this.memberOffset = keys.memberOffset();
  }

  @Override
  public long count() {
    return count;
  }

  @Override
  public boolean next() {
    return arrived(stored == NONE ? cursor.seek(keys.prefix(KeyFormat.MEMBER)) : cursor.next());
  }

  /** Goes to the first member with this hash or a higher one. */
  boolean seek(int hash) {
    return arrived(cursor.seek(keys.hashStart(hash)));
  }

  @Override
  boolean advanceTo(SortedCursor target) {
    for (int steps = 0; steps < STEPS_MAX; steps++) {
      if (compareTo(target) >= 0) {
        return true;
      }
      if (!next()) {
        return false;
      }
    }
    return arrived(cursor.seek(keys.member(target.array(), target.offset(), target.length())));
  }

  private boolean arrived(boolean found) {
    if (!found) {
      return false;
    }
    stored = cursor.key();
    return keys.owns(KeyFormat.MEMBER, stored) && stored.length >= memberOffset;
  }

  /** The key of the entry that this is on. */
  byte[] stored() {
    return stored;
  }

  @Override
  public void handRest(Visitor visitor) {
    handRestWithValues(
        (array, offset, length, values, value, valueLength) ->
            visitor.member(array, offset, length));
  }

  @Override
  public void handRestWithValues(FieldVisitor visitor) {
    // The first step looks for where it begins, and is handed over with the others.
    if (!next()) {
      return;
    }
    int hashBytes = memberOffset - keys.suffixOffset();
    cursor.hand(
        keys.suffixOffset(),
        keys.end(KeyFormat.MEMBER),
        Long.MAX_VALUE,
        true,
        (tails, tail, tailLength, values, value, valueLength) ->
            visitor.field(
                tails, tail + hashBytes, tailLength - hashBytes, values, value, valueLength));
  }

  @Override
  int hash() {
    return keys.hashOf(stored);
  }

  @Override
  public byte[] array() {
    return stored;
  }

  @Override
  public int offset() {
    return memberOffset;
  }

  @Override
  public int length() {
    return stored.length - memberOffset;
  }

  @Override
  public Slice value() {
    if (!hasValues) {
      return super.value();
    }
    return new Slice(cursor.valueArray(), cursor.valueOffset(), cursor.valueLength());
  }

  @Override
  public void close() {
    cursor.close();
  }
}
