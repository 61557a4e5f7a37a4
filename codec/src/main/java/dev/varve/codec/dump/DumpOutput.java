package dev.varve.codec.dump;

import java.util.Arrays;

/**
 * Writes a payload: the type, the parts of the value, and at the end version and checksum.
 *
 * <p>Single-threaded.
 */
final class DumpOutput {
  private static final int FIRST_BYTES = 128;
  private static final int BYTES_MAX = Integer.MAX_VALUE - 16;

  private final int version;
  private byte[] bytes = new byte[FIRST_BYTES];
  private int end;

  private DumpOutput() {
    this.version = DumpFormat.VERSION;
  }

  private DumpOutput(int type) {
    this(type, DumpFormat.VERSION);
  }

  private DumpOutput(int type, int version) {
    this.version = version;
    bytes[end++] = (byte) type;
  }

  /** Libraries of functions: see {@link LibraryDump}. */
  static DumpOutput ofLibraries() {
    return new DumpOutput();
  }

  public static DumpOutput ofString() {
    return new DumpOutput(DumpFormat.STRING);
  }

  /** A list: its length and elements follow. */
  public static DumpOutput ofList() {
    return new DumpOutput(DumpFormat.LIST);
  }

  /** A set: its length and members follow. */
  public static DumpOutput ofSet() {
    return new DumpOutput(DumpFormat.SET);
  }

  /** A hash: its length follows, and each field with its value. */
  public static DumpOutput ofHash() {
    return new DumpOutput(DumpFormat.HASH);
  }

  /**
   * A hash of which fields expire: its length follows, and each field with its value, and before
   * these how many ms and one behind {@code firstMillis} it expires, or 0.
   *
   * @param firstMillis not after any of these moments
   */
  static DumpOutput ofExpiringHash(long firstMillis) {
    DumpOutput output =
        new DumpOutput(DumpFormat.HASH_EXPIRING, DumpFormat.VERSION_OF_FIELD_EXPIRY);
    output.littleEndian(firstMillis, Long.BYTES);
    return output;
  }

  /** A sorted set: its length follows, and each member with its score. */
  public static DumpOutput ofSortedSet() {
    return new DumpOutput(DumpFormat.ZSET);
  }

  /** A stream: see {@link StreamWriter}. */
  public static DumpOutput ofStream() {
    return new DumpOutput(DumpFormat.STREAM_2);
  }

  /**
   * Makes room.
   *
   * @throws OutOfMemoryError when a payload would be longer than an array can be
   */
  private void room(long more) {
    long needed = end + more;
    if (needed > BYTES_MAX) {
      throw new OutOfMemoryError("a dumped value of more than " + BYTES_MAX + " bytes");
    }
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(BYTES_MAX, Math.max(needed, 2L * bytes.length)));
    }
  }

  public void length(long length) {
    room(1 + Long.BYTES);
    if (length >= 0 && length <= DumpFormat.LENGTH_6_BITS_MAX) {
      bytes[end++] = (byte) length;
    } else if (length >= 0 && length <= DumpFormat.LENGTH_14_BITS_MAX) {
      bytes[end++] = (byte) (0x40 | length >> Byte.SIZE);
      bytes[end++] = (byte) length;
    } else if (length >= 0 && length <= 0xFFFF_FFFFL) {
      bytes[end++] = (byte) DumpFormat.LENGTH_32_BITS;
      bigEndian(length, Integer.BYTES);
    } else {
      bytes[end++] = (byte) DumpFormat.LENGTH_64_BITS;
      bigEndian(length, Long.BYTES);
    }
  }

  /** Bytes as they are. */
  void bytes(byte[] array) {
    room(array.length);
    System.arraycopy(array, 0, bytes, end, array.length);
    end += array.length;
  }

  public void string(byte[] array, int offset, int length) {
    length(length);
    room(length);
    System.arraycopy(array, offset, bytes, end, length);
    end += length;
  }

  public void string(byte[] string) {
    string(string, 0, string.length);
  }

  public void score(double score) {
    littleEndian(Double.doubleToLongBits(score), Double.BYTES);
  }

  /** A number of so many bytes, lowest first. */
  void littleEndian(long value, int count) {
    room(count);
    for (int i = 0; i < count; i++) {
      bytes[end++] = (byte) (value >>> Byte.SIZE * i);
    }
  }

  /** A number of so many bytes, highest first. */
  void bigEndian(long value, int count) {
    room(count);
    for (int i = count - 1; i >= 0; i--) {
      bytes[end++] = (byte) (value >>> Byte.SIZE * i);
    }
  }

  /** The whole payload. */
  public byte[] finish() {
    littleEndian(version, Short.BYTES);
    littleEndian(Crc64.of(bytes, end), Long.BYTES);
    return Arrays.copyOf(bytes, end);
  }
}
