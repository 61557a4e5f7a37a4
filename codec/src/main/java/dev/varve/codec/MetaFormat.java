package dev.varve.codec;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.StreamState;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.rank.Edges;
import dev.varve.codec.rank.RankFormat;
import java.util.Arrays;
import java.util.Locale;

/**
 * The layout of a meta value.
 *
 * <p>Pure functions, for any thread.
 */
final class MetaFormat {
  /*
   * offset  bytes
   *      0      1  layout version in the high 4 bits (1 or 2), type code in the low 4 (ValueType)
   *      1      1  flags, below
   *      2      8  expiry in ms since 1970, signed, if EXPIRES
   *     10      8  where its expiry key is, an earlier moment, signed: layout 2, which has EXPIRES
   *   then, for a string (no SPREAD), its bytes to the end;
   *   for a packed collection (no SPREAD), its PackedMembers to the end;
   *   for a spread one:
   *             8  version, unsigned
   *             8  count of members
   *             8  bytes of all members and their values together
   *            16  head and tail (ListEnds)                    lists only
   *            17  what lies beyond them, if WORN             lists only
   *             n  gaps between them (ListGaps), if GAPPED   lists only
   *             4  length of the whole value                 strings only
   *             1  bytes of a fragment, as a power of two    strings only
   *             n  edges (Edges)                              sorted sets only
   *            88  what a stream remembers (StreamState)       streams only
   *            24  its first node, if FRONT_KNOWN             streams only
   *            16  what no entry comes behind, if TOP_LOWERED streams only
   *             8  how many fields expire, if FIELDS_EXPIRE
   *             8  when the first of them does at the earliest, signed, if FIELDS_EXPIRE
   *             1  levels of counted buckets (RankFormat), if COUNTED
   *             n  home key to the end, if MOVED
   *
   * Flags: 1 EXPIRES, 2 SPREAD, 4 MOVED, 8 INTEGERS, 16 EDITED, 32 TEXT, TOP_LOWERED for a stream, 64 COUNTED,
   * GAPPED for a list, 128 FIELDS_EXPIRE for a hash, WORN for a list and FRONT_KNOWN for a stream; others must be 0.
   * docs/formats/values.md has worked examples.
   */
  static final int LAYOUT_VERSION = 1;

  /** The layout of those whose expiry key is at another moment than their expiry. */
  static final int EARLIER_LAYOUT_VERSION = 2;

  static final int EXPIRES = 1;
  static final int SPREAD = 2;
  static final int MOVED = 4;
  static final int INTEGERS = 8;
  static final int EDITED = 16;
  static final int TEXT = 32;
  static final int COUNTED = 64;
  static final int GAPPED = 64;
  static final int FIELDS_EXPIRE = 128;
  static final int WORN = 128;
  static final int FRONT_KNOWN = 128;
  static final int TOP_LOWERED = 32;
  private static final int ALL_FLAGS =
      EXPIRES | SPREAD | MOVED | INTEGERS | EDITED | TEXT | COUNTED | FIELDS_EXPIRE;

  private static final int HEADER_BYTES = 2;

  /** What a value must be read up to, to know type, expiry, and whether there is more to expire. */
  static final int START_BYTES = HEADER_BYTES + Long.BYTES;

  private static final int SPREAD_BYTES = 3 * Long.BYTES;
  private static final int STRING_BYTES = Integer.BYTES + 1;
  private static final int FRAGMENT_POWER_MAX = 30;

  private MetaFormat() {}

