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
  /*
   * "REDIS" and four digits, or "VALKEY" and three, which are the version; then, each with its code
   * before it,
   *
   *   243  slots that were being taken over (Valkey): not read
   *   244  how many keys a slot of a cluster has: three lengths
   *   245, 246  libraries of functions, as in a payload
   *   247  what a module has besides its keys: its id, and parts
   *   248  how long the next key was not used: a length
   *   249  how often it was used: a byte
   *   250  a name and what goes with it: strings
   *   251  how many keys are in the database, and how many of these expire: lengths
   *   252  when the next key expires: ms since 1970 in 8 bytes, little-endian
   *   253  the same: s in 4 bytes
   *   254  the database of the keys that follow: a length
   *   255  the end: behind it, from version 5 on, the checksum of all before it in 8 bytes, or 0
   *
   * and all else is a type of value: the key, a string, and the value follow. What a module keeps
   * (type 7) is its id, and parts: 1 and a length, 2 and a length, 3 and 4 bytes, 4 and 8 bytes,
   * 5 and a string, up to 0.
   */

  /** Who is told what is in it, in its order. */
  interface Sink {

    /**
     * A value, or the first piece of one.
     *
     * @param expiryMillis when it expires, or {@link Meta#NO_EXPIRY}
     */
    void begin(int database, byte[] key, long expiryMillis, DumpedValue piece);

    /** A further piece of the value that was begun last. */
    void goOn(DumpedValue piece);

    /** A library, by all of its code. */
    void library(byte[] code);

    /** A key of a module's type, which nothing here can read. */
    void unreadable(int database, byte[] key);
  }

  private static final String REDIS = "REDIS";
  private static final String VALKEY = "VALKEY";
  private static final int HEADER_BYTES = 9;
  private static final int VERSION_WITH_CHECKSUM = 5;
  private static final int DATABASE_MAX = (1 << 16) - 1;

  private static final int SLOT = 244;
  private static final int OF_MODULE = 247;
  private static final int IDLE = 248;
  private static final int USES = 249;
  private static final int NOTE = 250;
  private static final int SIZES = 251;
  private static final int EXPIRY_MILLIS = 252;
  private static final int EXPIRY_SECONDS = 253;
  private static final int DATABASE = 254;
  private static final int END = 255;

  private static final int MODULE_KEY = 7;
  private static final int MODULE_END = 0;
  private static final int MODULE_INTEGER = 1;
  private static final int MODULE_UNSIGNED = 2;
  private static final int MODULE_FLOAT = 3;
  private static final int MODULE_DOUBLE = 4;
  private static final int MODULE_STRING = 5;

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
    byte[] header = input.left() < HEADER_BYTES ? new byte[0] : input.bytes(HEADER_BYTES);
    String text = new String(header, StandardCharsets.ISO_8859_1);
    boolean isOfRedis = text.startsWith(REDIS);
    if (!isOfRedis && !text.startsWith(VALKEY)) {
      throw new DamagedValueException("not an RDB file: it does not begin with REDIS or VALKEY");
    }
    String digits = text.substring((isOfRedis ? REDIS : VALKEY).length());
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
    if (isBegun) {
      sink.goOn(piece);
    } else {
      isBegun = true;
      sink.begin(database, key, expiryMillis, piece);
    }
  }

  /**
   * Reads all that follows, to the end.
   *
   * @param limit how much of a collection the sink is given at once
   */
  void read(ValueReader.Limit limit, Sink sink) {
    ValueReader values = new ValueReader(input, version, limit, piece -> piece(sink, piece));
    int code = input.unsignedByte();
    while (code != END) {
      one(code, values, sink);
      code = input.unsignedByte();
    }
    if (version >= VERSION_WITH_CHECKSUM) {
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
      case SLOT -> {
        input.length();
        input.length();
        input.length();
      }
      case DumpFormat.LIBRARY, DumpFormat.LIBRARY_IN_PARTS -> sink.library(library(code));
      case OF_MODULE -> {
        input.length();
        moduleParts();
      }
      case IDLE -> input.length();
      case USES -> input.unsignedByte();
      case NOTE -> {
        input.string();
        input.string();
      }
      case SIZES -> {
        input.length();
        input.length();
      }
      case EXPIRY_MILLIS -> expiryMillis = input.littleEndian(Long.BYTES);
      case EXPIRY_SECONDS ->
          expiryMillis = TimeUnit.SECONDS.toMillis(input.littleEndian(Integer.BYTES));
      case DATABASE -> {
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
    if (code == MODULE_KEY) {
      input.length();
      moduleParts();
      sink.unreadable(database, key);
    } else {
      values.read(code);
    }
    expiryMillis = Meta.NO_EXPIRY;
  }

  private void moduleParts() {
    for (long part = input.length(); part != MODULE_END; part = input.length()) {
      switch ((int) part) {
        case MODULE_INTEGER, MODULE_UNSIGNED -> input.length();
        case MODULE_FLOAT -> input.bytes(Float.BYTES);
        case MODULE_DOUBLE -> input.bytes(Double.BYTES);
        case MODULE_STRING -> {
          input.beginValue();
          input.string();
        }
        default -> throw damaged("a module's part of the kind " + part);
      }
    }
  }
}
