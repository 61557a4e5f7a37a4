package dev.varve.lsm.table;

import dev.varve.wal.CorruptionException;
import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import java.nio.ByteBuffer;

/**
 * A blocked bloom filter over the keys of a table: all bits of one key are in one cache line.
 *
 * <p>Immutable, for any thread.
 *
 * <p>Its raw form is lines of 64 bytes. Of a key's hash {@code h} ({@link KeyHash}) the upper 32
 * bits choose the line, {@code upper * lines >>> 32}; {@code h * 0x9E3779B97F4A7C15} has, from its
 * uppermost bit down, six times the 9 bits of a bit's number in the line. Bit b is bit {@code b &
 * 7} of byte {@code b >>> 3}.
 */
final class BloomFilter implements AutoCloseable {
  static final int LINE_BYTES = 64;
  private static final int PROBES = 6;
  private static final int PROBE_BITS = 9;
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final OffHeapRegion region;
  private final ByteBuffer bytes;
  private final int start;
  private final int lines;

  /** Copies the filter from {@code raw[0, rawBytes)}. */
  BloomFilter(ByteBuffer raw, int rawBytes, OffHeap offHeap, String file, long offset)
      throws CorruptionException {
    if (rawBytes < LINE_BYTES || rawBytes % LINE_BYTES != 0) {
      throw new CorruptionException(file, offset, "a filter of " + rawBytes + " bytes");
    }
    lines = rawBytes / LINE_BYTES;
    // Room to start on a cache line.
    region = offHeap.allocate(OffHeap.Part.INDEX_AND_FILTER, rawBytes + LINE_BYTES);
    bytes = region.buffer();
    start = (LINE_BYTES - bytes.alignmentOffset(0, LINE_BYTES)) % LINE_BYTES;
    bytes.put(start, raw, 0, rawBytes);
  }

  /** Bytes of a filter for so many keys. */
  static int bytesFor(long keys, int bitsPerKey) {
    long lines = Math.max(1, (keys * bitsPerKey + LINE_BYTES * 8 - 1) / (LINE_BYTES * 8));
    return (int) Math.min(lines, TableFormat.RAW_BYTES_MAX / LINE_BYTES) * LINE_BYTES;
  }

  /** Sets the bits of a hash in the filter that {@code bytes[0, filterBytes)} is. */
  static void add(ByteBuffer bytes, int filterBytes, long hash) {
    int line = lineOffset(hash, filterBytes / LINE_BYTES);
    long bits = hash * SPREAD;
    for (int i = 0; i < PROBES; i++) {
      int bit = (int) (bits >>> (64 - PROBE_BITS));
      int at = line + (bit >>> 3);
      bytes.put(at, (byte) (bytes.get(at) | 1 << (bit & 7)));
      bits <<= PROBE_BITS;
    }
  }

  /** False if no key of this hash is in the table. */
  boolean mayContain(long hash) {
    int line = start + lineOffset(hash, lines);
    long bits = hash * SPREAD;
    for (int i = 0; i < PROBES; i++) {
      int bit = (int) (bits >>> (64 - PROBE_BITS));
      if ((bytes.get(line + (bit >>> 3)) & 1 << (bit & 7)) == 0) {
        return false;
      }
      bits <<= PROBE_BITS;
    }
    return true;
  }

  /** Fetches what {@link #mayContain} reads; the result means nothing, but to the compiler. */
  int touch(long hash) {
    return bytes.get(start + lineOffset(hash, lines));
  }

  private static int lineOffset(long hash, int lines) {
    return (int) ((hash >>> 32) * lines >>> 32) * LINE_BYTES;
  }

  @Override
  public void close() {
    region.release();
  }
}
