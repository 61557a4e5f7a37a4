package dev.varve.codec;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;

/** Walks over elements of a spread list, from one position on, in either direction. */
final class SpreadListCursor extends MemberCursor {
  private static final byte[] NONE = new byte[0];

  private final CollectionKeys keys;
  private final StoreCursor cursor;
  private final boolean isForward;
  private final long count;
  private long left;
  private long nextPosition;
  private byte[] element = NONE;

  /**
   * @param position of the first element to walk over
   * @param count how many elements there are to walk over
   */
  SpreadListCursor(
      Transaction transaction, CollectionKeys keys, long position, long count, boolean isForward) {
    this.keys = keys;
    this.cursor = transaction.cursor();
    this.isForward = isForward;
    this.count = count;
    this.left = count;
    this.nextPosition = position;
  }

  @Override
  public long count() {
    return count;
  }

  @Override
  public boolean next() {
    if (left == 0) {
      return false;
    }
    boolean found;
    if (left == count) {
      found = cursor.seek(keys.element(nextPosition));
    } else {
      found = isForward ? cursor.next() : cursor.previous();
    }
    if (!found
        || !keys.owns(KeyFormat.LIST, cursor.key())
        || keys.positionOf(cursor.key()) != nextPosition) {
      throw missing(nextPosition);
    }
    element = cursor.value();
    left--;
    nextPosition += isForward ? 1 : -1;
    return true;
  }

  static DamagedValueException missing(long position) {
    return new DamagedValueException("a list without the element at its position " + position);
  }

  @Override
  public byte[] array() {
    return element;
  }

  @Override
  public int offset() {
    return 0;
  }

  @Override
  public int length() {
    return element.length;
  }

  @Override
  public byte[] bytes() {
    return element;
  }

  @Override
  public void close() {
    cursor.close();
  }
}
