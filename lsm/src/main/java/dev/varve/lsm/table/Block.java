package dev.varve.lsm.table;

import static dev.varve.lsm.table.BlockFormat.FOOTER_BYTES;
import static dev.varve.lsm.table.BlockFormat.PREFIX_BYTES;

import dev.varve.lsm.entry.Lookup;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.OffHeapRegion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The raw bytes of one block in memory, searchable in place ({@link BlockFormat}).
 *
 * <p>Immutable, safe for use by several threads, shared by reference count: it starts with one
 * holder, and the last to release it frees the memory. Every read needs a reference.
 */
final class Block extends Evictable {
  /** Heap that a cached block costs besides its bytes: block, region, buffer, node of the map. */
  private static final int OVERHEAD_BYTES = 256;

  /** From as many prefixes on, which are eight lines of the processor's cache, it looks wide. */
  private static final int WIDE_STEP_ENTRIES = 64;

  private static final int LINE_BYTES = 64;
  private static final int VALUE_TOUCHED_BYTES = 4 * LINE_BYTES;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final AtomicIntegerFieldUpdater<Block> HOLDERS =
      AtomicIntegerFieldUpdater.newUpdater(Block.class, "holders");

  private volatile int holders = 1;
  private @Nullable BlockSlots slots;
  private int slot;
  private final OffHeapRegion region;
  private final BlockMemory memory;
  private final ByteBuffer bytes;
  private final int entries;
  private final int commonBytes;
  private final int tailsAt;
  private final int commonAt;
  private final int prefixesAt;
  private final int recordsAt;
  private final int recordBytes;

  /**
   * Takes over the caller's reference to {@code region}, whose first {@code rawBytes} are a block,
   * which goes back to {@code memory} in the end.
   *
   * @throws CorruptionException naming {@code file} and {@code offset} when they are not a block:
   *     afterwards no search can leave the region
   */
  static Block of(OffHeapRegion region, BlockMemory memory, int rawBytes, String file, long offset)
      throws CorruptionException {
    try {
      return new Block(region, memory, rawBytes, file, offset);
    } catch (CorruptionException e) {
      memory.giveBack(region);
      throw e;
    }
  }

  private Block(OffHeapRegion region, BlockMemory memory, int rawBytes, String file, long offset)
      throws CorruptionException {
    this.region = region;
    this.memory = memory;
    this.bytes = region.buffer();
    if (rawBytes < FOOTER_BYTES) {
      throw new CorruptionException(file, offset, "a block of " + rawBytes + " raw bytes");
    }
    int footer = rawBytes - FOOTER_BYTES;
    entries = bytes.getInt(footer);
    commonBytes = bytes.getInt(footer + 4);
    int tailBytes = bytes.getInt(footer + 8);
    int valueBytes = bytes.getInt(footer + 12);
    recordBytes =
        BlockFormat.isWide(tailBytes, valueBytes)
            ? BlockFormat.WIDE_RECORD_BYTES
            : BlockFormat.RECORD_BYTES;
    if (entries < 1 || commonBytes < 0 || tailBytes < 0 || valueBytes < 0) {
      throw new CorruptionException(file, offset, "a block's counts are out of range");
    }
    long prefixes =
        ((long) valueBytes + tailBytes + commonBytes + PREFIX_BYTES - 1) & -PREFIX_BYTES;
    if (prefixes + (long) entries * (PREFIX_BYTES + recordBytes) != footer) {
      throw new CorruptionException(file, offset, "a block's parts do not sum to its size");
    }
    tailsAt = valueBytes;
    commonAt = valueBytes + tailBytes;
    prefixesAt = (int) prefixes;
    recordsAt = prefixesAt + entries * PREFIX_BYTES;
    checkRecords(tailBytes, valueBytes, file, offset);
  }

