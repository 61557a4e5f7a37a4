package dev.varve.codec.format;

import static java.lang.System.arraycopy;

import java.util.Arrays;

/**
 * Builds and takes apart the stored keys of one spread collection's members.
 *
 * <p>The layouts are on {@link KeyFormat}. Immutable, for any thread.
 */
public final class CollectionKeys {
  private static final byte[] MEMBER_TAGS = {KeyFormat.MEMBER};
  private static final byte[] HASH_TAGS = {KeyFormat.FIELD_DUE, KeyFormat.FIELD, KeyFormat.MEMBER};
  private static final byte[] LIST_TAGS = {KeyFormat.LIST};
  private static final byte[] STREAM_TAGS = {
    KeyFormat.GROUP, KeyFormat.CONSUMER, KeyFormat.PENDING, KeyFormat.OWNED, KeyFormat.ENTRY
  };
  private static final byte[] ZSET_TAGS = {KeyFormat.RANK, KeyFormat.MEMBER, KeyFormat.INDEX};

  private final byte[] prefix;

  /**
   * @param home the user key that the members are filed under (see {@code Meta.keys})
   */
  public CollectionKeys(int databaseId, byte[] home, long version) {
    prefix = new byte[KeyFormat.HOME_OFFSET + home.length + Long.BYTES];
    OrderedNumbers.putUnsignedInt(prefix, 1, databaseId);
    OrderedNumbers.putUnsignedInt(prefix, 1 + Integer.BYTES, home.length);
    arraycopy(home, 0, prefix, KeyFormat.HOME_OFFSET, home.length);
    OrderedNumbers.putUnsignedLong(prefix, KeyFormat.HOME_OFFSET + home.length, version);
  }

  /** The keyspaces that a spread collection of this type has entries in, in order. */
  public static byte[] tags(ValueType type) {
    return switch (type) {
      case STRING, LIST -> LIST_TAGS;
      case SET -> MEMBER_TAGS;
      case HASH -> HASH_TAGS;
      case ZSET -> ZSET_TAGS;
      case STREAM -> STREAM_TAGS;
    };
  }

  /** Whether a keyspace is among these. */
  public static boolean isAmong(byte[] tags, byte tag) {
    for (byte each : tags) {
      if (each == tag) {
        return true;
      }
    }
    return false;
  }

  /** What all stored keys of this collection in one keyspace start with. */
  public byte[] prefix(byte tag) {
    return start(tag, 0);
  }

  /** The first possible key after all those that start with {@link #prefix}. */
  public byte[] end(byte tag) {
    byte[] end = start(tag, 0);
    int version = end.length - Long.BYTES;
    OrderedNumbers.putUnsignedLong(end, version, OrderedNumbers.unsignedLong(end, version) + 1);
    return end;
  }

  /** Whether {@code stored} is one of this collection's keys in the keyspace {@code tag}. */
  public boolean owns(byte tag, byte[] stored) {
    return stored.length >= prefix.length
        && stored[0] == tag
        && Arrays.equals(stored, 1, prefix.length, prefix, 1, prefix.length);
  }

  /** Where the member starts in a stored key of keyspace 's'; it goes to the end. */
  public int memberOffset() {
    return prefix.length + Integer.BYTES;
  }

  /** The hash field, set member or sorted set member's key in keyspace 's'. */
  public byte[] member(byte[] member) {
    return member(member, 0, member.length);
  }

  public byte[] member(byte[] array, int offset, int length) {
    byte[] stored = start(KeyFormat.MEMBER, Integer.BYTES + length);
    OrderedNumbers.putUnsignedInt(stored, prefix.length, MemberHash.of(array, offset, length));
    arraycopy(array, offset, stored, memberOffset(), length);
    return stored;
  }

  /** The start of all keys in keyspace 's' with this hash: before each of its members. */
  public byte[] hashStart(int hash) {
    byte[] stored = start(KeyFormat.MEMBER, Integer.BYTES);
    OrderedNumbers.putUnsignedInt(stored, prefix.length, hash);
    return stored;
  }

  /** The key of a sorted set member in keyspace 'z'. */
  public byte[] index(double score, byte[] member) {
    byte[] stored = start(KeyFormat.INDEX, Double.BYTES + member.length);
    OrderedNumbers.putDouble(stored, prefix.length, score);
    arraycopy(member, 0, stored, scoredMemberOffset(), member.length);
    return stored;
  }

