package dev.varve.wal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The layout of a file of checksummed records: a header, then records without gaps, then nothing or
 * zeroes. Segments of the log and the manifest are such files. All integers are big-endian. The
 * header will be alike in every later version.
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
 *             12  8  position of this record's first byte
 *             20  3  synced file: how many files back the last synced point lies, 0 for this one
 *             23  5  synced offset: where in that file
 *             28     payload; none in a sync mark, which only tells what was synced
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
   * The synced point is what tells damage from a torn tail. Whatever lies before it was durable
   * when the record was appended, so a bad record there was damaged later. It is a file and an
   * offset, not a position, because the position of a file none of whose records can be read is not
   * known.
   */

  public static final int HEADER_BYTES = 28;
  public static final int RECORD_HEADER_BYTES = 28;

  /** The largest payload: a MULTI may carry several values of 512 MB, but not without end. */
  public static final int PAYLOAD_BYTES_MAX = 1 << 30;

  static final int HEADER_VERSION = 8;
  static final int HEADER_SALT = 12;
  static final int HEADER_NUMBER = 16;
  static final int HEADER_CRC = 24;

  static final int RECORD_CRC = 0;
  static final int RECORD_LENGTH = 4;
  static final int RECORD_SALT = 8;
  static final int RECORD_POSITION = 12;
  static final int RECORD_SYNCED = 20;

  private static final int SYNCED_OFFSET_BITS = 40;
  private static final long SYNCED_OFFSET_MAX = (1L << SYNCED_OFFSET_BITS) - 1;

  /** A synced file that is further back cannot be said. */
  private static final long SYNCED_FILES_BACK_UNKNOWN = (1L << 24) - 1;

  private RecordFileFormat() {}

  static ByteBuffer header(RecordFileKind kind, int salt, long number) {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    header.putLong(kind.magicBits()).putInt(kind.version()).putInt(salt).putLong(number);
    return header.putInt(headerCrc(header)).flip();
  }

  static int headerCrc(ByteBuffer header) {
    CRC32C crc = new CRC32C();
    crc.update(header.duplicate().position(0).limit(HEADER_CRC));
    return (int) crc.getValue();
  }

  /** The synced field of a record in file {@code number}. Never says more than is true. */
  static long syncedBits(long number, SyncedPoint synced) {
    long filesBack = Math.min(number - synced.file(), SYNCED_FILES_BACK_UNKNOWN);
    return filesBack << SYNCED_OFFSET_BITS | Math.min(synced.offset(), SYNCED_OFFSET_MAX);
  }

  /** What the synced field of a record in file {@code number} says. */
  static SyncedPoint syncedPoint(long number, long bits) {
    long filesBack = bits >>> SYNCED_OFFSET_BITS;
    return filesBack == SYNCED_FILES_BACK_UNKNOWN
        ? SyncedPoint.NONE
        : new SyncedPoint(number - filesBack, bits & SYNCED_OFFSET_MAX);
  }
}
