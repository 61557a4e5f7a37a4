package dev.varve.wal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The layout of a file of checksummed records: a header, then records without gaps, then nothing or
 * zeroes. Segments of the log and the manifest are such files. All integers are big-endian.
 *
 * <pre>
 * header       0  8  magic
 *              8  4  format version
 *             12  4  salt, random for each file
 *             16  8  file number
 *             24  4  CRC32C of bytes 0 to 23
 *
 * record       0  4  CRC32C of bytes 4 to the end of the payload
 *              4  4  payload length, 0 to 2^30
 *              8  4  salt of the file
 *             12  4  unsynced bytes: this record's position less the last synced position,
 *                    2^32 - 1 standing for that or more
 *             16  8  position of this record's first byte
 *             24     payload; none in a sync mark, which only carries what was synced
 * </pre>
 *
 * <p>docs/formats/log.md has a worked example.
 *
 * <p>Holds no state.
 */
public final class RecordFileFormat {
  /*
   * A position counts record bytes only, so it goes on from one file to the next: the first record
   * of a file stands at the base position, and a record at file offset o at base + o - HEADER_BYTES.
   * Position and salt together make sure that a byte string parses as a record only where it was
   * written: left-over bytes of a recycled file have other positions, and a value that is itself a
   * copy of a log cannot guess the salt.
   *
   * Unsynced bytes are what tells damage from a torn tail. Whatever lies before the last synced
   * position was durable when the record was appended, so a bad record there was damaged later.
   */

  public static final int HEADER_BYTES = 28;
  public static final int RECORD_HEADER_BYTES = 24;

  /** The largest payload: a MULTI may carry several values of 512 MB, but not without end. */
  public static final int PAYLOAD_BYTES_MAX = 1 << 30;

  static final int HEADER_VERSION = 8;
  static final int HEADER_SALT = 12;
  static final int HEADER_NUMBER = 16;
  static final int HEADER_CRC = 24;

  static final int RECORD_CRC = 0;
  static final int RECORD_LENGTH = 4;
  static final int RECORD_SALT = 8;
  static final int RECORD_UNSYNCED = 12;
  static final int RECORD_POSITION = 16;

  static final long UNSYNCED_BYTES_MAX = 0xFFFF_FFFFL;

  private RecordFileFormat() {}

  static ByteBuffer header(RecordFileKind kind, int salt, long number) {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    header.putLong(kind.magicBits()).putInt(kind.version()).putInt(salt).putLong(number);
    return header.putInt(headerCrc(header)).flip();
  }

  static int headerCrc(ByteBuffer header) {
    return crc(header, 0, HEADER_CRC);
  }

  /** The CRC32C of {@code bytes} bytes of {@code buffer} from the absolute {@code index} on. */
  static int crc(ByteBuffer buffer, int index, int bytes) {
    CRC32C crc = new CRC32C();
    crc.update(buffer.duplicate().limit(index + bytes).position(index));
    return (int) crc.getValue();
  }

  /**
   * The last synced position that the record header at {@code index} carries, or 0 when it was too
   * far behind to be said.
   */
  static long syncedPosition(ByteBuffer buffer, int index) {
    long unsyncedBytes = Integer.toUnsignedLong(buffer.getInt(index + RECORD_UNSYNCED));
    return unsyncedBytes == UNSYNCED_BYTES_MAX
        ? 0
        : buffer.getLong(index + RECORD_POSITION) - unsyncedBytes;
  }
}