  /**
   * Reads a meta value from a part of an array, where the bytes of a string and packed members
   * stay. What is wrong with one of these is found out by who comes across it.
   *
   * @throws DamagedValueException when it is not laid out as above
   */
  static Meta read(byte[] array, int offset, int length) {
    require(length, HEADER_BYTES);
    int layout = (array[offset] & 0xF0) >> 4;
    if (layout != LAYOUT_VERSION && layout != EARLIER_LAYOUT_VERSION) {
      throw new DamagedValueException(
          "a meta value of layout " + layout + "; the newest known is " + EARLIER_LAYOUT_VERSION);
    }
    ValueType type = type(array[offset]);
    int flags = array[offset + 1] & 0xFF;
    boolean spread = (flags & SPREAD) != 0;
    if ((flags & ~ALL_FLAGS) != 0
        || (!spread && (flags & (COUNTED | FIELDS_EXPIRE | WORN)) != 0)
        || ((flags & FIELDS_EXPIRE) != 0
            && type != ValueType.HASH
            && type != ValueType.LIST
            && type != ValueType.STREAM)) {
      throw new DamagedValueException("a " + type + " meta value with the flags " + flags);
    }
    int headerBytes = HEADER_BYTES;
    long expiryMillis = Meta.NO_EXPIRY;
    if ((flags & EXPIRES) != 0) {
      require(length, headerBytes + Long.BYTES);
      expiryMillis = OrderedNumbers.getLong(array, offset + headerBytes);
      headerBytes += Long.BYTES;
    }
    long storedExpiryMillis = expiryMillis;
    if (layout == EARLIER_LAYOUT_VERSION) {
      require(length, headerBytes + Long.BYTES);
      storedExpiryMillis = OrderedNumbers.getLong(array, offset + headerBytes);
      if ((flags & EXPIRES) == 0 || storedExpiryMillis >= expiryMillis) {
        throw new DamagedValueException("a meta value whose expiry key is not before its expiry");
      }
      headerBytes += Long.BYTES;
    }
    Meta meta = new Meta(type, flags & ~EXPIRES & ~flagsOfState(type));
    meta.expiryMillis = expiryMillis;
    meta.storedExpiryMillis = storedExpiryMillis;
    if (type == ValueType.STREAM && !spread) {
      throw new DamagedValueException("a stream without entries of its own");
    }
    int at = offset + headerBytes;
    if (spread) {
      boolean isWhole = offset == 0 && length == array.length;
      byte[] stored = isWhole ? array : Arrays.copyOfRange(array, offset, offset + length);
      readSpread(meta, stored, headerBytes, flags);
    } else if (type == ValueType.STRING) {
      meta.string = new Slice(array, at, length - headerBytes);
    } else {
      meta.packed = PackedMembers.in(type, array, offset, at, offset + length);
    }
    return meta;
  }

  /** The same for a whole array. */
  static Meta read(byte[] stored) {
    return read(stored, 0, stored.length);
  }

  /**
   * Whether that part, the start of a meta value, says all but the bytes of a string: there is no
   * other end to what follows than that of the value.
   */
  static boolean isStartOfString(byte[] array, int offset, int length) {
    require(length, HEADER_BYTES);
    return type(array[offset]) == ValueType.STRING && (array[offset + 1] & SPREAD) == 0;
  }

  /** The flags that say what is written beside the meta's own, and are not its own. */
  private static int flagsOfState(ValueType type) {
    return switch (type) {
      case HASH -> 0;
      case STREAM -> FRONT_KNOWN | TOP_LOWERED;
      case LIST -> WORN | GAPPED;
      default -> WORN;
    };
  }

  /** The expiry alone; the first {@link #START_BYTES} are enough. */
  static long expiryMillis(byte[] stored) {
    require(stored, HEADER_BYTES);
    if ((stored[1] & EXPIRES) == 0) {
      return Meta.NO_EXPIRY;
    }
    require(stored, HEADER_BYTES + Long.BYTES);
    return OrderedNumbers.getLong(stored, HEADER_BYTES);
  }

  /** Whether there are fields that expire; the first {@link #START_BYTES} are enough. */
  static boolean haveFieldsExpiry(byte[] stored) {
    require(stored, HEADER_BYTES);
    return (stored[1] & FIELDS_EXPIRE) != 0 && type(stored) == ValueType.HASH;
  }

  /**
   * When the first field of a hash expires at the earliest, without reading the rest where none
   * does.
   */
  static long nextFieldExpiryMillis(byte[] stored) {
    return haveFieldsExpiry(stored) ? read(stored).nextFieldExpiryMillis : Meta.NO_EXPIRY;
  }

  /** The type alone; the first {@link #START_BYTES} are enough. */
  static ValueType type(byte[] stored) {
    require(stored, HEADER_BYTES);
    return type(stored[0]);
  }

