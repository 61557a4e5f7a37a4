package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.value.LuaString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The bytes of a string in the making. They are counted before there is room for them, and as long
 * as the string is not made: nothing that a walk meets has them.
 *
 * <p>Used by the thread that has the state; one per string.
 */
public final class CountedBytes {
  private static final int FIRST_BYTES = 64;
  private static final int PIECE_BYTES_MAX = 1 << 20;

  private final LuaState state;
  private final List<byte[]> full = new ArrayList<>(0);
  private byte[] last = new byte[FIRST_BYTES];
  private int inLast;
  private long inFull;

  public CountedBytes(LuaState state) {
    this.state = state;
  }

  long size() {
    return inFull + inLast;
  }

  public void write(int single) {
    if (inLast == last.length) {
      grow(1);
    }
    last[inLast++] = (byte) single;
  }

  public void write(byte[] bytes) {
    write(bytes, 0, bytes.length);
  }

  void write(byte[] bytes, int from, int length) {
    int fits = Math.min(length, last.length - inLast);
    System.arraycopy(bytes, from, last, inLast, fits);
    inLast += fits;
    if (fits < length) {
      grow(length - fits);
      System.arraycopy(bytes, from + fits, last, 0, length - fits);
      inLast = length - fits;
    }
  }

  /** Another piece, which has room for so many bytes. */
  private void grow(int needed) {
    int capacity = Math.max(needed, Math.min(2 * last.length, PIECE_BYTES_MAX));
    if (size() + needed > state.limits().stringBytesMax()) {
      state.chargeString(size() + needed);
    }
    state.hold(capacity);
    full.add(last);
    inFull += inLast;
    last = new byte[capacity];
    inLast = 0;
  }

  /** The string. Nothing is written any more. */
  public LuaString string() {
    state.chargeString(size());
    byte[] all = full.isEmpty() ? Arrays.copyOf(last, inLast) : joined();
    long held = -FIRST_BYTES + last.length;
    for (byte[] piece : full) {
      held += piece.length;
    }
    state.letGo(held);
    full.clear();
    return LuaString.wrap(all);
  }

  private byte[] joined() {
    byte[] all = new byte[(int) size()];
    int at = 0;
    for (byte[] piece : full) {
      System.arraycopy(piece, 0, all, at, piece.length);
      at += piece.length;
    }
    System.arraycopy(last, 0, all, at, inLast);
    return all;
  }
}
