package dev.varve.codec;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.StreamState;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.rank.Edges;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one user key holds: its type, expiry and count, and either the value itself (a string), all
 * members (a packed collection), or where the members are (a spread one).
 *
 * <p>Changes take effect with {@link Transaction#save}. Belongs to the thread of its transaction.
 */
public final class Meta {
  /*
   * A spread collection files its members under the user key it had when it was spread, its home.
   * RENAME gives it another key and leaves the members where they are: the version alone tells
   * collections apart, so the old name can be used again at once.
   */

  /** The expiry of a key that has none: later than every moment. */
  public static final long NO_EXPIRY = Long.MAX_VALUE;

  /** A string of so many bytes is not copied to stand behind its meta. */
  private static final int LONG_STRING_BYTES_MIN = 4096;

  private final ValueType type;
  int flags;
  long expiryMillis = NO_EXPIRY;
  @Nullable Slice string;
  @Nullable PackedMembers packed;
  long version;
  long count;
  long bytes;
  public int length;
  public int fragmentBytes;
  int rankLevels;

  /** Of a hash: how many fields expire. */
  public long fieldExpiries;

  /**
   * A moment before which none of them does. It stays when the first field is let expire later or
   * never: to find the next one takes a walk over all that were so before it, which is made once
   * this moment has come.
   */
  long nextFieldExpiryMillis = NO_EXPIRY;

  /** Of a spread list. */
  @Nullable ListEnds ends;

  /** Of a spread sorted set. */
  @Nullable Edges edges;

  /** Of a stream. */
  @Nullable StreamState stream;

  byte @Nullable [] home;

  /** Whether the store (with the transaction's writes) has a meta value under this key. */
  public boolean stored;

  /**
   * The moment that the expiry key of that meta value stands at: its expiry, or one before it, see
   * {@link ExpiryKeys}.
   */
  long storedExpiryMillis = NO_EXPIRY;

  /** {@link #nextFieldExpiryMillis} of that meta value, and so of its other expiry key. */
  long storedFieldExpiryMillis = NO_EXPIRY;

  Meta(ValueType type, int flags) {
    this.type = type;
    this.flags = flags;
  }

  /** A new string without expiry, not saved yet. */
  public static Meta ofString(byte[] value) {
    Meta meta = new Meta(ValueType.STRING, 0);
    meta.string = Slice.of(value);
    return meta;
  }

  /** A new packed collection without members and expiry, not saved yet. */
  public static Meta ofPacked(ValueType type) {
    Meta meta = new Meta(type, 0);
    meta.packed = PackedMembers.empty(type);
    return meta;
  }

  /**
   * A new spread collection without members and expiry, not saved yet.
   *
   * @param version from {@link Transaction#newVersion()}
   */
  public static Meta ofSpread(ValueType type, long version) {
    Meta meta = new Meta(type, MetaFormat.SPREAD);
    meta.version = version;
    meta.ends = type == ValueType.LIST ? new ListEnds() : null;
    meta.edges = type == ValueType.ZSET ? new Edges() : null;
    meta.stream = type == ValueType.STREAM ? new StreamState() : null;
    return meta;
  }

  /**
   * Reads a stored meta value, which the meta shares.
   *
   * @throws DamagedValueException when it is not laid out as one
   */
  public static Meta read(byte[] stored) {
    return MetaFormat.read(stored);
  }

  public ValueType type() {
    return type;
  }

  /** When this key expires in ms since 1970, or {@link #NO_EXPIRY}. */
  public long expiryMillis() {
    return expiryMillis;
  }

  public boolean hasExpiry() {
    return expiryMillis != NO_EXPIRY;
  }

  /** The moment that its expiry key stands at: its expiry, or one before it. */
  public long storedExpiryMillis() {
    return storedExpiryMillis;
  }

  /** A moment before which no field of a hash expires, or {@link #NO_EXPIRY}. */
  public long nextFieldExpiryMillis() {
    return nextFieldExpiryMillis;
  }

  /** Sets the expiry, or takes it away with {@link #NO_EXPIRY}. */
  public void setExpiryMillis(long expiryMillis) {
    this.expiryMillis = expiryMillis;
  }

  /** Whether this key is gone at {@code nowMillis}. */
  public boolean isExpiredAt(long nowMillis) {
    return nowMillis >= expiryMillis;
  }

  /**
   * A new string in fragments without bytes and expiry, not saved yet.
   *
   * @param version from {@link Transaction#newVersion()}
   */
  public static Meta ofFragments(long version, int fragmentBytes) {
    Meta meta = new Meta(ValueType.STRING, 0);
    meta.spreadString(version, fragmentBytes);
    return meta;
  }

  /** Makes a string in one piece one in fragments, of which there are none yet. */
  public void spreadString(long version, int fragmentBytes) {
    string = null;
    flags |= MetaFormat.SPREAD;
    this.version = version;
    this.fragmentBytes = fragmentBytes;
    length = 0;
  }

  /** Whether fields of this hash may be gone at {@code nowMillis} that are still stored. */
  boolean hasFieldsDueAt(long nowMillis) {
    return nowMillis >= nextFieldExpiryMillis;
  }

  /** Says how many fields expire, and that none does before; none at all: {@link #NO_EXPIRY}. */
  void setFieldExpiries(long fields, long nextMillis) {
    fieldExpiries = fields;
    nextFieldExpiryMillis = nextMillis;
    setFlag(MetaFormat.FIELDS_EXPIRE, fields != 0);
  }

  /**
   * The value of a string in one piece; {@link dev.varve.codec.string.StringValue} reads others.
   */
  public Slice string() {
    return Objects.requireNonNull(string);
  }

  /**
   * The bytes of a string in one piece, if they are an array of their own that is worth sparing a
   * copy of it; null otherwise.
   */
  byte @Nullable [] longString() {
    Slice its = string;
    return its != null
            && its.length() >= LONG_STRING_BYTES_MIN
            && its.length() == its.array().length
        ? its.array()
        : null;
  }

  public void setString(byte[] value) {
    string = Slice.of(value);
  }

  /** Makes a string in one piece another one, without expiry: as {@link #ofString} has it. */
  public void renewString(byte[] value) {
    string = Slice.of(value);
    flags = 0;
    expiryMillis = NO_EXPIRY;
  }

  /** Whether the members, or the fragments of a string, have entries of their own. */
  public boolean isSpread() {
    return (flags & MetaFormat.SPREAD) != 0;
  }

  /** The members of a packed collection; edits of them are part of this meta. */
  public PackedMembers packed() {
    return Objects.requireNonNull(packed);
  }

  /**
   * Makes a packed collection a spread one without members: the caller writes those returned as
   * entries and counts them with {@link #add}.
   *
   * @param version from {@link Transaction#newVersion()}
   */
  public PackedMembers spread(long version) {
    PackedMembers members = packed();
    packed = null;
    flags |= MetaFormat.SPREAD;
    this.version = version;
    ends = type == ValueType.LIST ? new ListEnds() : null;
    edges = type == ValueType.ZSET ? new Edges() : null;
    return members;
  }

  /** The version of a spread collection. */
  public long version() {
    return version;
  }

  /** How many members a collection has. */
  public long count() {
    return packed == null ? count : packed.size();
  }

  /**
   * How many stored keys a spread collection has, but for counted buckets; those of popped elements
   * are among them until a garbage record names them.
   */
  long entries() {
    return switch (type) {
      case LIST -> ends().reach();
      case ZSET -> 2 * count;
      case STREAM -> count + stream().others;
      case HASH -> count + 2 * fieldExpiries;
      default -> count;
    };
  }

  /** How many bytes the members of a spread collection have, with their values. */
  public long bytes() {
    return bytes;
  }

  /** Counts members that came to a spread collection, or with negative numbers went. */
  public void add(long members, long memberBytes) {
    count += members;
    bytes += memberBytes;
  }

  /** The position of the first element of a spread list. */
  public long head() {
    return ends().head();
  }

  /** The position after the last element of a spread list. */
  public long tail() {
    return ends().tail();
  }

  public void setEnds(long head, long tail) {
    ends().set(head, tail);
  }

  /** Where a spread list begins and ends; changes of it are part of this meta. */
  public ListEnds ends() {
    return Objects.requireNonNull(ends);
  }

  /** The edges of a spread sorted set; changes of them are part of this meta. */
  public Edges edges() {
    return Objects.requireNonNull(edges);
  }

  /** What a stream remembers; changes of it are part of this meta. */
  public StreamState stream() {
    return Objects.requireNonNull(stream);
  }

  /** How many levels of counted buckets a spread collection has; 0 while it is small. */
  public int rankLevels() {
    return rankLevels;
  }

  public void setRankLevels(int levels) {
    rankLevels = levels;
    setFlag(MetaFormat.COUNTED, levels != 0);
  }

  /**
   * The stored keys of a spread collection's members.
   *
   * @param key the user key that this meta was found under
   */
  public CollectionKeys keys(int databaseId, byte[] key) {
    return new CollectionKeys(databaseId, home(key), version);
  }

  /**
   * How the members of the collection are named that {@code key} holds by its stored value, or null
   * if all of it lies in that.
   */
  public static @Nullable CollectionKeys membersOf(byte[] stored, int databaseId, byte[] key) {
    Meta meta = MetaFormat.read(stored);
    return meta.isSpread() ? meta.keys(databaseId, key) : null;
  }

  /** The user key that the members of a spread collection are filed under. */
  byte[] home(byte[] key) {
    return home == null ? key : home;
  }

  /** Says where the members are, for a collection that is about to be saved under {@code key}. */
  void setHome(byte[] home, byte[] key) {
    boolean moved = !Arrays.equals(home, key);
    this.home = moved ? home : null;
    setFlag(MetaFormat.MOVED, moved);
  }

  /** Whether a set has had nothing but integers as members, as OBJECT ENCODING tells. */
  public boolean isIntegers() {
    return (flags & MetaFormat.INTEGERS) != 0;
  }

  public void setIntegers(boolean integers) {
    setFlag(MetaFormat.INTEGERS, integers);
  }

  /** Whether a string was changed in place by APPEND or SETRANGE, as OBJECT ENCODING tells. */
  public boolean isEdited() {
    return (flags & MetaFormat.EDITED) != 0;
  }

  public void setEdited() {
    setFlag(MetaFormat.EDITED, true);
  }

  /** Whether a string is no integer to OBJECT ENCODING, whatever it looks like. */
  public boolean isText() {
    return (flags & MetaFormat.TEXT) != 0;
  }

  public void setText(boolean text) {
    setFlag(MetaFormat.TEXT, text);
  }

  private void setFlag(int flag, boolean on) {
    flags = on ? flags | flag : flags & ~flag;
  }
}
