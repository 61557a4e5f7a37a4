package dev.varve.lsm.table;

import dev.varve.wal.CorruptionException;
import dev.varve.wal.FormatTooNewException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The bytes of a table's file. All integers are big-endian and unsigned.
 *
 * <pre>
 *   data block 0 … data block n-1 | filter | index | properties | footer
 * </pre>
 *
 * Each but the footer is a stored block:
 *
 * <pre>
 *   stored bytes   s     the raw bytes, or their LZ4 block
 *   compression    u8    0 none, 1 LZ4
 *   raw bytes      u32   length of the raw bytes
 *   checksum       u32   CRC32C of all before it
 * </pre>
 *
 * A handle says where one is: offset u64, s as u32. Data blocks and the index have the raw form of
 * {@link BlockFormat}; the values of the index are handles of data blocks. The filter's is in
 * {@link BloomFilter}, the properties' in {@link TableProperties}. The footer is the file's last 64
 * bytes, and will end alike in every later version:
 *
 * <pre>
 *    0  filter handle      12
 *   12  index handle       12
 *   24  properties handle  12
 *   36  zeroes             12
 *   48  format version     u32
 *   52  checksum           u32   CRC32C of the 52 bytes before it
 *   56  magic              u64   "VARVESST"
 * </pre>
 *
 * docs/formats/table.md has a worked example. Not instantiable.
 */
final class TableFormat {
  public static final int VERSION = 1;

  /** The longest key a table holds: two of them must fit its properties. */
  public static final int KEY_BYTES_MAX = 960 << 20;

  /** The longest value: a Redis string of 512 MiB with what a data structure puts beside it. */
  public static final int VALUE_BYTES_MAX = 640 << 20;

  static final long MAGIC = 0x5641525645535354L; // "VARVESST"
  static final int FOOTER_BYTES = 64;
  static final int HANDLE_BYTES = 12;
  static final int TRAILER_BYTES = 9;
  static final byte COMPRESSION_NONE = 0;
  static final byte COMPRESSION_LZ4 = 1;

  /** No block has more raw bytes: its LZ4 bound is an int then. */
  static final int RAW_BYTES_MAX = 2_000_000_000;

  /** LZ4 cannot shrink more: a larger claim is damage, found before anything is allocated. */
  static final int LZ4_RATIO_MAX = 255;

  /** Blocks of one table: ordinal and table number share a long in the cache. */
  static final int BLOCKS_MAX = 1 << 24;

  /** Table numbers, for the same reason. */
  static final long NUMBER_MAX = (1L << 40) - 1;

  private static final int VERSION_AT = 48;
  private static final int CHECKSUM_AT = 52;
  private static final int MAGIC_AT = 56;

  /** Where a stored block is; {@code storedBytes} is without its trailer. */
  record Handle(long offset, int storedBytes) {
    long end() {
      return offset + storedBytes + TRAILER_BYTES;
    }
  }

  /** A table's footer, decoded. */
  record Footer(Handle filter, Handle index, Handle properties) {}

  private TableFormat() {}

  static void putHandle(ByteBuffer target, int at, Handle handle) {
    target.putLong(at, handle.offset).putInt(at + 8, handle.storedBytes);
  }

  static ByteBuffer footer(Footer footer) {
    ByteBuffer bytes = ByteBuffer.allocate(FOOTER_BYTES);
    putHandle(bytes, 0, footer.filter);
    putHandle(bytes, HANDLE_BYTES, footer.index);
    putHandle(bytes, 2 * HANDLE_BYTES, footer.properties);
    bytes.putInt(VERSION_AT, VERSION);
    bytes.putInt(CHECKSUM_AT, checksum(bytes, 0, CHECKSUM_AT));
    bytes.putLong(MAGIC_AT, MAGIC);
    return bytes;
  }

  /** Decodes the footer of a file of {@code fileBytes} bytes. */
  static Footer footer(ByteBuffer bytes, String file, long fileBytes)
      throws CorruptionException, FormatTooNewException {
    long start = fileBytes - FOOTER_BYTES;
    if (bytes.getLong(MAGIC_AT) != MAGIC) {
      throw new CorruptionException(file, start + MAGIC_AT, "not a table: the magic is missing");
    }
    int checksum = checksum(bytes, 0, CHECKSUM_AT);
    if (bytes.getInt(CHECKSUM_AT) != checksum) {
      throw new CorruptionException(file, start, "the footer's checksum differs");
    }
    int version = bytes.getInt(VERSION_AT);
    if (version > VERSION) {
      throw new FormatTooNewException(file, version, VERSION);
    }
    if (version < 1) {
      throw new CorruptionException(file, start + VERSION_AT, "format version " + version);
    }
    return new Footer(
        handle(bytes, 0, start, file, start),
        handle(bytes, HANDLE_BYTES, start, file, start + HANDLE_BYTES),
        handle(bytes, 2 * HANDLE_BYTES, start, file, start + 2 * HANDLE_BYTES));
  }

  /**
   * Decodes a handle and checks that its block ends by {@code endMax}; {@code offset} in {@code
   * file} is where the handle itself is, for the message.
   */
  static Handle handle(ByteBuffer bytes, int at, long endMax, String file, long offset)
      throws CorruptionException {
    long start = bytes.getLong(at);
    int storedBytes = bytes.getInt(at + 8);
    if (start < 0
        || storedBytes < 0
        || start > endMax
        || storedBytes + (long) TRAILER_BYTES > endMax - start) {
      throw new CorruptionException(
          file, offset, "a handle points to " + storedBytes + " bytes at " + start);
    }
    return new Handle(start, storedBytes);
  }

  /** CRC32C of {@code bytes[from, from+length)}; moves neither position nor limit. */
  static int checksum(ByteBuffer bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().limit(from + length).position(from));
    return (int) crc.getValue();
  }
}
