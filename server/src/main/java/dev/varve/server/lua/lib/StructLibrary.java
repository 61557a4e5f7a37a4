package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.LuaArgs;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Results;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.NumberText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table {@code struct}: values as the bytes of C's structures, and back. */
public final class StructLibrary {
  private static final int LONG_BYTES = 8;
  private static final int INT_BYTES = 4;
  private static final int INTEGER_BYTES_MAX = 32;
  private static final int ALIGNMENT = 8;

  private StructLibrary() {}

  public static void register(LuaState state) {
    Library.named(state, "struct", 3)
        .add("pack", StructLibrary::pack)
        .add("unpack", StructLibrary::unpack)
        .add("size", StructLibrary::size);
  }

  /** The format, option by option. */
  private static final class Format {
    private final LuaArgs args;
    private final LuaString text;
    private int at;
    private boolean bigEndian;
    private int alignment = 1;

    int option;
    long size;

    Format(LuaArgs args) {
      this.args = args;
      this.text = args.string(1);
    }

    boolean next() {
      if (at >= text.length() || text.at(at) == 0) {
        return false;
      }
      args.state().tick();
      option = text.at(at++);
      size = optionSize();
      return true;
    }

    private int number(int otherwise) {
      if (!isDigit()) {
        return otherwise;
      }
      long number = 0;
      while (isDigit()) {
        number = number * 10 + text.at(at++) - '0';
        if (number > Integer.MAX_VALUE) {
          throw args.state().error("integral size overflow");
        }
      }
      return (int) number;
    }

    private boolean isDigit() {
      return at < text.length() && text.at(at) >= '0' && text.at(at) <= '9';
    }

    private int optionSize() {
      switch (option) {
        case 'B', 'b', 'x' -> {
          return 1;
        }
        case 'H', 'h' -> {
          return 2;
        }
        case 'L', 'l', 'T', 'd' -> {
          return LONG_BYTES;
        }
        case 'f' -> {
          return INT_BYTES;
        }
        case 'c' -> {
          return number(1);
        }
        case 'i', 'I' -> {
          int size = number(INT_BYTES);
          if (size > INTEGER_BYTES_MAX) {
            throw args.state()
                .error("integral size " + size + " is larger than limit of " + INTEGER_BYTES_MAX);
          }
          return size;
        }
        default -> {
          return 0;
        }
      }
    }

    /** How many bytes to leave out, so that the option is aligned. */
    long padding(long position) {
      if (size == 0 || option == 'c') {
        return 0;
      }
      long unit = Math.min(size, alignment);
      return (unit - (position & (unit - 1))) & (unit - 1);
    }

    /** An option that says how to go on. */
    void control() {
      switch (option) {
        case ' ' -> {}
        case '>' -> bigEndian = true;
        case '<' -> bigEndian = false;
        case '!' -> {
          int given = number(ALIGNMENT);
          if (given <= 0 || Integer.bitCount(given) != 1) {
            throw args.state().error("alignment " + given + " is not a power of 2");
          }
          alignment = given;
        }
        default -> throw args.bad(1, "invalid format option '" + (char) option + "'");
      }
    }

    boolean isInteger() {
      return "bBhHlLTiI".indexOf(option) >= 0;
    }
  }

  // ---- Packing

  private static Object pack(LuaArgs args) {
    Format format = new Format(args);
    CountedBytes out = new CountedBytes(args.state());
    int argument = 2;
    long total = 0;
    while (format.next()) {
      long padding = format.padding(total);
      out.write(new byte[(int) padding]);
      total += padding;
      long size = format.size;
      if (format.isInteger()) {
        integer(out, number(args, argument++), (int) size, format.bigEndian);
      } else {
        switch (format.option) {
          case 'x' -> out.write(0);
          case 'f' -> {
            float number = (float) number(args, argument++);
            bytes(out, Float.floatToRawIntBits(number), INT_BYTES, format.bigEndian);
          }
          case 'd' -> {
            double number = number(args, argument++);
            bytes(out, Double.doubleToRawLongBits(number), LONG_BYTES, format.bigEndian);
          }
          case 'c', 's' -> {
            LuaString text = string(args, argument++);
            size = size == 0 ? text.length() : size;
            if (text.length() < size) {
              throw args.bad(argument, "string too short");
            }
            out.write(text.bytes(), 0, (int) size);
            if (format.option == 's') {
              out.write(0);
              size++;
            }
          }
          default -> format.control();
        }
      }
      total += size;
    }
    return out.string();
  }

  /* Behind the last argument the library has a nil of its own, which its messages speak of. */
  private static double number(LuaArgs args, int index) {
    if (args.isNone(index)) {
      throw args.bad(index, "number expected, got nil");
    }
    return args.number(index);
  }

