package dev.varve.lsm.entry;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * How a read copies a value out of the memory that it lies in, which is not its own to keep.
 *
 * <p>Immutable, for any thread; but see {@link ValueBuffer}.
 */
public final class ValueCopy {

  /** What a read says of a value that it was not to copy. Compared by identity. */
  public static final byte[] NOT_COPIED = new byte[0];

  /** Who is told how long a value is before it is copied, which may wait for that. */
  public interface Room {
    void need(int bytes);
  }

  private static final Room NOBODY = bytes -> {};

  /** All of it, into an array of its own. */
  public static final ValueCopy WHOLE = new ValueCopy(Integer.MAX_VALUE, false, null, NOBODY);

  private final int bytesMax;
  private final boolean leavesLonger;
  private final @Nullable ValueBuffer buffer;
  private final Room room;

  private ValueCopy(int bytesMax, boolean leavesLonger, @Nullable ValueBuffer buffer, Room room) {
    this.bytesMax = bytesMax;
    this.leavesLonger = leavesLonger;
    this.buffer = buffer;
    this.room = room;
  }

  /** Of a longer value the first {@code bytes} bytes. */
  public static ValueCopy start(int bytes) {
    return new ValueCopy(bytes, false, null, NOBODY);
  }

  /** Of a longer value than {@code bytes} nothing but {@link #NOT_COPIED}. */
  public static ValueCopy upTo(int bytes) {
    return new ValueCopy(bytes, true, null, NOBODY);
  }

  /** All of it, into {@code buffer} where that takes it. */
  static ValueCopy into(ValueBuffer buffer) {
    return new ValueCopy(Integer.MAX_VALUE, false, buffer, NOBODY);
  }

  /** All of it, into an array of its own, once there is room for it. */
  public static ValueCopy within(Room room) {
    return new ValueCopy(Integer.MAX_VALUE, false, null, room);
  }

  /** Whether {@code copied} is all of a value. */
  public boolean isWhole(byte[] copied) {
    return leavesLonger || copied.length < bytesMax;
  }

  /** Of a longer value no more is copied. */
  public int bytesMax() {
    return bytesMax;
  }

  /** Copies the value {@code memory[at, at + length)}. */
  public byte[] of(ByteBuffer memory, int at, int length) {
    if (length > bytesMax && leavesLonger) {
      return NOT_COPIED;
    }
    int bytes = Math.min(length, bytesMax);
    room.need(bytes);
    byte[] copy = buffer == null ? new byte[bytes] : buffer.room(bytes);
    memory.get(at, copy, 0, bytes);
    return copy;
  }
}
