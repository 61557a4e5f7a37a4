package dev.varve.codec.format;

import static java.lang.System.arraycopy;

import java.util.Arrays;

/**
 * The layout of every stored key, and the keys that belong to a whole user key or database.
 *
 * <p>Those of a collection's members are built by {@link CollectionKeys}. Pure functions, for any
 * thread.
 */
public final class KeyFormat {
  /*
   * One byte of tag first, then big-endian numbers (OrderedNumbers) and raw bytes:
   *
   *   meta      'm'  db:4  key                                          to the end
   *   member    's'  db:4  keyLength:4  home  version:8  hash:4   member
   *   index     'z'  db:4  keyLength:4  home  version:8  score:8  member
   *   rank      'r'  db:4  keyLength:4  home  version:8  level:1  place     to the end
   *   field     'f'  db:4  keyLength:4  home  version:8  field         to the end
   *   due       'e'  db:4  keyLength:4  home  version:8  expiryMillis:8  field     signed
   *   entry     'x'  db:4  keyLength:4  home  version:8  millis:8  sequence:8
   *   group     'c'  db:4  keyLength:4  home  version:8  group         to the end
   *   consumer  'k'  db:4  keyLength:4  home  version:8  groupLength:4  group  consumer
   *   pending   'p'  db:4  keyLength:4  home  version:8  groupLength:4  group  millis:8  sequence:8
   *   owned     'q'  db:4  keyLength:4  home  version:8  groupLength:4  group
   *                        consumerLength:4  consumer  millis:8  sequence:8
   *   list      'l'  db:4  keyLength:4  home  version:8  position:8     signed; also fragments
   *   expiry    't'  expiryMillis:8  db:4  key                          signed; key to the end
   *   garbage   'g'  db:4  keyLength:4  home  version:8
   *   garbage   'g'  db:4                                               all of a database
   *   database  'd'  number:4                                           which id it has
   *   database  'd'  0xFFFFFFFF                                         the next id
   *   library   'u'  name                                               to the end; of no database
   *
   * db, keyLength, version, hash and number are unsigned; the hash is the member's (MemberHash), so
   * that random choice and scans find their way. The home is a user key: the one the collection
   * was created under (see Meta for when that differs from the one it has now).
   *
   * Nothing collides: the tag decides the layout, every number has a fixed width, and a byte string
   * either ends the key or has its length before it. Nothing nests: all stored keys of one
   * collection in one keyspace start with the same tag, db, keyLength, home and version, and no
   * other stored key starts so. docs/formats/keyspaces.md has worked examples.
   */
  public static final byte META = 'm';
  public static final byte MEMBER = 's';
  public static final byte INDEX = 'z';
  public static final byte RANK = 'r';
  public static final byte LIST = 'l';
  public static final byte FIELD = 'f';
  public static final byte FIELD_DUE = 'e';
  public static final byte ENTRY = 'x';
  public static final byte GROUP = 'c';
  public static final byte CONSUMER = 'k';
  public static final byte PENDING = 'p';
  public static final byte OWNED = 'q';
  public static final byte EXPIRY = 't';
  public static final byte GARBAGE = 'g';
  public static final byte DATABASE = 'd';
  public static final byte LIBRARY = 'u';

  /** Tag and database id: the start of every stored key that is no expiry key or library. */
  static final int DATABASE_PREFIX_BYTES = 1 + Integer.BYTES;

  /** Where the home starts in the keys of collections and their garbage records. */
  static final int HOME_OFFSET = DATABASE_PREFIX_BYTES + Integer.BYTES;

  private static final int EXPIRY_DATABASE_OFFSET = 1 + Long.BYTES;
  private static final int EXPIRY_KEY_OFFSET = EXPIRY_DATABASE_OFFSET + Integer.BYTES;
  private static final int NEXT_ID_NUMBER = -1;

  private KeyFormat() {}

  public static byte[] meta(int databaseId, byte[] key) {
    byte[] stored = databasePrefix(META, databaseId, key.length);
    arraycopy(key, 0, stored, DATABASE_PREFIX_BYTES, key.length);
    return stored;
  }

  public static byte[] expiry(long expiryMillis, int databaseId, byte[] key) {
    byte[] stored = new byte[EXPIRY_KEY_OFFSET + key.length];
    stored[0] = EXPIRY;
    OrderedNumbers.putLong(stored, 1, expiryMillis);
    OrderedNumbers.putUnsignedInt(stored, EXPIRY_DATABASE_OFFSET, databaseId);
    arraycopy(key, 0, stored, EXPIRY_KEY_OFFSET, key.length);
    return stored;
  }

  public static byte[] garbage(int databaseId, byte[] home, long version) {
    return new CollectionKeys(databaseId, home, version).prefix(GARBAGE);
  }

  /** The garbage record of a whole database. It sorts before those of its collections. */
  public static byte[] garbage(int databaseId) {
    return databasePrefix(GARBAGE, databaseId, 0);
  }

  /** Where the id of the database with this number is kept. */
  public static byte[] database(int number) {
    return databasePrefix(DATABASE, number, 0);
  }

  /** Where the next unused database id is kept. */
  public static byte[] nextDatabaseId() {
    return databasePrefix(DATABASE, NEXT_ID_NUMBER, 0);
  }

  /** Where the library of functions with this name is kept. */
  public static byte[] library(byte[] name) {
    byte[] stored = new byte[1 + name.length];
    stored[0] = LIBRARY;
    arraycopy(name, 0, stored, 1, name.length);
    return stored;
  }

