package dev.varve.lsm.table;

/**
 * The raw bytes of a block: what is searched in memory, and what is compressed on disk. All
 * integers are big-endian and unsigned.
 *
 * <pre>
 *   values          v        the values of all entries, in order
 *   tails           t        per entry, what of its key follows common prefix and prefix
 *   common prefix   c        what all keys of the block start with
 *   zeroes          0 to 7   up to a multiple of 8 from the block's start
 *   prefixes        8 n      per entry, the 8 key bytes after the common prefix, zeroes if fewer
 *   records         12 n     per entry, see below; 16 n if t or v is above 65535
 *   n               u32      number of entries, at least 1
 *   c               u32
 *   t               u32
 *   v               u32
 * </pre>
 *
 * A record:
 *
 * <pre>
 *   tag        u64   sequence number &lt;&lt; 8 | missing &lt;&lt; 1 | tombstone; missing is how many of
 *                    the prefix's 8 bytes the key does not have
 *   tail end   u16   in the tails; u32 if wide
 *   value end  u16   in the values; u32 if wide
 * </pre>
 *
 * So a search walks a flat array of longs, and meets the record only of entries whose prefix is the
 * one it looks for. Every entry can be decoded by itself: backwards is the same walk as forwards.
 * Values come first because a writer has them first. Not instantiable.
 */
final class BlockFormat {
  static final int FOOTER_BYTES = 16;
  static final int PREFIX_BYTES = 8;
  static final int RECORD_BYTES = 12;
  static final int WIDE_RECORD_BYTES = 16;

  /** Above it, offsets within values or tails need 32 bits. */
  static final int NARROW_MAX = 0xFFFF;

  static final int TOMBSTONE_BIT = 1;
  static final int MISSING_SHIFT = 1;
  static final int MISSING_MASK = 0xF;
  static final int SEQUENCE_SHIFT = 8;

  /** Bits of a tag that no writer sets. */
  static final long TAG_UNUSED_BITS = 0xE0;

  private BlockFormat() {}

  /** Whether a block with so many bytes of tails and values has wide records. */
  static boolean isWide(int tailBytes, int valueBytes) {
    return tailBytes > NARROW_MAX || valueBytes > NARROW_MAX;
  }

  /** The offset rounded up to where prefixes may start. */
  static int alignedToPrefix(int offset) {
    return (offset + PREFIX_BYTES - 1) & -PREFIX_BYTES;
  }

  static long tag(long sequence, int missing, boolean tombstone) {
    return sequence << SEQUENCE_SHIFT | missing << MISSING_SHIFT | (tombstone ? TOMBSTONE_BIT : 0);
  }
}
