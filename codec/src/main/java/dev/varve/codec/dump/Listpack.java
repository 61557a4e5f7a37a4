package dev.varve.codec.dump;

import static dev.varve.codec.dump.DumpInput.damaged;
import static dev.varve.codec.dump.DumpInput.littleEndian;
import static dev.varve.codec.dump.DumpInput.text;

import dev.varve.codec.format.Slice;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Reads a listpack: strings and integers in one piece of memory, as Redis keeps small collections
 * and the entries of streams.
 *
 * <p>Pure functions, for any thread. They throw DamagedValueException where a blob is not laid out
 * as it should be.
 */
final class Listpack {
  /*
   * bytes:32 count:16 items 0xFF, little-endian. An item is a code with what it stands for, then the
   * size of both once more, in groups of 7 bits that are read from the end:
   *
   *   0vvvvvvv                   integer 0 to 127
   *   10llllll                   string of up to 63 bytes
   *   110vvvvv v:8               integer of 13 bits, signed
   *   1110llll l:8               string of up to 4095 bytes
   *   0xF0 l:32                  string, length little-endian
   *   0xF1 v:16, F2 v:24, F3 v:32, F4 v:64    integers, little-endian, signed
   */
  static final int HEADER_BYTES = 6;
  static final int END = 0xFF;
  static final int COUNT_UNKNOWN = 0xFFFF;
  private static final int LONG_STRING = 0xF0;

  private Listpack() {}

  static void read(byte[] blob, Consumer<byte[]> items) {
    require(blob.length > HEADER_BYTES);
    require(littleEndian(blob, 0, Integer.BYTES) == blob.length);
    int end = blob.length - 1;
    require((blob[end] & 0xFF) == END);
    int at = HEADER_BYTES;
    int count = 0;
    while (at < end) {
      int first = at;
      at = item(blob, at, end, items);
      at += requireBackLength(blob, at, end, at - first);
      count++;
    }
    long announced = littleEndian(blob, Integer.BYTES, Short.BYTES);
    require(announced == COUNT_UNKNOWN || announced == count);
  }

  private static int item(byte[] blob, int offset, int end, Consumer<byte[]> items) {
    int code = blob[offset] & 0xFF;
    int at = offset + 1;
    if (code < 0x80) {
      items.accept(text(code));
      return at;
    }
    if (code < 0xC0) {
      return string(blob, at, code & 0x3F, end, items);
    }
    if (code < 0xE0) {
      require(at < end);
      int value = (code & 0x1F) << Byte.SIZE | blob[at] & 0xFF;
      items.accept(text(value << 19 >> 19));
      return at + 1;
    }
    if (code < LONG_STRING) {
      require(at < end);
      return string(blob, at + 1, (code & 0x0F) << Byte.SIZE | blob[at] & 0xFF, end, items);
    }
    if (code == LONG_STRING) {
      require(end - at >= Integer.BYTES);
      return string(blob, at + 4, littleEndian(blob, at, Integer.BYTES), end, items);
    }
    int bytes =
        switch (code) {
          case 0xF1 -> 2;
          case 0xF2 -> 3;
          case 0xF3 -> 4;
          case 0xF4 -> 8;
          default -> throw damaged("a listpack's item of the code " + code);
        };
    require(bytes <= end - at);
    items.accept(text(PackedBlobs.signed(blob, at, bytes)));
    return at + bytes;
  }

  private static int string(byte[] blob, int at, long length, int end, Consumer<byte[]> items) {
    require(length <= end - at);
    items.accept(Arrays.copyOfRange(blob, at, at + (int) length));
    return at + (int) length;
  }

  private static int requireBackLength(byte[] blob, int at, int end, int size) {
    int bytes = backLengthBytes(size);
    require(bytes <= end - at);
    long back = 0;
    for (int i = 0; i < bytes; i++) {
      back |= (blob[at + bytes - 1 - i] & 0x7FL) << (7 * i);
    }
    require(back == size);
    return bytes;
  }

  /** How many bytes the size of an item takes after it. */
  static int backLengthBytes(int size) {
    if (size <= 127) {
      return 1;
    }
    if (size < 16_383) {
      return 2;
    }
    if (size < 2_097_151) {
      return 3;
    }
    return size < 268_435_455 ? 4 : 5;
  }

  /** How many bytes {@link #write} takes for an item. */
  static int itemBytes(Slice item) {
    int size = headBytes(item.length()) + item.length();
    return size + backLengthBytes(size);
  }

  /** Writes an item as a string, whatever it looks like; returns where it ends. */
  static int write(byte[] target, int offset, Slice item) {
    int length = item.length();
    int at = offset;
    switch (headBytes(length)) {
      case 1 -> target[at++] = (byte) (0x80 | length);
      case 2 -> {
        target[at++] = (byte) (0xE0 | length >> Byte.SIZE);
        target[at++] = (byte) length;
      }
      default -> {
        target[at++] = (byte) LONG_STRING;
        for (int i = 0; i < Integer.BYTES; i++) {
          target[at++] = (byte) (length >> Byte.SIZE * i);
        }
      }
    }
    System.arraycopy(item.array(), item.offset(), target, at, length);
    at += length;
    int size = at - offset;
    int bytes = backLengthBytes(size);
    for (int i = 0; i < bytes; i++) {
      // All but the one that is read last say that there is more.
      int group = size >> (7 * (bytes - 1 - i)) & 0x7F;
      target[at++] = (byte) (i == 0 ? group : group | 0x80);
    }
    return at;
  }

  /** Writes an integer; returns where it ends, at most 10 bytes further. */
  static int writeNumber(byte[] target, int offset, long value) {
    int at = offset;
    if (value >= 0 && value < 128) {
      target[at++] = (byte) value;
    } else {
      target[at++] = (byte) 0xF4;
      for (int i = 0; i < Long.BYTES; i++) {
        target[at++] = (byte) (value >>> Byte.SIZE * i);
      }
    }
    target[at] = (byte) (at - offset);
    return at + 1;
  }

  private static int headBytes(int length) {
    if (length < 64) {
      return 1;
    }
    return length < 4096 ? 2 : 1 + Integer.BYTES;
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw damaged("a broken listpack");
    }
  }
}