  /**
   * The key of a counted bucket in keyspace 'r'.
   *
   * @param level its level, from 0 up
   * @param first the part after the version in the keys of the entries from which on it counts
   */
  public byte[] rank(int level, byte[] first) {
    byte[] stored = start(KeyFormat.RANK, 1 + first.length);
    stored[prefix.length] = (byte) level;
    arraycopy(first, 0, stored, prefix.length + 1, first.length);
    return stored;
  }

  /** Whether {@code stored} is the key of the first counted bucket of its level. */
  public boolean isFirstRank(byte[] stored) {
    return stored.length == prefix.length + 1;
  }

  /** The key in keyspace {@code tag} with {@code suffix} after the version. */
  public byte[] suffixed(byte tag, byte[] suffix) {
    byte[] stored = start(tag, suffix.length);
    arraycopy(suffix, 0, stored, prefix.length, suffix.length);
    return stored;
  }

  /** The key of a hash field's expiry in keyspace 'f'. */
  public byte[] field(byte[] field) {
    return suffixed(KeyFormat.FIELD, field);
  }

  /** The key of a hash field's expiry in keyspace 'e', where the earliest are first. */
  public byte[] fieldDue(long expiryMillis, byte[] field) {
    byte[] stored = start(KeyFormat.FIELD_DUE, Long.BYTES + field.length);
    OrderedNumbers.putLong(stored, prefix.length, expiryMillis);
    arraycopy(field, 0, stored, prefix.length + Long.BYTES, field.length);
    return stored;
  }

  /** The field in a stored key of keyspace 'e'. */
  public byte[] fieldOfDue(byte[] stored) {
    return Arrays.copyOfRange(stored, prefix.length + Long.BYTES, stored.length);
  }

  /** The key of a list element, or of a string's fragment, in keyspace 'l'. */
  public byte[] element(long position) {
    byte[] stored = start(KeyFormat.LIST, Long.BYTES);
    OrderedNumbers.putLong(stored, prefix.length, position);
    return stored;
  }

  /** Makes a key from {@link #element} that of another position. */
  public void setPosition(byte[] element, long position) {
    OrderedNumbers.putLong(element, prefix.length, position);
  }

  /** The member in a stored key of keyspace 's'. */
  public byte[] memberOf(byte[] stored) {
    return Arrays.copyOfRange(stored, memberOffset(), stored.length);
  }

  /** The hash of the member in a stored key of keyspace 's'. */
  public int hashOf(byte[] stored) {
    if (stored.length < memberOffset()) {
      throw new DamagedValueException("a member key of only " + stored.length + " bytes");
    }
    return OrderedNumbers.unsignedInt(stored, prefix.length);
  }

  /**
   * Where the score starts in a stored key of keyspace 'z', and what follows the version in any.
   */
  public int suffixOffset() {
    return prefix.length;
  }

  /** The member in a stored key of keyspace 'z'. */
  public byte[] scoredMemberOf(byte[] stored) {
    return Arrays.copyOfRange(stored, scoredMemberOffset(), stored.length);
  }

  /** Where the member starts in a stored key of keyspace 'z'; it goes to the end. */
  public int scoredMemberOffset() {
    return prefix.length + Double.BYTES;
  }

  /** The level in a stored key of keyspace 'r'. */
  public int rankLevelOf(byte[] stored) {
    if (stored.length == prefix.length) {
      throw new DamagedValueException("a key of a counted bucket without a level");
    }
    return stored[prefix.length];
  }

  /** The part after the version of the first entry that a stored key of keyspace 'r' counts. */
  public byte[] rankFirstOf(byte[] stored) {
    return Arrays.copyOfRange(stored, prefix.length + 1, stored.length);
  }

  /** The part after the version in any stored key of this collection. */
  public byte[] suffixOf(byte[] stored) {
    return Arrays.copyOfRange(stored, prefix.length, stored.length);
  }

  /** The position in a stored key of keyspace 'l'. */
  public long positionOf(byte[] stored) {
    return OrderedNumbers.getLong(stored, prefix.length);
  }

  /** The key of this collection that corresponds to {@code stored}, a key of {@code other}. */
  public byte[] translate(CollectionKeys other, byte[] stored) {
    int suffix = stored.length - other.prefix.length;
    byte[] translated = start(stored[0], suffix);
    arraycopy(stored, other.prefix.length, translated, prefix.length, suffix);
    return translated;
  }

  private byte[] start(byte tag, int more) {
    byte[] stored = Arrays.copyOf(prefix, prefix.length + more);
    stored[0] = tag;
    return stored;
  }
}
