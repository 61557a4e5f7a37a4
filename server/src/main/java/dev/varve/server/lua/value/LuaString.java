package dev.varve.server.lua.value;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A string of Lua: any bytes, never changed.
 *
 * <p>Immutable; any thread.
 */
public final class LuaString implements Comparable<LuaString> {
  public static final LuaString EMPTY = new LuaString(new byte[0]);

  /** Bytes of memory that a string takes besides its own. */
  public static final int OVERHEAD_BYTES = 40;

  private final byte[] bytes;
  private int hash;

  /** The last walk that met this string; only for whoever measures memory. */
  public int mark;

  private LuaString(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A string over these bytes, which nobody changes from now on. */
  public static LuaString wrap(byte[] bytes) {
    return bytes.length == 0 ? EMPTY : new LuaString(bytes);
  }

  /** One byte per character, which is at most 255. */
  public static LuaString of(String latin1) {
    return wrap(latin1.getBytes(StandardCharsets.ISO_8859_1));
  }

  public int length() {
    return bytes.length;
  }

  /** The byte at an index from 0, as 0 to 255. */
  public int at(int index) {
    return bytes[index] & 0xFF;
  }

  /** The bytes themselves: not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /** This one with another behind it. Whoever asks has counted the bytes. */
  public LuaString followedBy(LuaString other) {
    byte[] joined = Arrays.copyOf(bytes, bytes.length + other.bytes.length);
    System.arraycopy(other.bytes, 0, joined, bytes.length, other.bytes.length);
    return wrap(joined);
  }

  public LuaString slice(int begin, int end) {
    return begin == 0 && end == bytes.length ? this : wrap(Arrays.copyOfRange(bytes, begin, end));
  }

  /* Lua 5.1's own function, which of a long string takes some bytes only: the order of a table's
   * nodes follows from it, and scripts see that order. */
  @Override
  public int hashCode() {
    int h = hash;
    if (h == 0) {
      h = bytes.length;
      // Of long strings Lua takes some bytes only, Redis's Lua all: it decides the order of pairs.
      for (int at = bytes.length - 1; at >= 0; at--) {
        h ^= (h << 5) + (h >>> 2) + (bytes[at] & 0xFF);
      }
      hash = h;
    }
    return h;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other || (other instanceof LuaString that && sameAs(that));
  }

  boolean sameAs(LuaString that) {
    return this == that
        || (bytes.length == that.bytes.length
            && hashCode() == that.hashCode()
            && Arrays.equals(bytes, that.bytes));
  }

  @Override
  public int compareTo(LuaString that) {
    return Arrays.compareUnsigned(bytes, that.bytes);
  }

  /** As far as C reads it, for which a zero is the end. */
  public LuaString untilZero() {
    int end = 0;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return end == bytes.length ? this : slice(0, end);
  }

  /** The bytes as ISO 8859-1. */
  @Override
  public String toString() {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