  private static ValueType type(byte first) {
    return ValueType.ofCode(first & 0x0F);
  }

  private static void readSpread(Meta meta, byte[] stored, int offset, int flags) {
    int at = offset;
    require(stored, at + SPREAD_BYTES);
    meta.version = OrderedNumbers.unsignedLong(stored, at);
    meta.count = OrderedNumbers.unsignedLong(stored, at + Long.BYTES);
    meta.bytes = OrderedNumbers.unsignedLong(stored, at + 2 * Long.BYTES);
    at += SPREAD_BYTES;
    if (meta.type() == ValueType.LIST) {
      boolean isWorn = (flags & WORN) != 0;
      require(stored, at + ListEnds.bytes(isWorn));
      meta.ends = ListEnds.read(stored, at, isWorn, (flags & GAPPED) != 0);
      at += meta.ends.encodedBytes();
    }
    if (meta.type() == ValueType.STRING) {
      readString(meta, stored, at);
      at += STRING_BYTES;
    }
    if (meta.type() == ValueType.ZSET) {
      meta.edges = Edges.read(stored, at);
      at += meta.edges.encodedBytes();
    }
    if (meta.type() == ValueType.STREAM) {
      meta.stream =
          StreamState.read(stored, at, (flags & FRONT_KNOWN) != 0, (flags & TOP_LOWERED) != 0);
      at += meta.stream.encodedBytes();
    }
    if ((meta.flags & FIELDS_EXPIRE) != 0) {
      require(stored, at + 2 * Long.BYTES);
      meta.fieldExpiries = OrderedNumbers.unsignedLong(stored, at);
      meta.nextFieldExpiryMillis = OrderedNumbers.getLong(stored, at + Long.BYTES);
      at += 2 * Long.BYTES;
    }
    if ((meta.flags & COUNTED) != 0) {
      require(stored, at + 1);
      meta.rankLevels = stored[at++];
      if (meta.rankLevels < 1 || meta.rankLevels > RankFormat.LEVELS_MAX) {
        throw new DamagedValueException("a meta value with " + meta.rankLevels + " rank levels");
      }
    }
    if (meta.count < 0 || meta.bytes < 0) {
      throw new DamagedValueException("a meta value with a negative count or size");
    }
    if (meta.ends != null && meta.ends.index(meta.tail()) != meta.count) {
      throw new DamagedValueException(
          String.format(
              Locale.ROOT,
              "a list of %d elements from %d to %d with %d gaps between",
              meta.count,
              meta.head(),
              meta.tail(),
              meta.ends.gaps().total()));
    }
    if ((meta.flags & MOVED) != 0) {
      meta.home = Arrays.copyOfRange(stored, at, stored.length);
    } else if (at != stored.length) {
      throw new DamagedValueException("a meta value with " + (stored.length - at) + " bytes more");
    }
  }

  private static void readString(Meta meta, byte[] stored, int at) {
    require(stored, at + STRING_BYTES);
    meta.length = OrderedNumbers.unsignedInt(stored, at);
    int power = stored[at + Integer.BYTES];
    if (meta.length < 0 || power < 0 || power > FRAGMENT_POWER_MAX) {
      throw new DamagedValueException(
          "a string of " + meta.length + " bytes in fragments of 2^" + power);
    }
    meta.fragmentBytes = 1 << power;
  }

  static byte[] write(Meta meta) {
    int at = startBytes(meta);
    byte[] stored;
    if (meta.isSpread()) {
      stored = writeSpread(meta, at);
    } else if (meta.type() == ValueType.STRING) {
      Slice string = meta.string();
      stored = new byte[Math.addExact(at, string.length())];
      System.arraycopy(string.array(), string.offset(), stored, at, string.length());
    } else {
      stored = meta.packed().toValue(at);
    }
    writeStart(meta, stored);
    return stored;
  }

  /** What stands before the bytes of a string in one piece. */
  static byte[] writeStart(Meta meta) {
    byte[] start = new byte[startBytes(meta)];
    writeStart(meta, start);
    return start;
  }

