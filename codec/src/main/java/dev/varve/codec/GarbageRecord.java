package dev.varve.codec;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.format.ValueType;
import org.jspecify.annotations.Nullable;

/**
 * What died and waits to be dropped by a compaction: the members of one version of a collection, or
 * everything in a database.
 *
 * <p>Immutable, for any thread.
 *
 * @param storedKey its key in the garbage keyspace
 * @param type the type of the collection, or null for a database
 * @param entries how many entries died; for a database, how many keys it had
 * @param bytes how many bytes of members and values died; 0 for a database, where nobody counts
 * @param diedMillis when, in ms since 1970
 */
public record GarbageRecord(
    byte[] storedKey, @Nullable ValueType type, long entries, long bytes, long diedMillis) {
  /*
   * Value: layout version in the high 4 bits (1) and type code in the low 4 (0 for a database),
   * entries:8, bytes:8, diedMillis:8 signed.
   */
  /** The keyspaces that a whole database lies in, in order. Nobody changes it. */
  public static final byte[] DATABASE_TAGS = {
    KeyFormat.GROUP,
    KeyFormat.FIELD_DUE,
    KeyFormat.FIELD,
    KeyFormat.CONSUMER,
    KeyFormat.LIST,
    KeyFormat.META,
    KeyFormat.PENDING,
    KeyFormat.OWNED,
    KeyFormat.RANK,
    KeyFormat.MEMBER,
    KeyFormat.ENTRY,
    KeyFormat.INDEX
  };

  private static final int LAYOUT_VERSION = 1;
  private static final int DATABASE_CODE = 0;
  private static final int VALUE_BYTES = 1 + 3 * Long.BYTES;

  /** What is left behind when a key that holds {@code meta} goes, or null if nothing is. */
  static @Nullable GarbageRecord of(int databaseId, byte[] key, Meta meta, long diedMillis) {
    long entries = meta.isSpread() ? meta.entries() : 0;
    if (entries == 0) {
      return null;
    }
    byte[] garbageKey = KeyFormat.garbage(databaseId, meta.home(key), meta.version);
    return new GarbageRecord(garbageKey, meta.type(), entries, meta.bytes, diedMillis);
  }

  static GarbageRecord read(byte[] storedKey, byte[] value) {
    if (value.length != VALUE_BYTES || (value[0] & 0xF0) != LAYOUT_VERSION << 4) {
      throw new DamagedValueException("a garbage record of " + value.length + " bytes");
    }
    int code = value[0] & 0x0F;
    if ((code == DATABASE_CODE) != KeyFormat.isDatabaseGarbage(storedKey)) {
      throw new DamagedValueException("a garbage record whose value does not fit its key");
    }
    return new GarbageRecord(
        storedKey,
        code == DATABASE_CODE ? null : ValueType.ofCode(code),
        OrderedNumbers.unsignedLong(value, 1),
        OrderedNumbers.unsignedLong(value, 1 + Long.BYTES),
        OrderedNumbers.getLong(value, 1 + 2 * Long.BYTES));
  }

  byte[] value() {
    byte[] value = new byte[VALUE_BYTES];
    int code = type == null ? DATABASE_CODE : type.code();
    value[0] = (byte) (LAYOUT_VERSION << 4 | code);
    OrderedNumbers.putUnsignedLong(value, 1, entries);
    OrderedNumbers.putUnsignedLong(value, 1 + Long.BYTES, bytes);
    OrderedNumbers.putLong(value, 1 + 2 * Long.BYTES, diedMillis);
    return value;
  }

  /** The keyspaces that entries died in, in order. */
  public byte[] tags() {
    return type == null ? DATABASE_TAGS : CollectionKeys.tags(type);
  }

  /** The first possible key that died with this in the keyspace {@code tag}, one of its tags. */
  public byte[] start(byte tag) {
    byte[] start = storedKey.clone();
    start[0] = tag;
    return start;
  }

  /** The first possible key after those that died with this in the keyspace {@code tag}. */
  public byte[] end(byte tag) {
    return KeyFormat.successor(start(tag));
  }

  /** Whether entries of the keyspace {@code tag} died with this. */
  public boolean covers(byte tag) {
    for (byte covered : tags()) {
      if (covered == tag) {
        return true;
      }
    }
    return false;
  }
}
