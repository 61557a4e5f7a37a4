package dev.varve.codec.dump;

/**
 * The layout of a payload, and the codes in it.
 *
 * <p>Constants, for any thread.
 */
final class DumpFormat {
  /*
   * bytes
   *     1  type of value
   *     n  the value
   *     2  version of the format, little-endian
   *     8  CRC-64 (Crc64) of all before it, little-endian
   *
   * A length is 00llllll, 01llllll l:8, 0x80 l:32 or 0x81 l:64, big-endian; 11 with a code in the low
   * bits says that the string is an integer of 8, 16 or 32 bits, little-endian, or compressed (Lzf).
   * A string is a length and so many bytes.
   *
   *   code  value                                                         written
   *      0  a string                                                      yes
   *      1  list: length, strings                                         yes
   *      2  set: length, strings                                          yes
   *      3  sorted set: length, (string, score as text)
   *      4  hash: length, (string, string)                                yes
   *      5  sorted set: length, (string, score as 8 bytes little-endian)  yes
   *      9  hash: zipmap in a string
   *     10  list: ziplist in a string
   *     11  set: intset in a string
   *     12  sorted set: ziplist in a string
   *     13  hash: ziplist in a string
   *     14  list: length, ziplists in strings
   *     15  stream of version 9
   *     16  hash: listpack in a string
   *     17  sorted set: listpack in a string
   *     18  list: length, (1 and an element, or 2 and a listpack in a string)
   *     19  stream of version 10                                          yes
   *     20  set: listpack in a string
   *     21  stream of version 11
   *     22  hash, of Valkey alone: length, (string, string, moment in 8 bytes or -1)
   *     24  hash: moment in 8 bytes, length, (delay, string, string)      yes
   *     25  hash: moment in 8 bytes, listpack of (field, value, moment or 0) in a string
   *
   * Moments are ms since 1970, little-endian. In 24 a field expires so many ms behind the moment as
   * its delay says, less one; with a delay of 0 it does not. In 25 the moment before all is the
   * earliest of them.
   *
   * A payload of functions has, in the place of type and value, for each library one of
   *
   *    245  a string: all of its code                                       yes
   *    246  name, engine, 0 or 1 and a description, code: strings
   *
   * docs/formats/dump.md has worked examples.
   */
  /** The version of all but what has come later: Redis 7.0 and what is newer reads it. */
  public static final int VERSION = 10;

  /** The version of hashes whose fields expire: Redis 7.4 and what is newer reads it. */
  static final int VERSION_OF_FIELD_EXPIRY = 12;

  /** Newer ones of Redis are not read. */
  static final int VERSION_MAX = 12;

  /** Valkey 9 has gone on from 11 with this, and gives the type 22 another meaning. */
  static final int VERSION_OF_VALKEY = 80;

  static final int FOOTER_BYTES = Short.BYTES + Long.BYTES;

  /** What all strings of a value may have together once they are decompressed. */
  static final long DECOMPRESSED_BYTES_MAX = 512L * 1024 * 1024;

  static final int STRING = 0;
  static final int LIST = 1;
  static final int SET = 2;
  static final int ZSET_TEXT = 3;
  static final int HASH = 4;
  static final int ZSET = 5;
  static final int HASH_ZIPMAP = 9;
  static final int LIST_ZIPLIST = 10;
  static final int SET_INTSET = 11;
  static final int ZSET_ZIPLIST = 12;
  static final int HASH_ZIPLIST = 13;
  static final int LIST_QUICKLIST = 14;
  static final int STREAM = 15;
  static final int HASH_LISTPACK = 16;
  static final int ZSET_LISTPACK = 17;
  static final int LIST_QUICKLIST_2 = 18;
  static final int STREAM_2 = 19;
  static final int SET_LISTPACK = 20;
  static final int STREAM_3 = 21;
  static final int HASH_OF_VALKEY = 22;
  static final int HASH_EXPIRING = 24;
  static final int HASH_EXPIRING_LISTPACK = 25;

  static final int LIBRARY = 245;
  static final int LIBRARY_IN_PARTS = 246;

  static final int LENGTH_6_BITS_MAX = 0x3F;
  static final int LENGTH_14_BITS_MAX = 0x3FFF;
  static final int LENGTH_32_BITS = 0x80;
  static final int LENGTH_64_BITS = 0x81;

  private DumpFormat() {}

  static boolean isVersionRead(long version) {
    return version <= VERSION_MAX || version == VERSION_OF_VALKEY;
  }
}
