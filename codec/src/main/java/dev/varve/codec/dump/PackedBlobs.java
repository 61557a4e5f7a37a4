package dev.varve.codec.dump;

import static dev.varve.codec.dump.DumpInput.damaged;
import static dev.varve.codec.dump.DumpInput.littleEndian;
import static dev.varve.codec.dump.DumpInput.text;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Reads the small collections that Redis keeps in one piece of memory and dumps as they are:
 * ziplists, intsets and zipmaps. Listpacks have a class of their own.
 *
 * <p>Pure functions, for any thread. They throw DamagedValueException where a blob is not laid out
 * as it should be.
 */
final class PackedBlobs {
  private static final int END = 0xFF;

  private static final int ZIPLIST_HEADER_BYTES = 10;
  private static final int ZIPLIST_LONG = 0xFE;
  private static final int ZIPLIST_COUNT_UNKNOWN = 0xFFFF;

  private static final int INTSET_HEADER_BYTES = 8;
  private static final int ZIPMAP_LONG = 0xFE;

  private PackedBlobs() {}

  /*
   * Ziplist: bytes:32 lastOffset:32 count:16 entries 0xFF, little-endian. An entry: the size of the
   * one before it (1 byte, or 0xFE and 4), then 00llllll, 01llllll l:8 or 0x80 l:32 (big-endian) and
   * so many bytes; or a code and an integer.
   */
  static void ziplist(byte[] blob, Consumer<byte[]> items) {
    require(blob.length > ZIPLIST_HEADER_BYTES, "ziplist");
    require(littleEndian(blob, 0, Integer.BYTES) == blob.length, "ziplist");
    require((blob[blob.length - 1] & 0xFF) == END, "ziplist");
    int end = blob.length - 1;
    int at = ZIPLIST_HEADER_BYTES;
    int before = 0;
    int last = at;
    int count = 0;
    while (at < end) {
      last = at;
      boolean isLong = (blob[at] & 0xFF) == ZIPLIST_LONG;
      require((blob[at] & 0xFF) != END && (!isLong || end - at > Integer.BYTES), "ziplist");
      long size = isLong ? littleEndian(blob, at + 1, Integer.BYTES) : blob[at] & 0xFF;
      require(size == before, "ziplist");
      at = ziplistItem(blob, at + (isLong ? 1 + Integer.BYTES : 1), end, items);
      before = at - last;
      count++;
    }
    long announced = littleEndian(blob, 8, Short.BYTES);
    require(announced == ZIPLIST_COUNT_UNKNOWN || announced == count, "ziplist");
    require(littleEndian(blob, 4, Integer.BYTES) == last, "ziplist");
  }

  private static int ziplistItem(byte[] blob, int offset, int end, Consumer<byte[]> items) {
    require(offset < end, "ziplist");
    int code = blob[offset] & 0xFF;
    int at = offset + 1;
    if (code >> 6 != 3) {
      int lengthBytes = code >> 6 == 0 ? 0 : code >> 6 == 1 ? 1 : Integer.BYTES;
      require(lengthBytes <= end - at, "ziplist");
      long length = lengthBytes == Integer.BYTES ? 0 : code & 0x3F;
      for (int i = 0; i < lengthBytes; i++) {
        length = length << Byte.SIZE | blob[at++] & 0xFF;
      }
      require(length <= end - at, "ziplist");
      items.accept(Arrays.copyOfRange(blob, at, at + (int) length));
      return at + (int) length;
    }
    int bytes =
        switch (code) {
          case 0xC0 -> 2;
          case 0xD0 -> 4;
          case 0xE0 -> 8;
          case 0xF0 -> 3;
          case 0xFE -> 1;
          default -> 0;
        };
    if (bytes == 0) {
      // The integers from 0 to 12 are codes themselves.
      require(code > 0xF0 && code < 0xFE, "ziplist");
      items.accept(text((code & 0x0F) - 1));
      return at;
    }
    require(bytes <= end - at, "ziplist");
    items.accept(text(signed(blob, at, bytes)));
    return at + bytes;
  }

  /** The signed number in so many bytes, lowest first. */
  static long signed(byte[] blob, int offset, int bytes) {
    int shift = Long.SIZE - Byte.SIZE * bytes;
    return littleEndian(blob, offset, bytes) << shift >> shift;
  }

  /** Intset: bytes of each:32 count:32 integers in ascending order, little-endian. */
  static void intset(byte[] blob, Consumer<byte[]> items) {
    require(blob.length >= INTSET_HEADER_BYTES, "intset");
    long bytes = littleEndian(blob, 0, Integer.BYTES);
    long count = littleEndian(blob, Integer.BYTES, Integer.BYTES);
    require(bytes == 2 || bytes == 4 || bytes == 8, "intset");
    require(count > 0 && count * bytes == blob.length - INTSET_HEADER_BYTES, "intset");
    long before = Long.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      long value = signed(blob, INTSET_HEADER_BYTES + i * (int) bytes, (int) bytes);
      require(i == 0 || value > before, "intset");
      items.accept(text(value));
      before = value;
    }
  }

  /**
   * Zipmap: count:8, then field and value, each with a length (1 byte, or 0xFE and 4 bytes
   * little-endian), the value's followed by how many bytes after it are free; 0xFF at the end.
   */
  static void zipmap(byte[] blob, Consumer<byte[]> items) {
    require(blob.length >= 2 && (blob[blob.length - 1] & 0xFF) == END, "zipmap");
    int end = blob.length - 1;
    int at = 1;
    int fields = 0;
    for (; at < end; fields++) {
      for (int part = 0; part < 2; part++) {
        require(at < end && (blob[at] & 0xFF) != END, "zipmap");
        boolean isLong = (blob[at] & 0xFF) == ZIPMAP_LONG;
        require(!isLong || end - at > Integer.BYTES, "zipmap");
        long length = isLong ? littleEndian(blob, at + 1, Integer.BYTES) : blob[at] & 0xFF;
        at += isLong ? 1 + Integer.BYTES : 1;
        int free = 0;
        if (part == 1) {
          require(at < end, "zipmap");
          free = blob[at++] & 0xFF;
        }
        require(length + free <= end - at, "zipmap");
        items.accept(Arrays.copyOfRange(blob, at, at + (int) length));
        at += (int) length + free;
      }
    }
    int count = blob[0] & 0xFF;
    require(count >= ZIPMAP_LONG || count == fields, "zipmap");
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw damaged("a broken " + what);
    }
  }
}
