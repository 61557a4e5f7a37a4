package dev.varve.lsm.table;

import static dev.varve.lsm.table.BlockFormat.FOOTER_BYTES;
import static dev.varve.lsm.table.BlockFormat.PREFIX_BYTES;
import static dev.varve.lsm.table.BlockFormat.RECORD_BYTES;
import static dev.varve.lsm.table.BlockFormat.WIDE_RECORD_BYTES;
import static dev.varve.lsm.table.TableFormat.RAW_BYTES_MAX;

import dev.varve.wal.OffHeap;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Builds the raw bytes of one block after another, from entries in order. For one thread. */
final class BlockWriter implements AutoCloseable {
  /*
   * What all keys share is known at the end, and in the block once. Kept whole, the separators of an
   * index would take a hundred times what it does where long keys start alike, so of each only that
   * is kept which it does not share with the one before it. Data blocks are small: there whole keys
   * save putting them together again.
   */

  private static final int ENTRIES_AT_FIRST = 256;
  private static final int KEY_BYTES_AT_FIRST = 1 << 10;

  private final boolean areKeysWhole;
  private final GrowableRegion raw;

  /** What each key has beyond {@link #sharedBytes}, and 8 bytes more. */
  private final GrowableRegion differences;

  /** One key at a time if they are not kept whole, and 8 bytes more. */
  private final GrowableRegion wholeKey;

  private int[] sharedBytes = new int[ENTRIES_AT_FIRST];
  private int[] differenceEnds = new int[ENTRIES_AT_FIRST];
  private int[] valueEnds = new int[ENTRIES_AT_FIRST];
  private long[] tags = new long[ENTRIES_AT_FIRST];
  private int entries;
  private int commonBytes;
  private int longestKeyBytes;

  /** Of all keys as they are. */
  private long keyBytes;

  /** For data blocks. */
  BlockWriter(OffHeap offHeap, int expectedBytes) {
    this(offHeap, expectedBytes, true);
  }

  /** For a block of any length, however long its keys are. */
  static BlockWriter ofIndex(OffHeap offHeap, int expectedBytes) {
    return new BlockWriter(offHeap, expectedBytes, false);
  }

  private BlockWriter(OffHeap offHeap, int expectedBytes, boolean areKeysWhole) {
    this.areKeysWhole = areKeysWhole;
    raw = new GrowableRegion(offHeap, expectedBytes + expectedBytes / 4 + FOOTER_BYTES);
    differences = new GrowableRegion(offHeap, expectedBytes);
    wholeKey = new GrowableRegion(offHeap, KEY_BYTES_AT_FIRST);
  }

  int entries() {
    return entries;
  }

  /** About how many raw bytes the block would have now. Exact but for keys shorter than others. */
  long estimatedBytes() {
    return estimatedBytes(commonBytes);
  }

  /** The same if its keys had no more than so many bytes in common. */
  long estimatedBytes(int commonBytesMax) {
    if (entries == 0) {
      return FOOTER_BYTES;
    }
    int common = Math.min(commonBytes, commonBytesMax);
    long tails = keyBytes - (long) entries * (common + PREFIX_BYTES);
    return FOOTER_BYTES
        + common
        + (long) entries * (PREFIX_BYTES + RECORD_BYTES)
        + Math.max(0, tails)
        + valueBytes();
  }

  private int differenceBytes() {
    return entries == 0 ? 0 : differenceEnds[entries - 1];
  }

  private int valueBytes() {
    return entries == 0 ? 0 : valueEnds[entries - 1];
  }

