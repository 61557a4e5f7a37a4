package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.BriefValue;
import dev.varve.lsm.memtable.EntryPlace;
import dev.varve.lsm.table.KeyHash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The newest values of the keys that the writer reads again and again, found without a search: in
 * front of the tree, always equal to it.
 *
 * <p>What is read enters, what is written changes what is there. Keyspace loop only, but for the
 * figures.
 */
final class RowCache {
  /*
   * Rows lie one behind the other in a ring of byte arrays, so that the collector has nothing to trace
   * however many there are. A table of positions leads to them; a row that a newer one has displaced from
   * the table, or whose part of the ring was written over, is gone. A row that is read while it is in the
   * older half of the ring is written to its front again: what is in use stays.
   *
   * Positions count all bytes that ever entered. A row does not cross from one array into the next.
   *
   * To copy a row of some length in costs what one hit saves, so it has to be missed twice for that. One
   * that is too long even so is handed out as it is, see LongRows.
   */

  /** Longer rows do not enter the ring: copying them out would cost what it saves. */
  static final int ROW_BYTES_MAX = 4096;

  /** Longer rows enter it when they are missed a second time. */
  static final int ROW_BYTES_AT_ONCE = 1024;

  /** Of those, so many misses are remembered: what the ring has room for. */
  private static final int MISSES = 1 << 13;

  private static final int SEGMENT_BITS = 20;
  private static final int SEGMENT_BYTES = 1 << SEGMENT_BITS;

  /**
   * With its header an array is no longer than that: it would else take two regions of a collector
   * whose regions have a mebibyte, and fill one.
   */
  static final int ARRAY_BYTES = SEGMENT_BYTES - 16;

  private static final int SEGMENTS_MIN = 2;
  private static final long BYTES_MAX = 64L << 20;
  private static final int HEAP_SHARE = 8;

  /** What long rows may take, as a part of what the others may. */
  private static final int LONG_SHARE = 16;

  /**
   * There is no more than a slot for each so many bytes: where rows are smaller, the newest of them
   * are kept. A table of twice the size costs every look-up more than that saves.
   */
  private static final int BYTES_PER_SLOT = 128;

  // A row: length of the key, length of the value, place and mark, key, value. When a newer one of
  // its key replaces it, it says where that is, for those who know the older one.
  private static final int KEY_LENGTH_AT = 0;
  private static final int VALUE_LENGTH_AT = 2;
  private static final int PLACE_AT = 4;
  private static final int MARK_AT = 12;
  static final int HEADER_BYTES = 20;

  /** The mark of a row that a newer one has replaced; the place is that one's position. */
  private static final long MOVED = -1;

  /** What {@link #written} returns of a key that has no row. */
  static final long NO_ROW = -1;

  private static final int LINE_BYTES = 64;

  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final byte[][] segments;
  private final long capacityBytes;
  private final RowSlots slots;
  private final LongRows longRows;
  private final Doorkeeper door = new Doorkeeper(MISSES);
  private long head;
  private volatile long heldBytes;
  private long hits;
  private long misses;

  /** What a cache may take where the heap is {@code heapBytes}. */
  static long bytesFor(long heapBytes) {
    return Math.min(BYTES_MAX, heapBytes / HEAP_SHARE);
  }

  /**
   * An empty cache; it grows as rows come in.
   *
   * @param bytes what all rows in the ring may take, of which at least a half is used; at least two
   *     mebibytes are
   */
  RowCache(long bytes) {
    // A power of two: which array a row is in is asked several times for each command.
    int count = (int) Math.max(SEGMENTS_MIN, Long.highestOneBit(bytes >> SEGMENT_BITS));
    this.segments = new byte[count][];
    this.capacityBytes = (long) count << SEGMENT_BITS;
    this.slots = new RowSlots(capacityBytes / BYTES_PER_SLOT);
    this.longRows = new LongRows(capacityBytes / LONG_SHARE);
    // No row lies at 0, which says that a slot is empty.
    this.head = HEADER_BYTES;
  }

  /**
   * The value of {@code key}, or null if it is not here, which says nothing of it. Nobody changes
   * the array.
   */
  byte @Nullable [] get(byte[] key) {
    BriefValue its = getBriefly(key);
    return its == null ? null : its.toBytes();
  }

  /**
   * The same where it lies: to copy a value takes room that is new to the processor's caches. It
   * may be written over by whatever is read or written here next.
   */
  @Nullable BriefValue getBriefly(byte[] key) {
    long hash = KeyHash.hash(key, 0, key.length);
    int slot = slotOf(key, hash);
    if (slot < 0) {
      byte[] its = longRows.get(key, hash);
      if (its == null) {
        misses++;
      } else {
        hits++;
      }
      return BriefValue.of(its);
    }
    hits++;
    long position = slots.position(slot);
    if (position < head - capacityBytes / 2) {
      position =
          append(key, segment(position), valueAt(position), valueBytes(position), hash, slot);
    }
    return new BriefValue(segment(position), valueAt(position), valueBytes(position));
  }

