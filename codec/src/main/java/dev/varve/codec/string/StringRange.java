package dev.varve.codec.string;

import dev.varve.codec.format.Slice;

/**
 * A part of a string, which whoever asked for it hands on: where it lies in fragments one after the
 * other, so that a long one is never in memory as a whole.
 *
 * <p>Belongs to the thread of its transaction.
 */
public final class StringRange {

  /** Takes its bytes in order. */
  public interface Sink {
    /** Bytes {@code array[offset, offset + length)}, which are not its own to keep. */
    void bytes(byte[] array, int offset, int length);

    /** So many bytes that are 0. */
    void zeroes(int count);
  }

  private final StringValue value;
  private final int from;
  private final int length;

  StringRange(StringValue value, int from, int length) {
    this.value = value;
    this.from = from;
    this.length = length;
  }

  public int length() {
    return length;
  }

  /** Whether it is to be taken by {@link #writeTo}. */
  public boolean isInFragments() {
    return value.meta().isSpread();
  }

  /** All of it in memory; of a string in one piece gone with the next read. */
  public Slice whole() {
    return value.range(from, length);
  }

  /** Hands over all of it, reading as it goes. */
  public void writeTo(Sink sink) {
    Gaps gaps = new Gaps(sink, from);
    value.walk(from, from + (long) length, gaps);
    gaps.fill(from + (long) length);
  }

  /** What lies between pieces is zero. */
  private static final class Gaps implements StringValue.PieceVisitor {
    private final Sink sink;
    private long at;

    Gaps(Sink sink, long at) {
      this.sink = sink;
      this.at = at;
    }

    @Override
    public boolean piece(long position, byte[] array, int offset, int length) {
      fill(position);
      sink.bytes(array, offset, length);
      at = position + length;
      return true;
    }

    void fill(long to) {
      if (at < to) {
        sink.zeroes((int) (to - at));
        at = to;
      }
    }
  }
}