  private void checkRecords(int tailBytes, int valueBytes, String file, long offset)
      throws CorruptionException {
    int tailEnd = 0;
    int valueEnd = 0;
    boolean sound = true;
    for (int i = 0; i < entries; i++) {
      long tag = tag(i);
      int missing = missing(tag);
      int nextTailEnd = tailEnd(i);
      int nextValueEnd = valueEnd(i);
      sound &= nextTailEnd >= tailEnd & nextValueEnd >= valueEnd;
      sound &= missing <= PREFIX_BYTES & (tag & BlockFormat.TAG_UNUSED_BITS) == 0;
      sound &= missing == 0 | nextTailEnd == tailEnd;
      tailEnd = nextTailEnd;
      valueEnd = nextValueEnd;
    }
    if (!sound || tailEnd != tailBytes || valueEnd != valueBytes) {
      throw new CorruptionException(file, offset, "a block's records are not in order");
    }
  }

  boolean tryRetain() {
    int seen = holders;
    while (seen > 0) {
      if (HOLDERS.compareAndSet(this, seen, seen + 1)) {
        return true;
      }
      seen = holders;
    }
    return false;
  }

  void release() {
    int left = HOLDERS.decrementAndGet(this);
    if (left == 0) {
      memory.giveBack(region);
    } else if (left < 0) {
      throw new IllegalStateException("block released more often than retained");
    }
  }

  /** Off-heap bytes that it holds. */
  int bytes() {
    return region.bytes();
  }

  /** Notes where the cache has it. Under the cache's lock, as is {@link #leaveSlot}. */
  void enterSlot(BlockSlots target, int ordinal) {
    slots = target;
    slot = ordinal;
    key = target.key(ordinal);
  }

  /** Leaves its place in the cache, unless another block has it by now. */
  void leaveSlot() {
    BlockSlots from = slots;
    if (from != null) {
      from.clear(slot, this);
    }
  }

  @Override
  long weight() {
    return region.bytes() + OVERHEAD_BYTES;
  }

  int entries() {
    return entries;
  }

  /** The memory values are in. */
  ByteBuffer buffer() {
    return bytes;
  }

  private long prefix(int entry) {
    return bytes.getLong(prefixesAt + (entry << 3));
  }

  private long tag(int entry) {
    return bytes.getLong(recordsAt + entry * recordBytes);
  }

  private static int missing(long tag) {
    return (int) tag >>> BlockFormat.MISSING_SHIFT & BlockFormat.MISSING_MASK;
  }

  private int tailEnd(int entry) {
    int at = recordsAt + entry * recordBytes + 8;
    return recordBytes == BlockFormat.RECORD_BYTES ? bytes.getChar(at) : bytes.getInt(at);
  }

  private int tailStart(int entry) {
    return entry == 0 ? 0 : tailEnd(entry - 1);
  }

  private int valueEnd(int entry) {
    int at = recordsAt + entry * recordBytes;
    return recordBytes == BlockFormat.RECORD_BYTES ? bytes.getChar(at + 10) : bytes.getInt(at + 12);
  }

  long sequence(int entry) {
    return tag(entry) >>> BlockFormat.SEQUENCE_SHIFT;
  }

  boolean isTombstone(int entry) {
    return (bytes.get(recordsAt + entry * recordBytes + 7) & BlockFormat.TOMBSTONE_BIT) != 0;
  }

  /** Where the entry's value starts in {@link #buffer()}. */
  int valueOffset(int entry) {
    return entry == 0 ? 0 : valueEnd(entry - 1);
  }

  int valueLength(int entry) {
    return valueEnd(entry) - valueOffset(entry);
  }

  /** The entry's value, copied as {@code copy} says, or {@link Lookup#TOMBSTONE}. */
  byte[] value(int entry, ValueCopy copy) {
    if (isTombstone(entry)) {
      return Lookup.TOMBSTONE;
    }
    int start = valueOffset(entry);
    return copy.of(bytes, start, valueEnd(entry) - start);
  }

  /** How many bytes all keys of the block start with. */
  int commonBytes() {
    return commonBytes;
  }

  /** Copies the common prefix to the front of {@code target}. */
  void copyCommon(byte[] target) {
    bytes.get(commonAt, target, 0, commonBytes);
  }

  /** How long an array {@link #copySuffix} needs for this entry: the key's length and up to 8. */
  int keyRoom(int entry) {
    return commonBytes + PREFIX_BYTES + tailEnd(entry) - tailStart(entry);
  }

