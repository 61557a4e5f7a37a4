package dev.varve.lsm.table;

import static dev.varve.lsm.table.BlockFormat.FOOTER_BYTES;
import static dev.varve.lsm.table.BlockFormat.PREFIX_BYTES;
import static dev.varve.lsm.table.BlockFormat.RECORD_BYTES;
import static dev.varve.lsm.table.BlockFormat.WIDE_RECORD_BYTES;

import dev.varve.wal.OffHeap;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Builds the raw bytes of one block after another, from entries in order. For one thread. */
final class BlockWriter implements AutoCloseable {
  private static final int ENTRIES_AT_FIRST = 256;

  private final GrowableRegion raw;
  private final GrowableRegion keys;
  private int[] keyEnds = new int[ENTRIES_AT_FIRST];
  private int[] valueEnds = new int[ENTRIES_AT_FIRST];
  private long[] tags = new long[ENTRIES_AT_FIRST];
  private int entries;
  private int commonBytes;

  BlockWriter(OffHeap offHeap, int expectedBytes) {
    raw = new GrowableRegion(offHeap, expectedBytes + expectedBytes / 4 + FOOTER_BYTES);
    keys = new GrowableRegion(offHeap, expectedBytes);
  }

  int entries() {
    return entries;
  }

  /** About how many raw bytes the block would have now. Exact but for keys shorter than others. */
  long estimatedBytes() {
    if (entries == 0) {
      return FOOTER_BYTES;
    }
    long tails = keyBytes() - (long) entries * (commonBytes + PREFIX_BYTES);
    return FOOTER_BYTES
        + commonBytes
        + (long) entries * (PREFIX_BYTES + RECORD_BYTES)
        + Math.max(0, tails)
        + valueBytes();
  }

  private int keyBytes() {
    return entries == 0 ? 0 : keyEnds[entries - 1];
  }

  private int valueBytes() {
    return entries == 0 ? 0 : valueEnds[entries - 1];
  }

  /**
   * Adds an entry behind all others.
   *
   * @param sharedBytes how many bytes the key shares with the previous one; of no meaning for the
   *     first
   */
  void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      int sharedBytes,
      long sequence,
      boolean tombstone,
      ByteBuffer value,
      int valueOffset,
      int valueLength) {
    int valueStart = startEntry(key, keyOffset, keyLength, sharedBytes, sequence, tombstone);
    long end = (long) valueStart + valueLength;
    raw.ensure(end, valueStart).put(valueStart, value, valueOffset, valueLength);
    valueEnds[entries++] = (int) end;
  }

  /** The same with a value on the heap. */
  void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      int sharedBytes,
      long sequence,
      boolean tombstone,
      byte[] value,
      int valueOffset,
      int valueLength) {
    int valueStart = startEntry(key, keyOffset, keyLength, sharedBytes, sequence, tombstone);
    long end = (long) valueStart + valueLength;
    raw.ensure(end, valueStart).put(valueStart, value, valueOffset, valueLength);
    valueEnds[entries++] = (int) end;
  }

  private int startEntry(
      byte[] key, int offset, int length, int sharedBytes, long sequence, boolean tombstone) {
    if (entries == tags.length) {
      int more = entries * 2;
      keyEnds = Arrays.copyOf(keyEnds, more);
      valueEnds = Arrays.copyOf(valueEnds, more);
      tags = Arrays.copyOf(tags, more);
    }
    commonBytes = entries == 0 ? length : Math.min(commonBytes, sharedBytes);
    int start = keyBytes();
    keys.ensure((long) start + length + PREFIX_BYTES, start).put(start, key, offset, length);
    keyEnds[entries] = start + length;
    tags[entries] = BlockFormat.tag(sequence, 0, tombstone);
    return valueBytes();
  }

  /**
   * Completes the block: its raw bytes are the first of {@link #raw()}, as many as returned, until
   * {@link #reset()}.
   */
  int finish() {
    ByteBuffer keyBytes = keys.buffer();
    int valueBytes = valueBytes();
    long tailBytes = 0;
    for (int i = 0, start = 0; i < entries; start = keyEnds[i++]) {
      tailBytes += Math.max(0, keyEnds[i] - start - commonBytes - PREFIX_BYTES);
    }
    boolean wide = BlockFormat.isWide((int) tailBytes, valueBytes);
    int recordBytes = wide ? WIDE_RECORD_BYTES : RECORD_BYTES;
    int commonAt = valueBytes + (int) tailBytes;
    long prefixesAt = BlockFormat.alignedToPrefix(commonAt + commonBytes);
    long total = prefixesAt + (long) entries * (PREFIX_BYTES + recordBytes) + FOOTER_BYTES;
    if (total > TableFormat.RAW_BYTES_MAX) {
      throw new IllegalStateException("a block of " + total + " bytes is beyond the format");
    }
    ByteBuffer out = raw.ensure(total, valueBytes);
    out.put(commonAt, keyBytes, 0, commonBytes);
    for (int i = commonAt + commonBytes; i < prefixesAt; i++) {
      out.put(i, (byte) 0);
    }
    int tailAt = valueBytes;
    int prefixAt = (int) prefixesAt;
    int recordAt = prefixAt + entries * PREFIX_BYTES;
    for (int i = 0, start = 0; i < entries; start = keyEnds[i++]) {
      int suffixAt = start + commonBytes;
      int suffixBytes = keyEnds[i] - suffixAt;
      int missing = Math.max(0, PREFIX_BYTES - suffixBytes);
      // The key buffer has room for 8 bytes more: what is behind a short key is masked away.
      long prefix = missing == PREFIX_BYTES ? 0 : keyBytes.getLong(suffixAt);
      out.putLong(prefixAt, prefix & (missing == PREFIX_BYTES ? 0 : -1L << (8 * missing)));
      if (suffixBytes > PREFIX_BYTES) {
        int bytes = suffixBytes - PREFIX_BYTES;
        out.put(tailAt, keyBytes, suffixAt + PREFIX_BYTES, bytes);
        tailAt += bytes;
      }
      out.putLong(recordAt, tags[i] | (long) missing << BlockFormat.MISSING_SHIFT);
      if (wide) {
        out.putInt(recordAt + 8, tailAt - valueBytes).putInt(recordAt + 12, valueEnds[i]);
      } else {
        out.putChar(recordAt + 8, (char) (tailAt - valueBytes))
            .putChar(recordAt + 10, (char) valueEnds[i]);
      }
      prefixAt += PREFIX_BYTES;
      recordAt += recordBytes;
    }
    out.putInt(recordAt, entries)
        .putInt(recordAt + 4, commonBytes)
        .putInt(recordAt + 8, (int) tailBytes)
        .putInt(recordAt + 12, valueBytes);
    return (int) total;
  }

  ByteBuffer raw() {
    return raw.buffer();
  }

  /** Forgets all entries. */
  void reset() {
    entries = 0;
    commonBytes = 0;
    raw.reset();
    keys.reset();
  }

  @Override
  public void close() {
    raw.close();
    keys.close();
  }
}
