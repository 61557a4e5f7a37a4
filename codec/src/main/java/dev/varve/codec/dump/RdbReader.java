package dev.varve.codec.dump;

import static dev.varve.codec.dump.DumpInput.damaged;

import dev.varve.codec.Meta;
import dev.varve.codec.format.DamagedValueException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Reads an RDB file of Redis or Valkey from its first byte to its last.
 *
 * <p>On one thread. Throws DamagedValueException where the bytes do not say what they should.
 */
final class RdbReader {
  /** Who is told what is in it, in its order. */
  interface Sink {

    /**
     * A value, or a piece of one.
     *
     * @param expiryMillis when it expires, or {@link Meta#NO_EXPIRY}
     * @param isFirst whether the key had none before
     */
    void piece(int database, byte[] key, long expiryMillis, boolean isFirst, DumpedValue piece);

    /** A library, by all of its code. */
    void library(byte[] code);

    /** What the file says of itself, or of the server that it is of. */
    void note(byte[] name, byte[] value);

    /** A key of a module's type, which nothing here can read. */
    void unreadable();
  }

  private static final int DATABASE_MAX = (1 << 16) - 1;

  private final DumpInput input;
  private final long version;
  private int database;
  private byte[] key = {};
  private long expiryMillis = Meta.NO_EXPIRY;
  private boolean isBegun;

  /**
   * Reads what the file begins with.
   *
   * @throws DamagedValueException when it is no such file, or of a version that is not read
   */
  RdbReader(DumpInput input) {
    this.input = input;
    this.version = version(input);
  }

  private static long version(DumpInput input) {
    byte[] header =
        input.left() < RdbFormat.HEADER_BYTES ? new byte[0] : input.bytes(RdbFormat.HEADER_BYTES);
    String text = new String(header, StandardCharsets.ISO_8859_1);
    boolean isOfRedis = text.startsWith(RdbFormat.REDIS);
    if (!isOfRedis && !text.startsWith(RdbFormat.VALKEY)) {
      throw new DamagedValueException("not an RDB file: it does not begin with REDIS or VALKEY");
    }
    String digits = text.substring((isOfRedis ? RdbFormat.REDIS : RdbFormat.VALKEY).length());
    if (!digits.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
      throw new DamagedValueException("not an RDB file: it has no version");
    }
    long version = Long.parseLong(digits);
    if (!DumpFormat.isVersionRead(version)) {
      throw new DamagedValueException(
          "an RDB file of version "
              + version
              + ", and those up to "
              + DumpFormat.VERSION_MAX
              + " are read, and "
              + DumpFormat.VERSION_OF_VALKEY
              + " of Valkey");
    }
    return version;
  }

  private void piece(Sink sink, DumpedValue piece) {
    sink.piece(database, key, expiryMillis, !isBegun, piece);
    isBegun = true;
  }

  /**
   * Reads all that follows, to the end.
   *
   * @param limit how much of a collection the sink is given at once
   */
  void read(ValueReader.Limit limit, Sink sink) {
    ValueReader values = new ValueReader(input, version, limit, piece -> piece(sink, piece));
    int code = input.unsignedByte();
    while (code != RdbFormat.END) {
      one(code, values, sink);
      code = input.unsignedByte();
    }
    if (version >= RdbFormat.VERSION_WITH_CHECKSUM) {
      long checksum = input.checksum();
      long expected = input.littleEndian(Long.BYTES);
      // Redis writes 0 where rdbchecksum is no.
      if (expected != 0 && expected != checksum) {
        throw damaged("another checksum than it should have");
      }
    }
    if (!input.isAtEnd()) {
      throw damaged(input.left() + " bytes behind its end");
    }
  }

  private void one(int code, ValueReader values, Sink sink) {
    switch (code) {
      case RdbFormat.SLOT -> {
        input.length();
        input.length();
        input.length();
      }
      case DumpFormat.LIBRARY, DumpFormat.LIBRARY_IN_PARTS -> sink.library(library(code));
      case RdbFormat.OF_MODULE -> {
        input.length();
        moduleParts();
      }
      case RdbFormat.IDLE -> input.length();
      case RdbFormat.USES -> input.unsignedByte();
      case RdbFormat.NOTE -> {
        byte[] name = input.string();
        sink.note(name, input.string());
      }
      case RdbFormat.SIZES -> {
        input.length();
        input.length();
      }
      case RdbFormat.EXPIRY_MILLIS -> expiryMillis = input.littleEndian(Long.BYTES);
      case RdbFormat.EXPIRY_SECONDS ->
          expiryMillis = TimeUnit.SECONDS.toMillis(input.littleEndian(Integer.BYTES));
      case RdbFormat.DATABASE -> {
        long number = input.length();
        if (number < 0 || number > DATABASE_MAX) {
          throw damaged("the database " + Long.toUnsignedString(number));
        }
        database = (int) number;
      }
      default -> value(code, values, sink);
    }
  }

  private byte[] library(int code) {
    input.beginValue();
    return LibraryDump.code(code, input);
  }

  private void value(int code, ValueReader values, Sink sink) {
    input.beginValue();
    key = input.string();
    isBegun = false;
    if (code == RdbFormat.MODULE_KEY) {
      input.length();
      moduleParts();
      sink.unreadable();
    } else {
      values.read(code);
    }
    expiryMillis = Meta.NO_EXPIRY;
  }

  private void moduleParts() {
    for (long part = input.length(); part != RdbFormat.MODULE_END; part = input.length()) {
      switch ((int) part) {
        case RdbFormat.MODULE_INTEGER, RdbFormat.MODULE_UNSIGNED -> input.length();
        case RdbFormat.MODULE_FLOAT -> input.bytes(Float.BYTES);
        case RdbFormat.MODULE_DOUBLE -> input.bytes(Double.BYTES);
        case RdbFormat.MODULE_STRING -> {
          input.beginValue();
          input.string();
        }
        default -> throw damaged("a module's part of the kind " + part);
      }
    }
  }
}