  private int valueAt(long position) {
    int at = offset(position);
    return at + HEADER_BYTES + length(segment(position), at + KEY_LENGTH_AT);
  }

  private int valueBytes(long position) {
    return length(segment(position), offset(position) + VALUE_LENGTH_AT);
  }

  /**
   * Brings to the processor the rows of the first {@code count} keys: the memory that one key leads
   * to is fetched while the others' is. The result means nothing, but to the compiler.
   *
   * @param positions room for as many numbers; then the rows, or {@link #NO_ROW}
   */
  int touch(byte[][] keys, int count, long[] positions) {
    for (int i = 0; i < count; i++) {
      positions[i] = KeyHash.hash(keys[i], 0, keys[i].length);
    }
    for (int i = 0; i < count; i++) {
      positions[i] = likely(positions[i]);
    }
    int sum = 0;
    for (int i = 0; i < count; i++) {
      if (positions[i] != NO_ROW) {
        byte[] segment = segment(positions[i]);
        int at = offset(positions[i]);
        sum += segment[at] + segment[Math.min(at + LINE_BYTES, ARRAY_BYTES - 1)];
      }
    }
    for (int i = 0; i < count; i++) {
      if (positions[i] != NO_ROW) {
        sum += touchRest(positions[i]);
      }
    }
    return sum;
  }

  /** Touches what is left of a row whose first lines are here. */
  private int touchRest(long position) {
    byte[] segment = segment(position);
    int end = valueAt(position) + valueBytes(position);
    int sum = 0;
    for (int line = offset(position) + 2 * LINE_BYTES; line < end; line += LINE_BYTES) {
      sum += segment[line];
    }
    return sum + segment[end - 1];
  }

  /** The row of a key with this hash, most likely, or {@link #NO_ROW}. */
  private long likely(long hash) {
    int bits = slots.likely(hash);
    if (bits == 0) {
      return NO_ROW;
    }
    long position = slots.position(slots.first(hash) + Integer.numberOfTrailingZeros(bits));
    return position >= oldest() ? position : NO_ROW;
  }

  /**
   * Whether anybody reads the key by itself: rows of other kinds never come in. Elements of lists
   * are kept with their neighbours ({@link WalkCache}).
   */
  private static boolean canEnter(byte[] key) {
    return key[0] != KeyFormat.EXPIRY && key[0] != KeyFormat.INDEX && key[0] != KeyFormat.LIST;
  }

  /** The tree has {@code value} under {@code key}, as was just read there. */
  void read(byte[] key, byte[] value) {
    if (!canEnter(key)) {
      return;
    }
    long hash = KeyHash.hash(key, 0, key.length);
    int bytes = bytes(key, value.length);
    if (bytes > ROW_BYTES_MAX) {
      longRows.read(key, hash, value);
    } else if (bytes <= ROW_BYTES_AT_ONCE || door.admits(hash)) {
      append(key, value, hash, slotOf(key, hash));
    }
  }

  /**
   * The same of a long value that is the first {@code length} bytes of an array which will change.
   */
  void readBriefly(byte[] key, byte[] array, int length) {
    if (canEnter(key)) {
      longRows.readBriefly(key, KeyHash.hash(key, 0, key.length), array, length);
    }
  }

  /** What a row takes. */
  private static int bytes(byte[] key, int valueBytes) {
    return HEADER_BYTES + key.length + valueBytes;
  }

  private static boolean isLong(byte[] key, byte[] value) {
    return bytes(key, value.length) > ROW_BYTES_MAX;
  }

  /** Whether the value of {@code key} is here without a row: it is too long for one. */
  boolean hasLong(byte[] key, long hash) {
    return longRows.get(key, hash) != null;
  }

  /**
   * From now on the tree has {@code value} under {@code key}, or nothing if that is null. Returns
   * the key's row, or {@link #NO_ROW}.
   *
   * @param hash of the key
   */
  long written(byte[] key, long hash, byte @Nullable [] value) {
    if (!canEnter(key)) {
      return NO_ROW;
    }
    longRows.written(key, hash, value == null || !isLong(key, value) ? null : value);
    int slot = slotOf(key, hash);
    // Walks read counted buckets, and no get; but each of them is written over and over.
    if (slot < 0 && key[0] != KeyFormat.RANK) {
      return NO_ROW;
    }
    if (value == null || isLong(key, value)) {
      if (slot >= 0) {
        slots.clear(slot);
      }
      return NO_ROW;
    }
    if (slot < 0) {
      return append(key, value, hash, slot);
    }
    long position = slots.position(slot);
    byte[] segment = segment(position);
    int at = offset(position);
    if (length(segment, at + VALUE_LENGTH_AT) != value.length) {
      return append(key, value, hash, slot);
    }
    System.arraycopy(value, 0, segment, at + HEADER_BYTES + key.length, value.length);
    return position;
  }

