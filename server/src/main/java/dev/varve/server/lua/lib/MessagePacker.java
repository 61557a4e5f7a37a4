package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import org.jspecify.annotations.Nullable;

/**
 * Values of Lua as MessagePack (the format of msgpack.org, without extensions).
 *
 * <p>Used by the thread that has the state; one per call.
 */
final class MessagePacker {
  /** Tables that are nested deeper are nil, so that a table in itself comes to an end. */
  private static final int NESTING_MAX = 16;

  private static final int FIXED_MAX = 15;
  private static final int FIXED_STRING_MAX = 31;

  private final LuaState state;
  private final CountedBytes out;

  MessagePacker(LuaState state) {
    this.state = state;
    this.out = new CountedBytes(state);
  }

  LuaString packed() {
    return out.string();
  }

  void write(@Nullable Object value, int level) {
    state.tick();
    if (value instanceof LuaString text) {
      string(text);
    } else if (value instanceof Boolean truth) {
      out.write(truth ? 0xC3 : 0xC2);
    } else if (value instanceof Double number) {
      number(number);
    } else if (value instanceof LuaTable table && level < NESTING_MAX) {
      table(table, level);
    } else {
      out.write(0xC0);
    }
  }

  private void bigEndian(int marker, long bits, int bytes) {
    out.write(marker);
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
      out.write((int) (bits >>> shift));
    }
  }

  private void string(LuaString text) {
    int length = text.length();
    if (length <= FIXED_STRING_MAX) {
      out.write(0xA0 | length);
    } else if (length <= 0xFF) {
      bigEndian(0xD9, length, 1);
    } else if (length <= 0xFFFF) {
      bigEndian(0xDA, length, 2);
    } else {
      bigEndian(0xDB, length, 4);
    }
    out.write(text.bytes());
  }

  private void number(double number) {
    long whole = (long) number;
    if (whole == number && whole != Long.MAX_VALUE) {
      integer(whole);
    } else if ((float) number == number) {
      bigEndian(0xCA, Float.floatToRawIntBits((float) number), 4);
    } else {
      bigEndian(0xCB, Double.doubleToRawLongBits(number), 8);
    }
  }

  private void integer(long number) {
    if (number >= 0) {
      if (number <= 0x7F) {
        out.write((int) number);
      } else if (number <= 0xFF) {
        bigEndian(0xCC, number, 1);
      } else if (number <= 0xFFFF) {
        bigEndian(0xCD, number, 2);
      } else if (number <= 0xFFFFFFFFL) {
        bigEndian(0xCE, number, 4);
      } else {
        bigEndian(0xCF, number, 8);
      }
    } else if (number >= -32) {
      out.write((int) number);
    } else if (number >= Byte.MIN_VALUE) {
      bigEndian(0xD0, number, 1);
    } else if (number >= Short.MIN_VALUE) {
      bigEndian(0xD1, number, 2);
    } else if (number >= Integer.MIN_VALUE) {
      bigEndian(0xD2, number, 4);
    } else {
      bigEndian(0xD3, number, 8);
    }
  }

  private void size(int size, int fixed, int marker16) {
    if (size <= FIXED_MAX) {
      out.write(fixed | size);
    } else if (size <= 0xFFFF) {
      bigEndian(marker16, size, 2);
    } else {
      bigEndian(marker16 + 1, size, 4);
    }
  }

  private void table(LuaTable table, int level) {
    int count = 0;
    double max = 0;
    boolean indexes = true;
    for (int at = table.position(0); at >= 0; at = table.position(at + 1)) {
      count++;
      if (table.keyAt(at) instanceof Double key && key > 0 && (int) key.doubleValue() == key) {
        max = Math.max(max, key);
      } else {
        indexes = false;
      }
    }
    if (indexes && max == count) {
      int length = table.length();
      size(length, 0x90, 0xDC);
      for (int i = 1; i <= length; i++) {
        write(table.get(i), level + 1);
      }
      return;
    }
    size(count, 0x80, 0xDE);
    for (int at = table.position(0); at >= 0; at = table.position(at + 1)) {
      write(table.keyAt(at), level + 1);
      write(table.valueAt(at), level + 1);
    }
  }
}