  private static int startBytes(Meta meta) {
    boolean expires = meta.expiryMillis != Meta.NO_EXPIRY;
    return HEADER_BYTES + (expires ? Long.BYTES : 0) + (isExpiryKeyEarlier(meta) ? Long.BYTES : 0);
  }

  private static boolean isExpiryKeyEarlier(Meta meta) {
    return meta.expiryMillis != Meta.NO_EXPIRY && meta.storedExpiryMillis < meta.expiryMillis;
  }

  private static void writeStart(Meta meta, byte[] stored) {
    boolean expires = meta.expiryMillis != Meta.NO_EXPIRY;
    boolean isEarlier = isExpiryKeyEarlier(meta);
    int layout = isEarlier ? EARLIER_LAYOUT_VERSION : LAYOUT_VERSION;
    stored[0] = (byte) (layout << 4 | meta.type().code());
    stored[1] = (byte) (meta.flags | (expires ? EXPIRES : 0) | stateFlags(meta));
    if (expires) {
      OrderedNumbers.putLong(stored, HEADER_BYTES, meta.expiryMillis);
    }
    if (isEarlier) {
      OrderedNumbers.putLong(stored, HEADER_BYTES + Long.BYTES, meta.storedExpiryMillis);
    }
  }

  private static int stateFlags(Meta meta) {
    StreamState stream = meta.stream;
    if (stream != null) {
      return (stream.isFrontKnown() ? FRONT_KNOWN : 0) | (stream.isTopLowered() ? TOP_LOWERED : 0);
    }
    ListEnds ends = meta.ends;
    return ends == null ? 0 : (ends.isWorn() ? WORN : 0) | (ends.hasGaps() ? GAPPED : 0);
  }

  private static byte[] writeSpread(Meta meta, int offset) {
    int at = offset;
    byte[] home = meta.home == null ? new byte[0] : meta.home;
    boolean counted = meta.rankLevels != 0;
    int ownBytes =
        switch (meta.type()) {
          case LIST -> meta.ends().encodedBytes();
          case STRING -> STRING_BYTES;
          case STREAM -> meta.stream().encodedBytes();
          case HASH -> meta.fieldExpiries == 0 ? 0 : 2 * Long.BYTES;
          default -> 0;
        };
    int edgesBytes = meta.edges == null ? 0 : meta.edges.encodedBytes();
    byte[] stored =
        new byte[at + SPREAD_BYTES + ownBytes + edgesBytes + (counted ? 1 : 0) + home.length];
    OrderedNumbers.putUnsignedLong(stored, at, meta.version);
    OrderedNumbers.putUnsignedLong(stored, at + Long.BYTES, meta.count);
    OrderedNumbers.putUnsignedLong(stored, at + 2 * Long.BYTES, meta.bytes);
    at += SPREAD_BYTES;
    if (meta.ends != null) {
      meta.ends.write(stored, at);
      at += ownBytes;
    }
    if (meta.type() == ValueType.STRING) {
      OrderedNumbers.putUnsignedInt(stored, at, meta.length);
      stored[at + Integer.BYTES] = (byte) Integer.numberOfTrailingZeros(meta.fragmentBytes);
      at += STRING_BYTES;
    }
    if (meta.fieldExpiries != 0) {
      OrderedNumbers.putUnsignedLong(stored, at, meta.fieldExpiries);
      OrderedNumbers.putLong(stored, at + Long.BYTES, meta.nextFieldExpiryMillis);
      at += 2 * Long.BYTES;
    }
    if (meta.stream != null) {
      meta.stream.write(stored, at);
      at += ownBytes;
    }
    if (meta.edges != null) {
      meta.edges.write(stored, at);
      at += edgesBytes;
    }
    if (counted) {
      stored[at++] = (byte) meta.rankLevels;
    }
    System.arraycopy(home, 0, stored, at, home.length);
    return stored;
  }

  private static void require(byte[] stored, int bytes) {
    require(stored.length, bytes);
  }

  private static void require(int length, int bytes) {
    if (length < bytes) {
      throw new DamagedValueException("a meta value of only " + length + " bytes");
    }
  }
}