  /**
   * Copies the entry's key but for the common prefix to where it belongs in {@code target}, which
   * has {@link #keyRoom}; returns the key's whole length.
   */
  int copySuffix(int entry, byte[] target) {
    LONGS.set(target, commonBytes, prefix(entry));
    int start = tailStart(entry);
    int tail = tailEnd(entry) - start;
    if (tail > 0) {
      bytes.get(tailsAt + start, target, commonBytes + PREFIX_BYTES, tail);
    }
    return commonBytes + PREFIX_BYTES - missing(tag(entry)) + tail;
  }

  /**
   * The first entry that is not before (key, sequence) in entry order; {@link #entries()} if all
   * are.
   */
  int lowerBound(byte[] key, int offset, int length, long sequence) {
    int common = compareCommon(key, offset, length);
    if (common != 0) {
      return common < 0 ? 0 : entries;
    }
    int suffixAt = offset + commonBytes;
    int suffixBytes = length - commonBytes;
    long prefix = prefixOf(key, suffixAt, suffixBytes);
    return refine(lowerBound(prefix), prefix, key, suffixAt, suffixBytes, sequence);
  }

  /**
   * The first step of {@link #lowerBound}, which looks at prefixes alone; {@link #refine} ends it.
   */
  int firstWithPrefix(byte[] key, int offset, int length) {
    int common = compareCommon(key, offset, length);
    if (common != 0) {
      return common < 0 ? 0 : entries;
    }
    return lowerBound(prefixOf(key, offset + commonBytes, length - commonBytes));
  }

  /** What {@link #lowerBound} returns, where the first step has returned {@code at}. */
  int refine(int at, byte[] key, int offset, int length, long sequence) {
    if (compareCommon(key, offset, length) != 0) {
      return at;
    }
    int suffixAt = offset + commonBytes;
    int suffixBytes = length - commonBytes;
    long prefix = prefixOf(key, suffixAt, suffixBytes);
    return refine(at, prefix, key, suffixAt, suffixBytes, sequence);
  }

