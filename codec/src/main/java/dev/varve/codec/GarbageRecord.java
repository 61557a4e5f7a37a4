package dev.varve.codec;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.format.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What died and waits to be dropped by a compaction: the members of one version of a collection,
 * everything in a database, or of a list that lives on what was popped.
 *
 * <p>Immutable, for any thread. A record of popped elements is written anew as more are popped, and
 * is not counted among what is pending: nobody waits for its end.
 *
 * @param storedKey its key in the garbage keyspace
 * @param type the type of the collection, or null for a database
 * @param entries how many entries died; for a database, how many keys it had
 * @param bytes how many bytes of members and values died; 0 for a database, where nobody counts
 * @param diedMillis when, in ms since 1970
 * @param living what of a list has not died, or null if nothing lives
 */
public record GarbageRecord(
    byte[] storedKey,
    @Nullable ValueType type,
    long entries,
    long bytes,
    long diedMillis,
    @Nullable Living living) {
  /*
   * Value: layout version in the high 4 bits (1) and type code in the low 4 (0 for a database),
   * entries:8, bytes:8, diedMillis:8 signed; of a list that lives also from:8 signed, to:8 signed.
   */

  /**
   * Positions of a list from {@code from} up to and without {@code to}; the least number stands for
   * no bound, and so does the greatest.
   */
  public record Living(long from, long to) {}

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
  private static final int LIVING_VALUE_BYTES = VALUE_BYTES + 2 * Long.BYTES;

  /** For how long what was popped is counted: passes have met it by then. */
  private static final long COUNTED_MILLIS = 300_000;

  /** A record of what is dead as a whole. */
  public GarbageRecord(
      byte[] storedKey, @Nullable ValueType type, long entries, long bytes, long diedMillis) {
    this(storedKey, type, entries, bytes, diedMillis, null);
  }

  /** What is left behind when a key that holds {@code meta} goes, or null if nothing is. */
  static @Nullable GarbageRecord of(
      StoredReader reader, int databaseId, byte[] key, Meta meta, long diedMillis) {
    if (!meta.isSpread()) {
      return null;
    }
    boolean isNoted = meta.ends != null && meta.ends.isNoted();
    if (meta.entries() == 0 && !isNoted) {
      return null;
    }
    byte[] garbageKey = garbageKey(databaseId, key, meta);
    GarbageRecord popped = isNoted ? find(reader, garbageKey) : null;
    return new GarbageRecord(
        garbageKey,
        meta.type(),
        meta.entries() + (popped == null ? 0 : popped.entries),
        meta.bytes + (popped == null ? 0 : popped.bytes),
        diedMillis);
  }

  /**
   * What a list leaves behind that lives on.
   *
   * @param entries how many elements were popped since the last record, with so many {@code bytes}
   */
  public static GarbageRecord ofPopped(
      Transaction transaction, int database, byte[] key, Meta meta, long entries, long bytes) {
    byte[] garbageKey = garbageKey(transaction.databaseId(database), key, meta);
    GarbageRecord last = find(transaction::get, garbageKey);
    long allEntries = entries;
    long allBytes = bytes;
    long sinceMillis = transaction.nowMillis();
    if (last != null && sinceMillis - last.diedMillis < COUNTED_MILLIS) {
      allEntries += last.entries;
      allBytes += last.bytes;
      sinceMillis = last.diedMillis;
    }
    Living living = meta.ends().living();
    return new GarbageRecord(garbageKey, ValueType.LIST, allEntries, allBytes, sinceMillis, living);
  }

  private static byte[] garbageKey(int databaseId, byte[] key, Meta meta) {
    return KeyFormat.garbage(databaseId, meta.home(key), meta.version);
  }

  private static @Nullable GarbageRecord find(StoredReader reader, byte[] garbageKey) {
    byte[] value = reader.get(garbageKey);
    return value == null ? null : read(garbageKey, value);
  }

  static GarbageRecord read(byte[] storedKey, byte[] value) {
    boolean isOfLiving = value.length == LIVING_VALUE_BYTES;
    if (!(isOfLiving || value.length == VALUE_BYTES) || (value[0] & 0xF0) != LAYOUT_VERSION << 4) {
      throw new DamagedValueException("a garbage record of " + value.length + " bytes");
    }
    int code = value[0] & 0x0F;
    if ((code == DATABASE_CODE) != KeyFormat.isDatabaseGarbage(storedKey)
        || (isOfLiving && code != ValueType.LIST.code())) {
      throw new DamagedValueException("a garbage record whose value does not fit its key");
    }
    return new GarbageRecord(
        storedKey,
        code == DATABASE_CODE ? null : ValueType.ofCode(code),
        OrderedNumbers.unsignedLong(value, 1),
        OrderedNumbers.unsignedLong(value, 1 + Long.BYTES),
        OrderedNumbers.getLong(value, 1 + 2 * Long.BYTES),
        isOfLiving
            ? new Living(
                OrderedNumbers.getLong(value, VALUE_BYTES),
                OrderedNumbers.getLong(value, VALUE_BYTES + Long.BYTES))
            : null);
  }

  public byte[] value() {
    byte[] value = new byte[living == null ? VALUE_BYTES : LIVING_VALUE_BYTES];
    int code = type == null ? DATABASE_CODE : type.code();
    value[0] = (byte) (LAYOUT_VERSION << 4 | code);
    OrderedNumbers.putUnsignedLong(value, 1, entries);
    OrderedNumbers.putUnsignedLong(value, 1 + Long.BYTES, bytes);
    OrderedNumbers.putLong(value, 1 + 2 * Long.BYTES, diedMillis);
    if (living != null) {
      OrderedNumbers.putLong(value, VALUE_BYTES, living.from);
      OrderedNumbers.putLong(value, VALUE_BYTES + Long.BYTES, living.to);
    }
    return value;
  }

  /** The keyspaces that entries died in, in order. */
  public byte[] tags() {
    return type == null ? DATABASE_TAGS : CollectionKeys.tags(type);
  }

  /** The keys that died with this in the keyspace {@code tag}, in order; none if none did. */
  public List<DeadRange> ranges(byte tag) {
    if (!covers(tag)) {
      return List.of();
    }
    byte[] start = storedKey.clone();
    start[0] = tag;
    byte[] end = KeyFormat.successor(start);
    if (living == null) {
      return List.of(new DeadRange(start, end));
    }
    List<DeadRange> ranges = new ArrayList<>(2);
    if (living.from != Long.MIN_VALUE) {
      ranges.add(new DeadRange(start, position(start, living.from)));
    }
    if (living.to != Long.MAX_VALUE) {
      ranges.add(new DeadRange(position(start, living.to), end));
    }
    return ranges;
  }

  /** The key of an element, as {@link CollectionKeys#element} makes it. */
  private static byte[] position(byte[] prefix, long position) {
    byte[] key = Arrays.copyOf(prefix, prefix.length + Long.BYTES);
    OrderedNumbers.putLong(key, prefix.length, position);
    return key;
  }

  /** Whether entries of the keyspace {@code tag} died with this. */
  private boolean covers(byte tag) {
    return CollectionKeys.isAmong(tags(), tag);
  }
}