  /** What all stored keys of a database start with, in a keyspace other than the expiries. */
  public static byte[] databasePrefix(byte tag, int databaseId) {
    return databasePrefix(tag, databaseId, 0);
  }

  private static byte[] databasePrefix(byte tag, int databaseId, int more) {
    byte[] stored = new byte[DATABASE_PREFIX_BYTES + more];
    stored[0] = tag;
    OrderedNumbers.putUnsignedInt(stored, 1, databaseId);
    return stored;
  }

  /**
   * The first possible key after all that start with {@code prefix}.
   *
   * @throws IllegalArgumentException when {@code prefix} is nothing but 0xFF: no key is after those
   */
  public static byte[] successor(byte[] prefix) {
    for (int last = prefix.length - 1; last >= 0; last--) {
      if (prefix[last] != (byte) 0xFF) {
        byte[] successor = Arrays.copyOf(prefix, last + 1);
        successor[last]++;
        return successor;
      }
    }
    throw new IllegalArgumentException("no key is after this prefix");
  }

  /** What is behind all keys that begin with a tag. */
  public static byte[] endOf(byte tag) {
    return new byte[] {(byte) (tag + 1)};
  }

  /** The first possible key after {@code stored}. */
  public static byte[] justAfter(byte[] stored) {
    return Arrays.copyOf(stored, stored.length + 1);
  }

  /** Whether {@code stored} starts with {@code prefix}. */
  public static boolean startsWith(byte[] stored, byte[] prefix) {
    return stored.length >= prefix.length
        && Arrays.equals(stored, 0, prefix.length, prefix, 0, prefix.length);
  }

  /** The database id in any stored key that has one. */
  public static int databaseId(byte[] stored) {
    int offset = stored[0] == EXPIRY ? EXPIRY_DATABASE_OFFSET : 1;
    requireLength(stored, offset + Integer.BYTES);
    return OrderedNumbers.unsignedInt(stored, offset);
  }

  /** The user key of a meta or expiry key, or the home of any other. */
  public static byte[] userKey(byte[] stored) {
    return switch (stored[0]) {
      case META -> {
        requireLength(stored, DATABASE_PREFIX_BYTES);
        yield Arrays.copyOfRange(stored, DATABASE_PREFIX_BYTES, stored.length);
      }
      case EXPIRY -> {
        requireLength(stored, EXPIRY_KEY_OFFSET);
        yield Arrays.copyOfRange(stored, EXPIRY_KEY_OFFSET, stored.length);
      }
      default -> {
        int versionOffset = versionOffset(stored);
        yield Arrays.copyOfRange(stored, HOME_OFFSET, versionOffset);
      }
    };
  }

  /** Whether this is the key of something in a collection, which has the collection's version. */
  public static boolean isOfCollection(byte[] stored) {
    return switch (stored[0]) {
      case FIELD, FIELD_DUE, MEMBER, INDEX, RANK, LIST, ENTRY, GROUP, CONSUMER, PENDING, OWNED ->
          true;
      default -> false;
    };
  }

  /** The version in the key of a collection's member or garbage record. */
  public static long version(byte[] stored) {
    return OrderedNumbers.unsignedLong(stored, versionOffset(stored));
  }

  /**
   * How many bytes the keys of one collection in one keyspace have in common, or -1 if there are
   * not so many in {@code stored}: then it is a bound that is not in a collection.
   */
  public static int collectionPrefixBytes(byte[] stored) {
    if (stored.length < HOME_OFFSET) {
      return -1;
    }
    long keyLength = Integer.toUnsignedLong(OrderedNumbers.unsignedInt(stored, 1 + Integer.BYTES));
    long bytes = HOME_OFFSET + keyLength + Long.BYTES;
    return bytes <= stored.length ? (int) bytes : -1;
  }

  /**
   * The prefix of the keyspace that ends where the one with {@code prefix} begins.
   *
   * @param prefix what all keys of a collection in one keyspace begin with, and no more
   */
  public static byte[] versionBefore(byte[] prefix) {
    return otherVersion(prefix, -1);
  }

  /** The prefix of the keyspace that begins where the one with {@code prefix} ends. */
  public static byte[] versionAfter(byte[] prefix) {
    return otherVersion(prefix, 1);
  }

  private static byte[] otherVersion(byte[] prefix, int by) {
    byte[] other = prefix.clone();
    int version = prefix.length - Long.BYTES;
    OrderedNumbers.putUnsignedLong(
        other, version, OrderedNumbers.unsignedLong(prefix, version) + by);
    return other;
  }

  /** The moment in an expiry key. */
  public static long expiryMillis(byte[] stored) {
    requireLength(stored, EXPIRY_KEY_OFFSET);
    return OrderedNumbers.getLong(stored, 1);
  }

  /** Whether this garbage key speaks of a whole database. */
  public static boolean isDatabaseGarbage(byte[] stored) {
    return stored.length == DATABASE_PREFIX_BYTES;
  }

  private static int versionOffset(byte[] stored) {
    requireLength(stored, HOME_OFFSET);
    long keyLength = Integer.toUnsignedLong(OrderedNumbers.unsignedInt(stored, 1 + Integer.BYTES));
    requireLength(stored, HOME_OFFSET + keyLength + Long.BYTES);
    return (int) (HOME_OFFSET + keyLength);
  }

  private static void requireLength(byte[] stored, long bytes) {
    if (stored.length < bytes) {
      throw new DamagedValueException(
          "a key of the keyspace '" + (char) stored[0] + "' has only " + stored.length + " bytes");
    }
  }
}
