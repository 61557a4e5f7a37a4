package dev.varve.codec.string;

import dev.varve.codec.EventClass;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.Slice;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Integers of any width inside of strings, the highest bit first.
 *
 * <p>Pure functions of a transaction. Where a key holds another type they throw {@link
 * DataException#WRONG_TYPE}.
 */
public final class BitFields {
  private static final int UNSIGNED_BITS_MAX = 63;

  private BitFields() {}

  /** What to do with an integer. */
  public enum Action {
    GET,
    SET,
    INCREMENT
  }

  /** What becomes of an integer that does not fit. */
  public enum Overflow {
    WRAP,
    SATURATE,
    FAIL
  }

  /**
   * One step.
   *
   * @param isSigned whether negative ones are in two's complement; unsigned ones have 63 bits at
   *     most, signed ones 64
   * @param bits how wide it is, from 1
   * @param offset its first bit
   * @param operand what to set it to, or to add
   */
  public record Step(
      Action action, boolean isSigned, int bits, long offset, long operand, Overflow overflow) {}

  /** The integers at the places of steps that only get. */
  public static long[] get(Transaction transaction, int database, byte[] key, List<Step> steps) {
    StringValue value = StringValue.findBriefly(transaction, database, key);
    long[] found = new long[steps.size()];
    for (int i = 0; i < found.length; i++) {
      found[i] = value == null ? 0 : read(value, steps.get(i));
    }
    return found;
  }

  /**
   * Takes steps one after the other; returns for each the integer there, the one that was there,
   * the sum, or null if it did not fit and that is a failure. The string is made long enough for
   * all of them.
   */
  public static @Nullable Long[] run(
      Transaction transaction, int database, byte[] key, List<Step> steps) {
    StringValue value = StringValue.findForWrite(transaction, database, key);
    boolean isNew = value == null;
    if (value == null) {
      value = StringValue.findOrCreate(transaction, database, key);
    }
    long last = 0;
    for (Step step : steps) {
      if (step.action != Action.GET) {
        last = Math.max(last, step.offset + step.bits - 1);
      }
    }
    int before = value.length();
    value.grow((int) (last >> 3) + 1);
    boolean isLonger = isNew || value.length() > before;
    @Nullable Long[] results = new @Nullable Long[steps.size()];
    boolean isChanged = false;
    for (int i = 0; i < results.length; i++) {
      Step step = steps.get(i);
      long old = read(value, step);
      if (step.action == Action.GET) {
        results[i] = old;
        continue;
      }
      Long next = next(step, old);
      if (next != null) {
        if (next != old) {
          // What is written has to be saved, which it is not where nothing changes.
          write(value, step, next);
        }
        results[i] = step.action == Action.SET ? old : next;
        isChanged |= isLonger || next != old;
      }
    }
    // As in Redis, which makes it a raw string before it looks at the integers.
    if (isChanged || isLonger || !value.isEdited()) {
      value.save();
    }
    if (isChanged) {
      transaction.event(EventClass.STRING, "setbit", database, key);
    } else if (isLonger) {
      // Redis tells nobody, and who caches the key would go on without it.
      transaction.event(EventClass.SILENT, "setbit", database, key);
    }
    return results;
  }

  private static long read(StringValue value, Step step) {
    byte[] around = around(value, step);
    int shift = (int) (step.offset & 7);
    long bits = 0;
    for (int i = 0; i < step.bits; i++) {
      int at = shift + i;
      bits = bits << 1 | around[at >> 3] >> (7 - (at & 7)) & 1;
    }
    int unused = Long.SIZE - step.bits;
    return step.isSigned ? bits << unused >> unused : bits;
  }

  private static void write(StringValue value, Step step, long bits) {
    byte[] around = around(value, step);
    int shift = (int) (step.offset & 7);
    for (int i = 0; i < step.bits; i++) {
      int at = shift + i;
      int mask = 0x80 >> (at & 7);
      boolean on = (bits >>> (step.bits - 1 - i) & 1) != 0;
      around[at >> 3] = (byte) (on ? around[at >> 3] | mask : around[at >> 3] & ~mask);
    }
    value.write((int) (step.offset >> 3), around);
  }

  /** A copy of the bytes that an integer lies in, zero after the end of the value. */
  private static byte[] around(StringValue value, Step step) {
    long from = step.offset >> 3;
    int length = (int) (((step.offset + step.bits + 7) >> 3) - from);
    int there = (int) Math.max(0, Math.min(length, value.length() - from));
    if (there == 0) {
      return new byte[length];
    }
    Slice part = value.range((int) from, there);
    byte[] bytes = Arrays.copyOfRange(part.array(), part.offset(), part.offset() + there);
    return there == length ? bytes : Arrays.copyOf(bytes, length);
  }

  private static @Nullable Long next(Step step, long old) {
    boolean sets = step.action == Action.SET;
    long base = sets ? step.operand : old;
    long by = sets ? 0 : step.operand;
    long max = step.isSigned ? (-1L >>> (Long.SIZE - step.bits)) >>> 1 : unsignedMax(step.bits);
    long min = step.isSigned ? -max - 1 : 0;
    boolean isAbove;
    boolean isBelow;
    if (step.isSigned) {
      // As in Redis the room above is taken modulo 2^64: a number to set that is so far below that
      // the difference wraps counts as one above, and saturates there.
      boolean isWhole = step.bits == Long.SIZE;
      isAbove = base > max || (by > max - base && (!isWhole || base >= 0 && by > 0));
      isBelow = base < min || (by < min - base && (!isWhole || base < 0 && by < 0));
    } else {
      // A negative number to set is a very large one without a sign.
      isAbove = Long.compareUnsigned(base, max) > 0 || (by > 0 && by > max - base);
      isBelow = by < 0 && by < -base;
    }
    if (!isAbove && !isBelow) {
      return base + by;
    }
    return switch (step.overflow) {
      case FAIL -> null;
      case SATURATE -> isAbove ? max : min;
      case WRAP -> {
        int unused = Long.SIZE - step.bits;
        long wrapped = base + by << unused;
        yield step.isSigned ? wrapped >> unused : wrapped >>> unused;
      }
    };
  }

  private static long unsignedMax(int bits) {
    if (bits > UNSIGNED_BITS_MAX) {
      throw new IllegalArgumentException("an unsigned integer of " + bits + " bits");
    }
    return (1L << bits) - 1;
  }
}