  private static LuaString string(LuaArgs args, int index) {
    if (args.isNone(index)) {
      throw args.bad(index, "string expected, got nil");
    }
    return args.string(index);
  }

  private static void integer(CountedBytes out, double number, int size, boolean bigEndian) {
    long bits =
        number >= 0x1p63
            ? LuaArgs.toLong(number - 0x1p63) ^ Long.MIN_VALUE
            : LuaArgs.toLong(number);
    bytes(out, bits, size, bigEndian);
  }

  private static void bytes(CountedBytes out, long bits, int size, boolean bigEndian) {
    for (int i = 0; i < size; i++) {
      int place = bigEndian ? size - 1 - i : i;
      out.write(place < LONG_BYTES ? (int) (bits >>> (8 * place)) : 0);
    }
  }

  // ---- Unpacking

  private static Object unpack(LuaArgs args) {
    Format format = new Format(args);
    LuaString data = args.string(2);
    long first = args.integer(3, 1);
    if (first == 0) {
      throw args.bad(3, "offset must be 1 or greater");
    }
    // As unsigned as C's: what is negative is behind the end of any string.
    long position = first < 0 ? Integer.MAX_VALUE * 2L : first - 1;
    boolean begun = args.state().beginMaking();
    List<@Nullable Object> values = new ArrayList<>();
    while (format.next()) {
      position += format.padding(position);
      checkLength(args, data, position, format.size);
      if (values.size() + args.count() >= BaseLibrary.VALUES_MAX - 2) {
        throw args.state().error("stack overflow (too many results)");
      }
      long size = format.size;
      if (format.isInteger()) {
        boolean signed = format.option >= 'a';
        values.add(integer(data, (int) position, (int) size, format.bigEndian, signed));
      } else {
        switch (format.option) {
          case 'x' -> {}
          case 'f' ->
              values.add(
                  (double)
                      Float.intBitsToFloat(
                          (int) bits(data, (int) position, INT_BYTES, format.bigEndian)));
          case 'd' ->
              values.add(
                  Double.longBitsToDouble(
                      bits(data, (int) position, LONG_BYTES, format.bigEndian)));
          case 'c' -> {
            if (size == 0) {
              size = previousSize(args, values);
              checkLength(args, data, position, size);
            }
            args.state().chargeString(size);
            values.add(data.slice((int) position, (int) (position + size)));
          }
          case 's' -> {
            int end = (int) position;
            while (end < data.length() && data.at(end) != 0) {
              end++;
            }
            if (end == data.length()) {
              throw args.state().error("unfinished string in data");
            }
            args.state().chargeString(end - position);
            values.add(data.slice((int) position, end));
            size = end - position + 1;
          }
          default -> format.control();
        }
      }
      position += size;
    }
    values.add(position + 1.0);
    args.state().endMaking(begun);
    return Results.of(values.toArray());
  }

  private static void checkLength(LuaArgs args, LuaString data, long position, long size) {
    if (size > data.length() || position > data.length() - size) {
      throw args.bad(2, "data string too short");
    }
  }

  private static long previousSize(LuaArgs args, List<@Nullable Object> values) {
    Object last = values.isEmpty() ? null : values.get(values.size() - 1);
    Double size = last instanceof Double number ? number : null;
    if (last instanceof LuaString text) {
      size = NumberText.read(text);
    }
    if (size == null) {
      throw args.state().error("format 'c0' needs a previous size");
    }
    values.remove(values.size() - 1);
    // As unsigned as C's: what is negative is too long for any string.
    return size < 0 ? Integer.MAX_VALUE * 2L : LuaArgs.toLong(size);
  }

  private static long bits(LuaString data, int position, int size, boolean bigEndian) {
    long bits = 0;
    for (int i = 0; i < size; i++) {
      int place = bigEndian ? i : size - 1 - i;
      bits = bits << 8 | data.at(position + place);
    }
    return bits;
  }

  private static double integer(
      LuaString data, int position, int size, boolean bigEndian, boolean signed) {
    long bits = bits(data, position, size, bigEndian);
    if (!signed) {
      return bits >= 0 ? (double) bits : (bits >>> 1 | bits & 1) * 2.0;
    }
    int unused = Math.max(0, Long.SIZE - 8 * size);
    return size == 0 ? 0 : (double) (bits << unused >> unused);
  }

  private static Object size(LuaArgs args) {
    Format format = new Format(args);
    long position = 0;
    while (format.next()) {
      position += format.padding(position);
      if (format.option == 's') {
        throw args.bad(1, "option 's' has no fixed size");
      }
      if (format.option == 'c' && format.size == 0) {
        throw args.bad(1, "option 'c0' has no fixed size");
      }
      if (!(format.option < 0x80 && Character.isLetterOrDigit(format.option))) {
        format.control();
      }
      position += format.size;
    }
    return (double) position;
  }
}
