package dev.varve.codec.dump;

import dev.varve.codec.Meta;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a payload, or a whole file of values, part after part; of a file little is in memory.
 *
 * <p>Single-threaded. Throws UncheckedIOException where a file takes nothing more.
 */
final class DumpOutput {
  private static final int FIRST_BYTES = 128;
  private static final int BYTES_MAX = Integer.MAX_VALUE - 16;

  /** How much of a file is written at once. */
  private static final int WINDOW_BYTES = 64 << 10;

  private final @Nullable OutputStream file;
  private final LongConsumer growth;
  private byte[] bytes = new byte[FIRST_BYTES];
  private int end;
  private int version = DumpFormat.VERSION;

  /** The checksum of what is in the file. */
  private long crc;

  /** What goes behind the type of the next value. */
  private byte @Nullable [] key;

  /** A payload that is short. */
  DumpOutput() {
    this(bytes -> {});
  }

  /**
   * A payload.
   *
   * @param growth is told how long it will be at least, before it grows
   */
  DumpOutput(LongConsumer growth) {
    this.file = null;
    this.growth = growth;
  }

  /** A file. */
  DumpOutput(OutputStream file) {
    this.file = file;
    this.growth = bytes -> {};
  }

  /** The value that comes next in a file is that of a key. */
  void beginKey(byte[] its, long expiryMillis) {
    key = its;
    if (expiryMillis != Meta.NO_EXPIRY) {
      code(RdbFormat.EXPIRY_MILLIS);
      littleEndian(expiryMillis, Long.BYTES);
    }
  }

  /** What the value that follows is: see {@link DumpFormat}. */
  void type(int type) {
    code(type);
    if (type == DumpFormat.HASH_EXPIRING) {
      version = DumpFormat.VERSION_OF_FIELD_EXPIRY;
    }
    byte[] its = key;
    if (its != null) {
      string(its);
      key = null;
    }
  }

  /** One byte that says what follows. */
  void code(int code) {
    room(1);
    bytes[end++] = (byte) code;
  }

  /**
   * Makes room.
   *
   * @throws OutOfMemoryError when a payload would be longer than an array can be
   */
  private void room(long more) {
    if (file != null && end + more > WINDOW_BYTES) {
      flush();
    }
    long needed = end + more;
    if (needed > BYTES_MAX) {
      throw new OutOfMemoryError("a dumped value of more than " + BYTES_MAX + " bytes");
    }
    if (needed > bytes.length) {
      growth.accept(needed);
      bytes = Arrays.copyOf(bytes, (int) Math.min(BYTES_MAX, Math.max(needed, 2L * bytes.length)));
    }
  }

  private void flush() {
    write(bytes, 0, end);
    end = 0;
  }

  private void write(byte[] array, int offset, int length) {
    if (file == null) {
      throw new IllegalStateException("a payload is no file");
    }
    crc = Crc64.update(crc, array, offset, offset + length);
    try {
      file.write(array, offset, length);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
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
    bytes(array, 0, array.length);
  }

  private void bytes(byte[] array, int offset, int length) {
    if (file != null && length > WINDOW_BYTES) {
      flush();
      write(array, offset, length);
      return;
    }
    room(length);
    System.arraycopy(array, offset, bytes, end, length);
    end += length;
  }

  public void string(byte[] array, int offset, int length) {
    length(length);
    bytes(array, offset, length);
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

  /** The whole payload, version and checksum behind it. */
  public byte[] finish() {
    littleEndian(version, Short.BYTES);
    littleEndian(Crc64.of(bytes, end), Long.BYTES);
    return Arrays.copyOf(bytes, end);
  }

  /** Ends the file with its checksum; who has it open closes it. */
  void finishFile() {
    flush();
    littleEndian(crc, Long.BYTES);
    flush();
  }
}
