package dev.varve.codec.list;

import dev.varve.codec.ListGaps;
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
  private final ListGaps gaps;
  private final boolean isForward;
  private final long count;
  private long left;
  private long position;
  private long nextPosition;

  /** Which run of gaps the walk will come to next; there may be none. */
  private int nextGap;

  /** Whether the cursor is on the element before. */
  private boolean isBeside;

  /** The stored key of the next element. */
  private final byte[] nextKey;

  /**
   * @param gaps of the list
   * @param position of the first element to walk over
   * @param count how many elements there are to walk over
   */
  SpreadListCursor(
      Transaction transaction,
      CollectionKeys keys,
      ListGaps gaps,
      long position,
      long count,
      boolean isForward) {
    this.keys = keys;
    this.gaps = gaps;
    this.cursor = transaction.cursor(keys.end(KeyFormat.LIST));
    this.isForward = isForward;
    this.count = count;
    this.left = count;
    this.nextPosition = position;
    this.nextGap = gaps.runsBelow(position) - (isForward ? 0 : 1);
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
  public void hand(long max, Visitor visitor) {
    if (left == 0 || max == 0) {
      return;
    }
    arrive();
    long leftThen = Math.max(0, left - max);
    byte[] bound = isForward ? keys.end(KeyFormat.LIST) : keys.prefix(KeyFormat.LIST);
    cursor.hand(
        keys.suffixOffset(),
        bound,
        left - leftThen,
        isForward,
        (tails, tail, tailLength, values, value, length) -> {
          if (tailLength != Long.BYTES || OrderedNumbers.getLong(tails, tail) != nextPosition) {
            throw missing(nextPosition);
          }
          passed();
          visitor.member(values, value, length);
        });
    if (left > leftThen) {
      throw missing(nextPosition);
    }
    isBeside = false;
    keys.setPosition(nextKey, nextPosition);
  }

  /** Goes to the next element. */
  private void arrive() {
    boolean found;
    if (!isBeside) {
      found = cursor.seek(nextKey);
      isBeside = true;
    } else {
      found = isForward ? cursor.next() : cursor.previous();
    }
    if (!found || cursor.compareKey(nextKey) != 0) {
      throw missing(nextPosition);
    }
  }

  private void passed() {
    left--;
    position = nextPosition;
    if (isForward) {
      nextPosition++;
      if (nextGap < gaps.runs() && nextPosition == gaps.start(nextGap)) {
        nextPosition = gaps.end(nextGap);
        nextGap++;
      }
    } else {
      nextPosition--;
      if (nextGap >= 0 && nextPosition == gaps.end(nextGap) - 1) {
        nextPosition = gaps.start(nextGap) - 1;
        nextGap--;
      }
    }
  }

  /** Of the element it is on. */
  long position() {
    return position;
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
