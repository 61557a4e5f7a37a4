package dev.varve.codec.member;

import dev.varve.codec.format.Slice;
import java.util.Arrays;

/**
 * A walk over members of a collection (list elements, set members, hash fields with their values),
 * one at a time, so that a collection of any size can be read in little memory.
 *
 * <p>Belongs to the thread of its transaction, and must be closed before that ends. It starts
 * before the first member. What it shows of a member holds until the next step; nobody changes the
 * arrays.
 */
public abstract class MemberCursor implements AutoCloseable {

  /** What {@link #count} returns when only the walk itself can tell. */
  public static final long UNKNOWN = -1;

  public MemberCursor() {}

  /** A walk over nothing. */
  public static MemberCursor empty() {
    return new EmptyCursor();
  }

  /** How many members the whole walk has, or {@link #UNKNOWN}. */
  public abstract long count();

  /** Goes to the next member; false if there is none. */
  public abstract boolean next();

  /** The array that holds the member. */
  public abstract byte[] array();

  /** Where the member starts in {@link #array}. */
  public abstract int offset();

  public abstract int length();

  /** Is handed members: {@code array[offset, offset + length)}, under the same rule. */
  @FunctionalInterface
  public interface Visitor {
    void member(byte[] array, int offset, int length);
  }

  /** Hands over all members that are left, before {@link #next} has found none. */
  public void handRest(Visitor visitor) {
    hand(Long.MAX_VALUE, visitor);
  }

  /** Hands over the members that follow, at most so many; the next step is another of this kind. */
  public void hand(long max, Visitor visitor) {
    for (long left = max; left > 0 && next(); left--) {
      visitor.member(array(), offset(), length());
    }
  }

  /** Is handed fields, and {@code values[value, value + valueLength)} with each. */
  @FunctionalInterface
  public interface FieldVisitor {
    void field(byte[] array, int offset, int length, byte[] values, int value, int valueLength);
  }

  /** Hands over all fields of a hash that are left, with their values. */
  public void handRestWithValues(FieldVisitor visitor) {
    while (next()) {
      Slice value = value();
      visitor.field(array(), offset(), length(), value.array(), value.offset(), value.length());
    }
  }

  /** The value of a hash field. */
  public Slice value() {
    throw new UnsupportedOperationException("only fields of hashes have values");
  }

  /** The member as an array of its own. */
  public byte[] bytes() {
    return Arrays.copyOfRange(array(), offset(), offset() + length());
  }

  @Override
  public abstract void close();

  private static final class EmptyCursor extends MemberCursor {
    @Override
    public long count() {
      return 0;
    }

    @Override
    public boolean next() {
      return false;
    }

    @Override
    public byte[] array() {
      throw new IllegalStateException("no member here");
    }

    @Override
    public int offset() {
      throw new IllegalStateException("no member here");
    }

    @Override
    public int length() {
      throw new IllegalStateException("no member here");
    }

    @Override
    public void close() {}
  }
}
