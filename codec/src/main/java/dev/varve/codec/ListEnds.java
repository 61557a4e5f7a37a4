package dev.varve.codec;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.OrderedNumbers;
import java.util.Locale;
import java.util.function.LongConsumer;

/**
 * Where the elements of a spread list are, and how far beyond them entries of elements may be found
 * that have gone.
 *
 * <p>An element is at each position from the head up to and without the tail, but for the {@link
 * ListGaps}.
 *
 * <p>What is popped is not deleted: its position lies outside of the list, and nobody looks there.
 * Nothing is below {@code low}, and nothing at {@code high} or above it; on a side that is
 * <i>noted</i> a garbage record says so, and on one that is not nothing ever was. Belongs to the
 * thread of its transaction.
 */
public final class ListEnds {
  /*
   * head:8 signed, tail:8 signed; if there is more to say, also low:8 signed, high:8 signed,
   * sides:1 (1 if low is noted, 2 if high is). Then the gaps, if there are any.
   */
  static final int BYTES = 2 * Long.BYTES;
  static final int WORN_BYTES = BYTES + 2 * Long.BYTES + 1;
  private static final int LOW_NOTED = 1;
  private static final int HIGH_NOTED = 2;

  /** What {@link #settle} returns when the garbage record is as it should be. */
  public static final long NOTHING_TO_NOTE = -1;

  private long head;
  private long tail;
  private long low;
  private long high;
  private boolean isLowNoted;
  private boolean isHighNoted;
  private ListGaps gaps = ListGaps.NONE;

  /** Reads what {@link #write} wrote; {@code isWorn} and {@code hasGaps} are as they were then. */
  static ListEnds read(byte[] stored, int offset, boolean isWorn, boolean hasGaps) {
    ListEnds ends =
        at(
            OrderedNumbers.getLong(stored, offset),
            OrderedNumbers.getLong(stored, offset + Long.BYTES));
    if (isWorn) {
      ends.low = OrderedNumbers.getLong(stored, offset + BYTES);
      ends.high = OrderedNumbers.getLong(stored, offset + BYTES + Long.BYTES);
      int sides = stored[offset + WORN_BYTES - 1];
      ends.isLowNoted = (sides & LOW_NOTED) != 0;
      ends.isHighNoted = (sides & HIGH_NOTED) != 0;
      boolean isInside = ends.low <= ends.head && ends.tail <= ends.high;
      if (!isInside || !ends.isWorn() || (sides & ~(LOW_NOTED | HIGH_NOTED)) != 0) {
        throw new DamagedValueException(
            String.format(
                Locale.ROOT,
                "a list from %d to %d, within %d to %d, sides %d",
                ends.head,
                ends.tail,
                ends.low,
                ends.high,
                sides));
      }
    }
    if (hasGaps) {
      ends.gaps = ListGaps.read(stored, offset + bytes(isWorn), ends.head, ends.tail);
    }
    return ends;
  }

  void write(byte[] target, int offset) {
    OrderedNumbers.putLong(target, offset, head);
    OrderedNumbers.putLong(target, offset + Long.BYTES, tail);
    if (hasGaps()) {
      gaps.write(target, offset + bytes(isWorn()), head);
    }
    if (isWorn()) {
      OrderedNumbers.putLong(target, offset + BYTES, low);
      OrderedNumbers.putLong(target, offset + BYTES + Long.BYTES, high);
      target[offset + WORN_BYTES - 1] =
          (byte) ((isLowNoted ? LOW_NOTED : 0) | (isHighNoted ? HIGH_NOTED : 0));
    }
  }

  /** The same elements, with nothing beyond them. */
  ListEnds unworn() {
    ListEnds same = at(head, tail);
    same.gaps = gaps;
    return same;
  }

  private static ListEnds at(long head, long tail) {
    ListEnds ends = new ListEnds();
    ends.set(head, tail);
    ends.low = head;
    ends.high = tail;
    return ends;
  }

  /** Whether elements have gone from an end since the list was spread. */
  boolean isWorn() {
    return low < head || high > tail || isNoted();
  }

  /** Bytes that {@link #write} takes. */
  int encodedBytes() {
    return bytes(isWorn()) + (hasGaps() ? gaps.encodedBytes(head) : 0);
  }

  /** Bytes before the gaps. */
  static int bytes(boolean isWorn) {
    return isWorn ? WORN_BYTES : BYTES;
  }

  boolean hasGaps() {
    return gaps != ListGaps.NONE;
  }

  public ListGaps gaps() {
    return gaps;
  }

  public long head() {
    return head;
  }

  public long tail() {
    return tail;
  }

  /** The position of the element with an index, or the tail if that is their number. */
  public long position(long index) {
    long position = head + index;
    for (int run = 0; run < gaps.runs() && gaps.start(run) <= position; run++) {
      position += gaps.end(run) - gaps.start(run);
    }
    return position;
  }

  /** How many elements are before a position, from the head up to the tail. */
  public long index(long position) {
    return position - head - gaps.below(position);
  }

  /**
   * Says where the elements are, for an operation that calls {@link #settle} at its end; gaps at an
   * end or beyond go.
   */
  void set(long newHead, long newTail) {
    head = newHead;
    tail = newTail;
    if (hasGaps()) {
      dropOuterGaps();
    }
  }

  /** The same, of a list that has these gaps now. */
  public void set(long newHead, long newTail, ListGaps newGaps) {
    gaps = newGaps;
    set(newHead, newTail);
  }

  private void dropOuterGaps() {
    ListGaps inner = gaps.within(head, tail);
    int last = inner.runs() - 1;
    if (last >= 0 && inner.start(0) == head) {
      head = inner.end(0);
    }
    if (last >= 0 && inner.end(last) == tail) {
      tail = inner.start(last);
    }
    gaps = inner.within(head, tail);
  }

  /** Whether a garbage record names positions of this list. */
  public boolean isNoted() {
    return isLowNoted || isHighNoted;
  }

  /** How many positions may have an entry that no garbage record names. */
  public long reach() {
    return high - low;
  }

  /** Whether an entry may be at this position that no garbage record names. */
  public boolean isWithinReach(long position) {
    return low <= position && position < high;
  }

  /** What the garbage record has to say is not dead. */
  public GarbageRecord.Living living() {
    return new GarbageRecord.Living(
        isLowNoted ? low : Long.MIN_VALUE, isHighNoted ? high : Long.MAX_VALUE);
  }

  /**
   * Takes in where the elements are now. What lies further than twice {@code slack} beyond an end
   * is to be noted, all but {@code slack} of it, so that a list that is pushed to and popped from
   * by turns does not have it noted each time.
   *
   * @return how many positions are to be noted that were not, 0 if there are fewer now, or {@link
   *     #NOTHING_TO_NOTE}
   */
  public long settle(long slack) {
    long died = NOTHING_TO_NOTE;
    if (head - low >= 2 * slack) {
      died = head - slack - low;
      low = head - slack;
      isLowNoted = true;
    } else if (head < low) {
      died = isLowNoted ? 0 : died;
      low = isLowNoted ? head - slack : head;
    }
    if (high - tail >= 2 * slack) {
      died = Math.max(died, 0) + high - tail - slack;
      high = tail + slack;
      isHighNoted = true;
    } else if (tail > high) {
      died = isHighNoted ? Math.max(died, 0) : died;
      high = isHighNoted ? tail + slack : tail;
    }
    return died;
  }

  /** Has {@code deleter} delete what may have an entry in a list without elements. */
  public void sweep(LongConsumer deleter) {
    for (long position = low; position < high; position++) {
      deleter.accept(position);
    }
    low = head;
    high = tail;
  }
}
