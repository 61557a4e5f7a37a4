package dev.varve.codec.string;

import dev.varve.codec.EventClass;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.Slice;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Strings as rows of bits, the highest bit of the first byte being number 0.
 *
 * <p>Pure functions of a transaction. Where a key holds another type they throw {@link
 * DataException#WRONG_TYPE}. What lies after the end of a string is zero.
 */
public final class Bitmaps {
  /** What {@link #position} returns when there is no such bit. */
  public static final long NONE = -1;

  private static final byte[] EMPTY = new byte[0];
  private static final int STEP_BYTES = 64 * 1024;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private Bitmaps() {}

  /** How strings are combined. */
  public enum Operation {
    AND,
    OR,
    XOR,
    NOT,
    /** What the first has and no other. */
    DIFF,
    /** What others have and the first has not. */
    DIFF1,
    /** What the first has and any other. */
    ANDOR,
    /** What exactly one has. */
    ONE
  }

  /**
   * A part of a string, both ends included, negative ones counted from the end.
   *
   * @param isBits whether the ends are bits, not bytes
   */
  public record Range(long start, long end, boolean isBits) {}

  /**
   * Sets or clears a bit below 2^32, making the string longer where needed; returns the old one.
   */
  public static boolean set(
      Transaction transaction, int database, byte[] key, long bit, boolean on) {
    StringValue value = StringValue.findForWrite(transaction, database, key);
    boolean isLonger = value == null || bit >> 3 >= value.length();
    if (value == null) {
      value = StringValue.findOrCreate(transaction, database, key);
    }
    int at = (int) (bit >> 3);
    byte old = value.byteAt(at);
    int mask = 0x80 >> (bit & 7);
    boolean was = (old & mask) != 0;
    if (isLonger || was != on) {
      value.write(at, new byte[] {(byte) (on ? old | mask : old & ~mask)});
      value.save();
      transaction.event(EventClass.STRING, "setbit", database, key);
    } else if (!value.isEdited()) {
      // As in Redis, which makes it a raw string before it looks at the bit.
      value.save();
    }
    return was;
  }

  public static boolean get(Transaction transaction, int database, byte[] key, long bit) {
    StringValue value = StringValue.findBriefly(transaction, database, key);
    return value != null && (value.byteAt(bit >> 3) & 0x80 >> (bit & 7)) != 0;
  }

  /**
   * How many bits are set.
   *
   * @param asked says where to count, null for all of the string; is asked if there is one
   */
  public static long count(
      Transaction transaction, int database, byte[] key, Supplier<@Nullable Range> asked) {
    StringValue value = StringValue.findBriefly(transaction, database, key);
    if (value == null) {
      return 0;
    }
    Range range = asked.get();
    long bits = 8L * value.length();
    long from = 0;
    long to = bits;
    if (range != null) {
      if (range.start < 0 && range.end < 0 && range.start > range.end) {
        return 0;
      }
      int unit = range.isBits ? 1 : 8;
      from = unit * first(range.start, bits / unit);
      to = unit * (last(range.end, bits / unit) + 1);
    }
    if (from >= to) {
      return 0;
    }
    long[] count = new long[1];
    value.walk(
        from >> 3,
        (to + 7) >> 3,
        (position, array, offset, length) -> {
          count[0] += count(array, offset, length);
          return true;
        });
    long before = Integer.bitCount(value.byteAt(from >> 3) & 0xFF00 >> (from & 7) & 0xFF);
    long after = (to & 7) == 0 ? 0 : Integer.bitCount(value.byteAt(to >> 3) & 0xFF >> (to & 7));
    return count[0] - before - after;
  }

  private static long first(long index, long size) {
    return Math.min(size, Math.max(0, index < 0 ? index + size : index));
  }

  private static long last(long index, long size) {
    return Math.min(size - 1, Math.max(0, index < 0 ? index + size : index));
  }

  private static long count(byte[] array, int offset, int length) {
    long count = 0;
    int at = offset;
    int end = offset + length;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      count += Long.bitCount((long) LONG.get(array, at));
    }
    for (; at < end; at++) {
      count += Integer.bitCount(array[at] & 0xFF);
    }
    return count;
  }

  /**
   * The first bit that is set, or clear, or {@link #NONE}. A clear one may be the first after the
   * end, unless the end is given.
   *
   * @param asked says where to look, null for all of the string; is asked if there is one
   * @param isEndGiven whether its end was asked for
   */
  public static long position(
      Transaction transaction,
      int database,
      byte[] key,
      boolean on,
      Supplier<@Nullable Range> asked,
      boolean isEndGiven) {
    StringValue value = StringValue.findBriefly(transaction, database, key);
    if (value == null) {
      return on ? NONE : 0;
    }
    Range range = asked.get();
    long bits = 8L * value.length();
    int unit = range != null && range.isBits ? 1 : 8;
    long start = range == null ? 0 : range.start;
    long end = range == null || !isEndGiven ? -1 : range.end;
    long from = unit * first(start, bits / unit);
    long to = unit * (last(end, bits / unit) + 1);
    if (from >= to) {
      return NONE;
    }
    Search search = new Search(on, from, to);
    value.walk(from >> 3, (to + 7) >> 3, search);
    if (search.found != NONE) {
      return search.found < to ? search.found : NONE;
    }
    if (on) {
      return NONE;
    }
    return search.at < to || !isEndGiven ? search.at : NONE;
  }

  /** Looks for the first bit that is on, or off; what no piece covers is off. */
  private static final class Search implements StringValue.PieceVisitor {
    private final boolean on;
    private final long to;

    /** All before this bit are not what is looked for. */
    private long at;

    private long found = NONE;

    Search(boolean on, long from, long to) {
      this.on = on;
      this.at = from;
      this.to = to;
    }

    @Override
    public boolean piece(long position, byte[] array, int offset, int length) {
      long start = 8 * position;
      if (!on && start > at) {
        found = at;
        return false;
      }
      at = Math.max(at, start);
      int index = offset + (int) ((at >> 3) - position);
      int end = offset + length;
      int flip = on ? 0 : 0xFF;
      int first = (array[index] ^ flip) & 0xFF >> (at & 7);
      while (first == 0 && ++index < end) {
        index = skip(array, index, end, on ? 0 : -1L);
        first = index < end ? (array[index] ^ flip) & 0xFF : 0;
      }
      if (first != 0) {
        found = start + 8L * (index - offset) + Integer.numberOfLeadingZeros(first) - 24;
        return false;
      }
      at = Math.min(to, start + 8L * length);
      return at < to;
    }

    private static int skip(byte[] array, int from, int end, long same) {
      int index = from;
      while (index + Long.BYTES <= end && (long) LONG.get(array, index) == same) {
        index += Long.BYTES;
      }
      return index;
    }
  }

  /**
   * Makes what strings give together what {@code target} holds, whatever it held; returns how many
   * bytes that has. With none the target is deleted.
   */
  public static int operate(
      Transaction transaction,
      int database,
      Operation operation,
      byte[] target,
      List<byte[]> sources) {
    // Those in one piece are combined one by one, since what is read briefly is gone with the next
    // read; unless the operation has to see all of them together.
    boolean isChoice = BitChoices.has(operation);
    List<StringValue> kept = new ArrayList<>();
    OnePiece onePiece = new OnePiece(operation);
    int length = 0;
    for (byte[] source : sources) {
      StringValue value =
          isChoice
              ? StringValue.find(transaction, database, source)
              : StringValue.findBriefly(transaction, database, source);
      if (isChoice && value == null) {
        kept.add(StringValue.of(transaction, database, source, Meta.ofString(EMPTY)));
      } else if (value != null && (isChoice || value.meta().isSpread())) {
        kept.add(value);
      } else {
        onePiece.take(value == null ? Slice.of(EMPTY) : value.all());
      }
      length = Math.max(length, value == null ? 0 : value.length());
    }
    if (length == 0) {
      Meta old = transaction.findToOverwrite(database, target);
      if (old != null) {
        transaction.remove(database, target, old);
        transaction.event(EventClass.GENERIC, "del", database, target);
      }
      return 0;
    }
    List<StringValue> values = new ArrayList<>(kept);
    if (kept.size() < sources.size()) {
      // Not inverted yet.
      values.add(StringValue.of(transaction, database, target, Meta.ofString(onePiece.bytes())));
    }
    Meta result;
    if (length <= transaction.packedLimits().stringBytesMax()) {
      boolean isOnePiece = kept.isEmpty();
      result =
          Meta.ofString(isOnePiece ? onePiece.result() : combined(operation, values, 0, length));
    } else {
      StringValue fragments = StringValue.ofFragments(transaction, database, target);
      for (int from = 0; from < length; from += STEP_BYTES) {
        int step = Math.min(STEP_BYTES, length - from);
        fragments.write(from, combined(operation, values, from, step));
      }
      result = fragments.meta();
    }
    result.setEdited();
    transaction.replace(database, target, transaction.findToOverwrite(database, target), result);
    transaction.event(EventClass.STRING, "set", database, target);
    return length;
  }

  /** What strings in one piece give together. */
  private static final class OnePiece {
    private final Operation operation;
    private byte @Nullable [] combined;

    OnePiece(Operation operation) {
      this.operation = operation;
    }

    void take(Slice string) {
      byte[] bytes = combined;
      if (bytes == null) {
        int from = string.offset();
        combined = Arrays.copyOfRange(string.array(), from, from + string.length());
        return;
      }
      int both = Math.min(bytes.length, string.length());
      if (operation == Operation.AND) {
        Arrays.fill(bytes, both, bytes.length, (byte) 0);
      }
      if (bytes.length < string.length()) {
        bytes = Arrays.copyOf(bytes, string.length());
        combined = bytes;
      }
      int length = operation == Operation.AND ? both : string.length();
      combine(operation, bytes, 0, string.array(), string.offset(), length);
    }

    /** What was taken, combined, but not inverted. */
    byte[] bytes() {
      return combined == null ? EMPTY : combined;
    }

    byte[] result() {
      byte[] bytes = bytes();
      if (operation == Operation.NOT) {
        combine(operation, bytes, 0, bytes, 0, bytes.length);
      }
      return bytes;
    }
  }

  /**
   * What strings give together.
   *
   * @param from at which byte of theirs the result begins
   */
  static byte[] combined(Operation operation, List<StringValue> values, int from, int length) {
    if (BitChoices.has(operation)) {
      return BitChoices.of(operation, values, from, length);
    }
    byte[] result = new byte[length];
    for (int i = 0; i < values.size(); i++) {
      boolean isCopy = i == 0 && operation == Operation.AND;
      Combination combination = new Combination(isCopy ? Operation.OR : operation, result, from);
      values.get(i).walk(from, from + (long) length, combination);
      combination.zeroesUpTo(length);
    }
    return result;
  }

  /** Combines what is there so far with the pieces of a string; what no piece covers is zero. */
  private static final class Combination implements StringValue.PieceVisitor {
    private final Operation operation;
    private final byte[] result;
    private final int from;

    /** All before this byte of the result is done. */
    private int done;

    /**
     * @param from where in the strings the result begins
     */
    Combination(Operation operation, byte[] result, int from) {
      this.operation = operation;
      this.result = result;
      this.from = from;
    }

    @Override
    public boolean piece(long position, byte[] array, int offset, int length) {
      int at = (int) (position - from);
      zeroesUpTo(at);
      combine(operation, result, at, array, offset, length);
      done = at + length;
      return true;
    }

    void zeroesUpTo(int end) {
      switch (operation) {
        case OR, XOR -> {}
        case AND -> Arrays.fill(result, done, end, (byte) 0);
        case NOT -> Arrays.fill(result, done, end, (byte) -1);
        default -> throw new IllegalArgumentException(operation.name());
      }
    }
  }

  private static void combine(
      Operation operation, byte[] result, int at, byte[] array, int offset, int length) {
    switch (operation) {
      case OR -> {
        for (int i = 0; i < length; i++) {
          result[at + i] |= array[offset + i];
        }
      }
      case XOR -> {
        for (int i = 0; i < length; i++) {
          result[at + i] ^= array[offset + i];
        }
      }
      case AND -> {
        for (int i = 0; i < length; i++) {
          result[at + i] &= array[offset + i];
        }
      }
      case NOT -> {
        for (int i = 0; i < length; i++) {
          result[at + i] = (byte) ~array[offset + i];
        }
      }
      default -> throw new IllegalArgumentException(operation.name());
    }
  }
}
