package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Operations;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * MessagePack as values of Lua.
 *
 * <p>Used by the thread that has the state; one per call.
 */
final class MessageUnpacker {
  private final LuaState state;
  private final byte[] packed;
  private int at;

  MessageUnpacker(LuaState state, byte[] packed, int offset) {
    this.state = state;
    this.packed = packed;
    this.at = offset;
  }

  int left() {
    return packed.length - at;
  }

  @Nullable Object read() {
    state.tick();
    int marker = (int) bits(1);
    if (marker <= 0x7F) {
      return (double) marker;
    } else if (marker >= 0xE0) {
      return (double) (byte) marker;
    } else if (marker < 0x90) {
      return map(marker & 0x0F);
    } else if (marker < 0xA0) {
      return array(marker & 0x0F);
    } else if (marker < 0xC0) {
      return string(marker & 0x1F);
    }
    return switch (marker) {
      case 0xC0 -> null;
      case 0xC2 -> Boolean.FALSE;
      case 0xC3 -> Boolean.TRUE;
      case 0xD9 -> string(bits(1));
      case 0xDA -> string(bits(2));
      case 0xDB -> string(bits(4));
      case 0xCA -> (double) Float.intBitsToFloat((int) bits(4));
      case 0xCB -> Double.longBitsToDouble(bits(8));
      case 0xCC -> (double) bits(1);
      case 0xCD -> (double) bits(2);
      case 0xCE -> (double) bits(4);
      case 0xCF, 0xD3 -> (double) bits(8); // The library reads both as signed.
      case 0xD0 -> (double) (byte) bits(1);
      case 0xD1 -> (double) (short) bits(2);
      case 0xD2 -> (double) (int) bits(4);
      case 0xDC -> array(bits(2));
      case 0xDD -> array(bits(4));
      case 0xDE -> map(bits(2));
      case 0xDF -> map(bits(4));
      default -> throw state.error("Bad data format in input.");
    };
  }

  private void need(long bytes) {
    if (bytes > left()) {
      throw state.error("Missing bytes in input.");
    }
  }

  private long bits(int bytes) {
    need(bytes);
    long bits = 0;
    for (int i = 0; i < bytes; i++) {
      bits = bits << 8 | (packed[at++] & 0xFF);
    }
    return bits;
  }

  private Object string(long length) {
    need(length);
    state.chargeString(length);
    byte[] bytes = Arrays.copyOfRange(packed, at, at + (int) length);
    at += (int) length;
    return LuaString.wrap(bytes);
  }

  private @Nullable Object array(long count) {
    return state.nested(
        () -> {
          LuaTable table = state.newTable();
          for (int i = 1; i <= count; i++) {
            table.put(i, read());
          }
          return table;
        });
  }

  private @Nullable Object map(long count) {
    return state.nested(
        () -> {
          LuaTable table = state.newTable();
          for (long i = 0; i < count; i++) {
            Object key = read();
            Operations.rawSet(state, table, key, read());
          }
          return table;
        });
  }
}
