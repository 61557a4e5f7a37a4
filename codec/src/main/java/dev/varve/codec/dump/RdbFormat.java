package dev.varve.codec.dump;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * What an RDB file consists of besides values, which {@link DumpFormat} has.
 *
 * <p>Constants, for any thread.
 */
final class RdbFormat {
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
  static final String REDIS = "REDIS";
  static final String VALKEY = "VALKEY";
  static final int HEADER_BYTES = 9;
  static final int VERSION_WITH_CHECKSUM = 5;

  static final int SLOT = 244;
  static final int OF_MODULE = 247;
  static final int IDLE = 248;
  static final int USES = 249;
  static final int NOTE = 250;
  static final int SIZES = 251;
  static final int EXPIRY_MILLIS = 252;
  static final int EXPIRY_SECONDS = 253;
  static final int DATABASE = 254;
  static final int END = 255;

  /** The name of the note that says in which database what is sent behind the file goes on. */
  static final String STREAM_DATABASE = "repl-stream-db";

  static final int MODULE_KEY = 7;
  static final int MODULE_END = 0;
  static final int MODULE_INTEGER = 1;
  static final int MODULE_UNSIGNED = 2;
  static final int MODULE_FLOAT = 3;
  static final int MODULE_DOUBLE = 4;
  static final int MODULE_STRING = 5;

  private RdbFormat() {}

  /** What a file begins with. */
  static byte[] header(int version) {
    return String.format(Locale.ROOT, "%s%04d", REDIS, version).getBytes(StandardCharsets.US_ASCII);
  }
}