  /**
   * Adds an entry behind all others.
   *
   * @param shared how many bytes the key shares with the previous one; of no meaning for the first
   */
  void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      int shared,
      long sequence,
      boolean tombstone,
      ByteBuffer value,
      int valueOffset,
      int valueLength) {
    int valueStart = startEntry(key, keyOffset, keyLength, shared, sequence, tombstone);
    long end = (long) valueStart + valueLength;
    raw.ensure(end, valueStart).put(valueStart, value, valueOffset, valueLength);
    valueEnds[entries++] = (int) end;
  }

  private int startEntry(
      byte[] key, int offset, int length, int shared, long sequence, boolean tombstone) {
    if (entries == tags.length) {
      int more = entries * 2;
      sharedBytes = Arrays.copyOf(sharedBytes, more);
      differenceEnds = Arrays.copyOf(differenceEnds, more);
      valueEnds = Arrays.copyOf(valueEnds, more);
      tags = Arrays.copyOf(tags, more);
    }
    int known = areKeysWhole || entries == 0 ? 0 : shared;
    int added = length - known;
    int start = differenceBytes();
    differences
        .ensure((long) start + added + PREFIX_BYTES, start)
        .put(start, key, offset + known, added);
    sharedBytes[entries] = known;
    differenceEnds[entries] = start + added;
    tags[entries] = BlockFormat.tag(sequence, 0, tombstone);
    commonBytes = entries == 0 ? length : Math.min(commonBytes, shared);
    longestKeyBytes = Math.max(longestKeyBytes, length);
    keyBytes += length;
    return valueBytes();
  }

  /**
   * Completes the block: its raw bytes are the first of {@link #raw()}, as many as returned, until
   * {@link #reset()}.
   */
  int finish() {
    int valueBytes = valueBytes();
    long tailBytes = 0;
    for (int i = 0, start = 0; i < entries; start = differenceEnds[i++]) {
      int length = sharedBytes[i] + differenceEnds[i] - start;
      tailBytes += Math.max(0, length - commonBytes - PREFIX_BYTES);
    }
    // Before they are taken for ints.
    long heapBytes = valueBytes + tailBytes + commonBytes;
    boolean wide = heapBytes > RAW_BYTES_MAX || BlockFormat.isWide((int) tailBytes, valueBytes);
    int recordBytes = wide ? WIDE_RECORD_BYTES : RECORD_BYTES;
    long bytesMax =
        heapBytes + PREFIX_BYTES + (long) entries * (PREFIX_BYTES + recordBytes) + FOOTER_BYTES;
    if (bytesMax > RAW_BYTES_MAX) {
      throw new IllegalStateException("a block of " + bytesMax + " bytes is beyond the format");
    }
    return lay(valueBytes, (int) tailBytes, recordBytes);
  }

  /** Puts what is behind the values into the block, which is within the format. */
  private int lay(int valueBytes, int tailBytes, int recordBytes) {
    int commonAt = valueBytes + tailBytes;
    int prefixesAt = BlockFormat.alignedToPrefix(commonAt + commonBytes);
    int total = prefixesAt + entries * (PREFIX_BYTES + recordBytes) + FOOTER_BYTES;
    ByteBuffer changes = differences.buffer();
    ByteBuffer key =
        areKeysWhole ? changes : wholeKey.ensure((long) longestKeyBytes + PREFIX_BYTES, 0);
    int keyAt = 0;
    ByteBuffer out = raw.ensure(total, valueBytes);
    int tailAt = valueBytes;
    int prefixAt = prefixesAt;
    int recordAt = prefixAt + entries * PREFIX_BYTES;
    for (int i = 0, start = 0; i < entries; start = differenceEnds[i++]) {
      int added = differenceEnds[i] - start;
      if (areKeysWhole) {
        keyAt = start;
      } else {
        key.put(sharedBytes[i], changes, start, added);
      }
      int suffixAt = keyAt + commonBytes;
      int suffixBytes = sharedBytes[i] + added - commonBytes;
      int missing = Math.max(0, PREFIX_BYTES - suffixBytes);
      // The key's buffer has room for 8 bytes more: what is behind a short key is masked away.
      long prefix = missing == PREFIX_BYTES ? 0 : key.getLong(suffixAt);
      out.putLong(prefixAt, prefix & (missing == PREFIX_BYTES ? 0 : -1L << (8 * missing)));
      if (suffixBytes > PREFIX_BYTES) {
        int bytes = suffixBytes - PREFIX_BYTES;
        out.put(tailAt, key, suffixAt + PREFIX_BYTES, bytes);
        tailAt += bytes;
      }
      out.putLong(recordAt, tags[i] | (long) missing << BlockFormat.MISSING_SHIFT);
      if (recordBytes == WIDE_RECORD_BYTES) {
        out.putInt(recordAt + 8, tailAt - valueBytes).putInt(recordAt + 12, valueEnds[i]);
      } else {
        out.putChar(recordAt + 8, (char) (tailAt - valueBytes))
            .putChar(recordAt + 10, (char) valueEnds[i]);
      }
      prefixAt += PREFIX_BYTES;
      recordAt += recordBytes;
    }
    // Any key begins with it.
    out.put(commonAt, key, keyAt, commonBytes);
    for (int i = commonAt + commonBytes; i < prefixesAt; i++) {
      out.put(i, (byte) 0);
    }
    out.putInt(recordAt, entries)
        .putInt(recordAt + 4, commonBytes)
        .putInt(recordAt + 8, tailBytes)
        .putInt(recordAt + 12, valueBytes);
    return total;
  }

  ByteBuffer raw() {
    return raw.buffer();
  }

  /** Forgets all entries. */
  void reset() {
    entries = 0;
    commonBytes = 0;
    longestKeyBytes = 0;
    keyBytes = 0;
    raw.reset();
    differences.reset();
    wholeKey.reset();
  }

  @Override
  public void close() {
    raw.close();
    differences.close();
    wholeKey.close();
  }
}
