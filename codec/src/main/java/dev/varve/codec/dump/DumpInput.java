package dev.varve.codec.dump;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.store.StepMeter;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.WriteTooLargeException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parts of a payload, or of a whole file of values, one after the other, and nothing past
 * its end. Of a file what is needed is in memory, and a little more.
 *
 * <p>Single-threaded. Everything throws DamagedValueException where the bytes do not say what was
 * asked for, and UncheckedIOException where they cannot be had. What a payload gives is to be
 * written at once, and is in memory until then: WriteTooLargeException says where that would be too
 * much, however short the payload is.
 */
final class DumpInput {
  private static final int INTEGER_8 = 0;
  private static final int INTEGER_16 = 1;
  private static final int INTEGER_32 = 2;
  private static final int COMPRESSED = 3;

  private static final int TEXT_NAN = 253;
  private static final int TEXT_INFINITE = 254;
  private static final int TEXT_NEGATIVE_INFINITE = 255;

  /** The length of a source that ends where its bytes do. */
  static final long TO_ITS_END = Long.MAX_VALUE;

  /** How much of a file is read at once. */
  private static final int WINDOW_BYTES = 256 << 10;

  private static final int ARRAY_BYTES_MAX = Integer.MAX_VALUE - 16;

  /** What an array takes besides its bytes, and its place in a list. */
  static final int ITEM_BYTES = 24;

  private final @Nullable InputStream source;
  private final boolean hasLength;
  private final StepMeter meter;
  private final byte[] bytes;
  private int end;
  private int at;

  /** What the source has besides. */
  private long beyond;

  /** The checksum of what went out of the window, and where in the window the rest begins. */
  private long crc;

  private int crcFrom;
  private long decompressedBytes;

  /** What was made of a payload. */
  private long heldBytes;

  DumpInput(byte[] bytes, int offset, int end) {
    this(bytes, offset, end, StepMeter.NONE);
  }

  /**
   * @param meter is told of each item, and of so much else as takes as long
   */
  DumpInput(byte[] bytes, int offset, int end, StepMeter meter) {
    this.source = null;
    this.hasLength = true;
    this.meter = meter;
    this.bytes = bytes;
    this.at = offset;
    this.end = end;
  }

  /**
   * @param length how many bytes {@code source} has, or {@link #TO_ITS_END}
   */
  DumpInput(InputStream source, long length) {
    this.source = source;
    this.meter = StepMeter.NONE;
    this.bytes = new byte[WINDOW_BYTES];
    this.beyond = length;
    this.hasLength = length != TO_ITS_END;
  }

  static DamagedValueException damaged(String what) {
    return new DamagedValueException("a dumped value with " + what);
  }

  /**
   * One item more, of so many bytes, is about to be in memory.
   *
   * @throws WriteTooLargeException when all that was read of a payload is too much together
   */
  private void hold(long itemBytes) {
    step();
    if (source == null) {
      heldBytes += ITEM_BYTES + itemBytes;
      StoreBatch.requireRoom(heldBytes);
    }
  }

  /** Something was done that takes as long as to read an item does. */
  void step() {
    meter.step();
  }

  /** Adds to {@code items} what is read of a blob. */
  Consumer<byte[]> into(List<byte[]> items) {
    return item -> {
      hold(item.length);
      items.add(item);
    };
  }

  /** How many bytes there are behind what was read; very many where nobody knows. */
  long left() {
    return end - at + beyond;
  }

  private void require(long count) {
    if (count < 0 || count > left() || count > ARRAY_BYTES_MAX) {
      throw damaged(count + " bytes where " + left() + " are left");
    }
  }

  /** Where in the window the next {@code count} bytes are, which are few; they are read then. */
  private int take(int count) {
    require(count);
    if (count > end - at) {
      fill(count);
    }
    int taken = at;
    at += count;
    return taken;
  }

  /** Has in the window the next {@code count} bytes, and as many more as are to be had at once. */
  private void fill(int count) {
    crc = Crc64.update(crc, bytes, crcFrom, at);
    int kept = end - at;
    System.arraycopy(bytes, at, bytes, 0, kept);
    int wanted = (int) Math.min(bytes.length - kept, beyond);
    end = kept + read(bytes, kept, count - kept, wanted);
    at = 0;
    crcFrom = 0;
  }

  /** So many bytes as they are, in an array of their own. */
  byte[] bytes(long count) {
    require(count);
    hold(count);
    byte[] target = new byte[(int) count];
    if (count > end - at && count <= bytes.length) {
      fill((int) count);
    }
    int here = Math.min(target.length, end - at);
    System.arraycopy(bytes, at, target, 0, here);
    at += here;
    if (here < target.length) {
      // What is long goes past the window.
      crc = Crc64.update(crc, bytes, crcFrom, at);
      read(target, here, target.length - here, target.length - here);
      crc = Crc64.update(crc, target, here, target.length);
      end = 0;
      at = 0;
      crcFrom = 0;
    }
    return target;
  }

