package dev.varve.codec.list;

import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.member.MemberCursor;
import dev.varve.codec.store.StoreCursor;

/** Walks over elements of a spread list, from one position on, in either direction. */
final class SpreadListCursor extends MemberCursor {
  private final CollectionKeys keys;
  private final StoreCursor cursor;
  private final boolean isForward;
  private final long count;
  private long left;
  private long nextPosition;

  /** The stored key of the next element. */
  private final byte[] nextKey;

  /**
   * @param position of the first element to walk over
   * @param count how many elements there are to walk over
   */
  SpreadListCursor(
      Transaction transaction, CollectionKeys keys, long position, long count, boolean isForward) {
    this.keys = keys;
    this.cursor = transaction.cursor(keys.end(KeyFormat.LIST));
    this.isForward = isForward;
    this.count = count;
    this.left = count;
    this.nextPosition = position;
    this.nextKey = keys.element(position);
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
    arrive();
    passed();
    keys.setPosition(nextKey, nextPosition);
    return true;
  }

  @Override
  public void handRest(Visitor visitor) {
    if (left == 0) {
      return;
    }
    arrive();
    byte[] bound = isForward ? keys.end(KeyFormat.LIST) : keys.prefix(KeyFormat.LIST);
    cursor.hand(
        keys.suffixOffset(),
        bound,
        left,
        isForward,
        (tails, tail, tailLength, values, value, length) -> {
          if (tailLength != Long.BYTES || OrderedNumbers.getLong(tails, tail) != nextPosition) {
            throw missing(nextPosition);
          }
          passed();
          visitor.member(values, value, length);
        });
    if (left > 0) {
      throw missing(nextPosition);
    }
  }

  /** Goes to the next element. */
  private void arrive() {
    boolean found;
    if (left == count) {
      found = cursor.seek(nextKey);
    } else {
      found = isForward ? cursor.next() : cursor.previous();
    }
    if (!found || cursor.compareKey(nextKey) != 0) {
      throw missing(nextPosition);
    }
  }

  private void passed() {
    left--;
    nextPosition += isForward ? 1 : -1;
  }

  static DamagedValueException missing(long position) {
    return new DamagedValueException("a list without the element at its position " + position);
  }

  @Override
  public byte[] array() {
    return cursor.valueArray();
  }

  @Override
  public int offset() {
    return cursor.valueOffset();
  }

  @Override
  public int length() {
    return cursor.valueLength();
  }

  @Override
  public byte[] bytes() {
    return cursor.value();
  }

  @Override
  public void close() {
    cursor.close();
  }
}