  private int refine(
      int at, long prefix, byte[] key, int suffixAt, int suffixBytes, long sequence) {
    if (at == entries || prefix(at) != prefix) {
      return at;
    }
    int width = 1;
    while (at + width < entries && prefix(at + width) == prefix) {
      width <<= 1;
    }
    int low = at;
    int high = Math.min(at + width, entries);
    while (low < high) {
      int middle = (low + high) >>> 1;
      boolean before =
          prefix(middle) == prefix && compareRest(middle, key, suffixAt, suffixBytes, sequence) < 0;
      if (before) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The first entry whose prefix is not below {@code wanted}. */
  private int lowerBound(long wanted) {
    long target = wanted + Long.MIN_VALUE;
    int base = prefixesAt;
    int left = entries;
    // Seven loads that do not wait for each other take hardly longer than one: three steps at once.
    while (left >= WIDE_STEP_ENTRIES) {
      int part = left >>> 3;
      int stride = part * PREFIX_BYTES;
      int steps =
          isBelow(base + stride - 8, target)
              + isBelow(base + 2 * stride - 8, target)
              + isBelow(base + 3 * stride - 8, target)
              + isBelow(base + 4 * stride - 8, target)
              + isBelow(base + 5 * stride - 8, target)
              + isBelow(base + 6 * stride - 8, target)
              + isBelow(base + 7 * stride - 8, target);
      base += steps * stride;
      left = steps == 7 ? left - 7 * part : part;
    }
    // No branch depends on what is found but the last: the JIT makes conditional moves of it.
    while (left > 1) {
      int half = left >>> 1;
      int probe = base + (half << 3);
      base = bytes.getLong(probe - 8) + Long.MIN_VALUE < target ? probe : base;
      left -= half;
    }
    int at = (base - prefixesAt) >>> 3;
    return bytes.getLong(base) + Long.MIN_VALUE < target ? at + 1 : at;
  }

  private int isBelow(int at, long target) {
    return bytes.getLong(at) + Long.MIN_VALUE < target ? 1 : 0;
  }

  /*
   * The next three fetch to the processor what the step after them reads. Their results mean nothing,
   * but to the compiler.
   */

  /** Where the block is. Needs no reference. */
  int touch() {
    return entries + bytes.capacity();
  }

  /** An entry's record, or nothing behind the last. */
  int touchRecord(int entry) {
    return entry < entries ? bytes.get(recordsAt + entry * recordBytes) : 0;
  }

  /** The first lines of an entry's value. */
  int touchValue(int entry) {
    int from = valueOffset(entry);
    int to = Math.min(valueEnd(entry), from + VALUE_TOUCHED_BYTES);
    int sum = 0;
    for (int at = from; at < to; at += LINE_BYTES) {
      sum += bytes.get(at);
    }
    return to > from ? sum + bytes.get(to - 1) : sum;
  }

  /** Whether that is the entry's key. */
  boolean hasKey(int entry, byte[] key) {
    if (compareCommon(key, 0, key.length) != 0) {
      return false;
    }
    int suffixBytes = key.length - commonBytes;
    return prefix(entry) == prefixOf(key, commonBytes, suffixBytes)
        && compareRestOfKey(entry, key, commonBytes, suffixBytes) == 0;
  }

  /** Zero if the key starts with the common prefix, else whether it is below or above all keys. */
  private int compareCommon(byte[] key, int offset, int length) {
    int limit = Math.min(commonBytes, length);
    int i = 0;
    for (; i + 8 <= limit; i += 8) {
      long ours = bytes.getLong(commonAt + i);
      long theirs = (long) LONGS.get(key, offset + i);
      if (ours != theirs) {
        return Long.compareUnsigned(theirs, ours);
      }
    }
    for (; i < limit; i++) {
      int difference = (key[offset + i] & 0xFF) - (bytes.get(commonAt + i) & 0xFF);
      if (difference != 0) {
        return difference;
      }
    }
    return length < commonBytes ? -1 : 0;
  }

  /** Compares an entry that has the key's prefix with (key, sequence) in entry order. */
  private int compareRest(int entry, byte[] key, int suffixAt, int suffixBytes, long sequence) {
    int order = compareRestOfKey(entry, key, suffixAt, suffixBytes);
    return order != 0 ? order : Long.compare(sequence, sequence(entry));
  }

  private int compareRestOfKey(int entry, byte[] key, int suffixAt, int suffixBytes) {
    int present = PREFIX_BYTES - missing(tag(entry));
    int wanted = Math.min(PREFIX_BYTES, suffixBytes);
    if (present != wanted) {
      // Zeroes filled up the one, zeroes are in the other: the filled-up one is a prefix of it.
      return present - wanted;
    }
    if (present < PREFIX_BYTES) {
      return 0;
    }
    int at = tailsAt + tailStart(entry);
    int tail = tailsAt + tailEnd(entry) - at;
    int keyAt = suffixAt + PREFIX_BYTES;
    int keyTail = suffixBytes - PREFIX_BYTES;
    int limit = Math.min(tail, keyTail);
    int i = 0;
    for (; i + 8 <= limit; i += 8) {
      long ours = bytes.getLong(at + i);
      long theirs = (long) LONGS.get(key, keyAt + i);
      if (ours != theirs) {
        return Long.compareUnsigned(ours, theirs);
      }
    }
    for (; i < limit; i++) {
      int difference = (bytes.get(at + i) & 0xFF) - (key[keyAt + i] & 0xFF);
      if (difference != 0) {
        return difference;
      }
    }
    return tail - keyTail;
  }

  /**
   * The first 8 of {@code length} bytes from {@code at} on as a long, zeroes if there are fewer.
   */
  private static long prefixOf(byte[] key, int at, int length) {
    if (length >= PREFIX_BYTES) {
      return (long) LONGS.get(key, at);
    }
    if (length == 0) {
      return 0;
    }
    int end = at + length;
    if (end >= PREFIX_BYTES) {
      return (long) LONGS.get(key, end - PREFIX_BYTES) << (8 * (PREFIX_BYTES - length));
    }
    long prefix = 0;
    for (int i = at; i < end; i++) {
      prefix = prefix << 8 | (key[i] & 0xFF);
    }
    return prefix << (8 * (PREFIX_BYTES - length));
  }
}