  /**
   * The row of a key, for who knows one that it had since the tree was written last; {@link
   * #NO_ROW} if there is none, or the key had none then: if it has one now, that has no place. It
   * holds until something is read or written here.
   *
   * @param hash of the key
   */
  long current(byte[] key, long hash, long known) {
    long position = known;
    while (position >= oldest() && mark(position) == MOVED) {
      position = place(position);
    }
    if (position >= oldest() || known == NO_ROW) {
      return position;
    }
    // Written over, and so is where it went: it would be left with a place that is no more.
    int slot = slotOf(key, hash);
    return slot < 0 ? NO_ROW : slots.position(slot);
  }

  /** Where in a memtable the newest entry of the key of a row stands, as far as that is known. */
  long place(long position) {
    return (long) LONGS.get(segment(position), offset(position) + PLACE_AT);
  }

  /** The mark of that place. */
  long mark(long position) {
    return (long) LONGS.get(segment(position), offset(position) + MARK_AT);
  }

  /** The newest entry of the key of a row that was just written stands at {@code place}. */
  void placed(long position, long place, long mark) {
    if (position >= oldest()) {
      setPlace(segment(position), offset(position), place, mark);
    }
  }

  private static void setPlace(byte[] segment, int at, long place, long mark) {
    LONGS.set(segment, at + PLACE_AT, place);
    LONGS.set(segment, at + MARK_AT, mark);
  }

  /** Forgets all. */
  void clear() {
    slots.clear();
    longRows.clear();
  }

  /** Bytes of heap that rows take. Any thread. */
  long heldBytes() {
    return heldBytes + longRows.heldBytes();
  }

  /** How often a row was here. Any thread, and may be a moment behind. */
  long hits() {
    return hits;
  }

  /** How often it was not. Any thread, and may be a moment behind. */
  long misses() {
    return misses;
  }

  /** The slot of the row of {@code key}, or a negative number. */
  private int slotOf(byte[] key, long hash) {
    for (int bits = slots.likely(hash); bits != 0; bits &= bits - 1) {
      int slot = slots.first(hash) + Integer.numberOfTrailingZeros(bits);
      long position = slots.position(slot);
      if (position >= oldest() && isOf(key, position)) {
        return slot;
      }
    }
    return -1;
  }

  private boolean isOf(byte[] key, long position) {
    byte[] segment = segment(position);
    int at = offset(position);
    int from = at + HEADER_BYTES;
    return length(segment, at + KEY_LENGTH_AT) == key.length
        && Arrays.equals(segment, from, from + key.length, key, 0, key.length);
  }

  /**
   * The first position that nothing was written over: the array at the front takes the oldest's.
   * Above 0.
   */
  private long oldest() {
    long front = head >>> SEGMENT_BITS;
    return Math.max(1, front - segments.length + 1 << SEGMENT_BITS);
  }

  private long append(byte[] key, byte[] value, long hash, int former) {
    return append(key, value, 0, value.length, hash, former);
  }

  /**
   * Adds a row with a value of {@code values} at the front; returns it.
   *
   * @param former the slot of the key's row so far, whose place it takes over, or a negative number
   */
  private long append(
      byte[] key, byte[] values, int valueAt, int valueBytes, long hash, int former) {
    long before = former < 0 ? NO_ROW : slots.position(former);
    long place = before == NO_ROW ? EntryPlace.NONE : place(before);
    long mark = before == NO_ROW ? 0 : mark(before);
    int bytes = bytes(key, valueBytes);
    if (offset(head) + bytes > ARRAY_BYTES) {
      head = (head | (SEGMENT_BYTES - 1)) + 1;
    }
    byte[] segment = segmentToFill();
    int at = offset(head);
    if (before != NO_ROW) {
      // First of all: the array may be the one that the row lay in.
      setPlace(segment(before), offset(before), head, MOVED);
    }
    SHORTS.set(segment, at + KEY_LENGTH_AT, (short) key.length);
    SHORTS.set(segment, at + VALUE_LENGTH_AT, (short) valueBytes);
    System.arraycopy(key, 0, segment, at + HEADER_BYTES, key.length);
    // Also where the array is the one that the value lies in: this row is its first then, with its
    // value no further behind than there, and nothing of that is written over before it is copied.
    System.arraycopy(values, valueAt, segment, at + HEADER_BYTES + key.length, valueBytes);
    setPlace(segment, at, place, mark);
    long position = head;
    int slot = former < 0 ? slots.room(hash, oldest(), hits) : former;
    slots.set(slot, hash, position);
    head += bytes;
    return position;
  }

  private byte[] segmentToFill() {
    int index = (int) (head >>> SEGMENT_BITS) & segments.length - 1;
    byte[] segment = segments[index];
    if (segment == null) {
      segment = new byte[ARRAY_BYTES];
      segments[index] = segment;
      heldBytes = (index + 1L) << SEGMENT_BITS;
    }
    return segment;
  }

  private byte[] segment(long position) {
    return segments[(int) (position >>> SEGMENT_BITS) & segments.length - 1];
  }

  private static int offset(long position) {
    return (int) position & (SEGMENT_BYTES - 1);
  }

  private static int length(byte[] segment, int at) {
    return (short) SHORTS.get(segment, at);
  }
}