  /** Reads at least one number of bytes, and at most another: how many it were. */
  private int read(byte[] target, int offset, int least, int most) {
    int read = 0;
    try {
      InputStream its = Objects.requireNonNull(source);
      while (read < least) {
        int more = its.read(target, offset + read, most - read);
        if (more < 0) {
          throw damaged("its end " + (hasLength ? beyond - read + " bytes " : "") + "too soon");
        }
        read += more;
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    beyond -= read;
    return read;
  }

  /** The checksum of all that was read, where it is read from a file. */
  long checksum() {
    crc = Crc64.update(crc, bytes, crcFrom, at);
    crcFrom = at;
    return crc;
  }

  /** Another value begins: see {@link DumpFormat#DECOMPRESSED_BYTES_MAX}. */
  void beginValue() {
    decompressedBytes = 0;
  }

  /** Whether nothing is left; where nobody knows how much there is, that is waited for. */
  boolean isAtEnd() {
    return hasLength ? left() == 0 : at == end && isSourceAtEnd();
  }

  private boolean isSourceAtEnd() {
    try {
      return Objects.requireNonNull(source).read() < 0;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  int unsignedByte() {
    int offset = take(1);
    return bytes[offset] & 0xFF;
  }

  /** A number of so many bytes, lowest first. */
  long littleEndian(int count) {
    int offset = take(count);
    return littleEndian(bytes, offset, count);
  }

  /** The unsigned number in so many bytes, lowest first. */
  static long littleEndian(byte[] source, int offset, int count) {
    long value = 0;
    for (int i = count - 1; i >= 0; i--) {
      value = value << Byte.SIZE | source[offset + i] & 0xFF;
    }
    return value;
  }

  private long bigEndian(int count) {
    int offset = take(count);
    long value = 0;
    for (int i = 0; i < count; i++) {
      value = value << Byte.SIZE | bytes[offset + i] & 0xFF;
    }
    return value;
  }

  /** A length that is no code for a special string; as unsigned as Redis has it. */
  public long length() {
    int first = unsignedByte();
    if (first >> 6 == 3) {
      throw damaged("a code where a length should be");
    }
    return length(first);
  }

  private long length(int first) {
    return switch (first >> 6) {
      case 0 -> first;
      case 1 -> (first & DumpFormat.LENGTH_6_BITS_MAX) << Byte.SIZE | unsignedByte();
      default ->
          switch (first) {
            case DumpFormat.LENGTH_32_BITS -> bigEndian(Integer.BYTES);
            case DumpFormat.LENGTH_64_BITS -> bigEndian(Long.BYTES);
            default -> throw damaged("a length that begins with " + first);
          };
    };
  }

  /** How many entries follow, of which each takes {@code entryBytesMin} or more. */
  public int count(int entryBytesMin) {
    long count = length();
    if (count < 0 || count > left() / entryBytesMin || count > Integer.MAX_VALUE) {
      throw damaged(count + " entries in " + left() + " bytes");
    }
    return (int) count;
  }

  /** A string in any of its forms, as an array of its own. */
  public byte[] string() {
    int first = unsignedByte();
    if (first >> 6 != 3) {
      return bytes(length(first));
    }
    return switch (first & DumpFormat.LENGTH_6_BITS_MAX) {
      case INTEGER_8 -> numberAsText((byte) unsignedByte());
      case INTEGER_16 -> numberAsText((short) littleEndian(Short.BYTES));
      case INTEGER_32 -> numberAsText((int) littleEndian(Integer.BYTES));
      case COMPRESSED -> decompressed();
      default -> throw damaged("a string of the code " + (first & DumpFormat.LENGTH_6_BITS_MAX));
    };
  }

  private byte[] numberAsText(long value) {
    hold(Long.BYTES);
    return text(value);
  }

  private byte[] decompressed() {
    long compressed = length();
    long length = length();
    // No byte of a compressed string gives more than 132.
    if (compressed < 0
        || compressed > left()
        || length <= 0
        || length > compressed * 132
        || decompressedBytes + length > DumpFormat.DECOMPRESSED_BYTES_MAX) {
      throw damaged(compressed + " compressed bytes for " + length);
    }
    decompressedBytes += length;
    hold(length);
    byte[] target = new byte[(int) length];
    byte[] packed = bytes(compressed);
    Lzf.decompress(packed, 0, packed.length, target, meter);
    return target;
  }

  static byte[] text(long value) {
    return Long.toString(value).getBytes(StandardCharsets.US_ASCII);
  }

  /** The id of a stream's entry in its 16 bytes. */
  DumpedStream.Id rawId() {
    return new DumpedStream.Id(bigEndian(Long.BYTES), bigEndian(Long.BYTES));
  }

  /** A double in its 8 bytes, not NaN. */
  double binaryDouble() {
    return number(Double.longBitsToDouble(littleEndian(Double.BYTES)));
  }

  /** A double as text with its length before it, not NaN. */
  double textDouble() {
    int length = unsignedByte();
    return switch (length) {
      case TEXT_NAN -> throw damaged("a score that is not a number");
      case TEXT_INFINITE -> Double.POSITIVE_INFINITY;
      case TEXT_NEGATIVE_INFINITE -> Double.NEGATIVE_INFINITY;
      default -> {
        int offset = take(length);
        yield parse(new String(bytes, offset, length, StandardCharsets.ISO_8859_1));
      }
    };
  }

  /** The integer that an item of a listpack is. */
  static long number(byte[] text, String otherwise) {
    try {
      return Long.parseLong(new String(text, StandardCharsets.ISO_8859_1));
    } catch (NumberFormatException noNumber) {
      throw damaged(otherwise);
    }
  }

  /** The score that an item of a ziplist or listpack is. */
  static double score(byte[] text) {
    return parse(new String(text, StandardCharsets.ISO_8859_1));
  }

  private static double parse(String text) {
    switch (text) {
      case "inf" -> {
        return Double.POSITIVE_INFINITY;
      }
      case "-inf" -> {
        return Double.NEGATIVE_INFINITY;
      }
      default -> {
        for (int i = 0; i < text.length(); i++) {
          if ("+-.0123456789eE".indexOf(text.charAt(i)) < 0) {
            throw damaged("a score that is no number");
          }
        }
        try {
          return number(Double.parseDouble(text));
        } catch (NumberFormatException noNumber) {
          throw damaged("a score that is no number");
        }
      }
    }
  }

  private static double number(double value) {
    if (Double.isNaN(value)) {
      throw damaged("a score that is not a number");
    }
    return value;
  }
}
