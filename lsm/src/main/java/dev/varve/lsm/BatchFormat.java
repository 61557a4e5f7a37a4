package dev.varve.lsm;

/**
 * The bytes of one batch, as the log stores it. All integers are big-endian; a varint is
 * little-endian groups of seven bits, the high bit saying that another follows.
 *
 * <pre>
 * offset  size  what
 *      0     8  sequence number of every entry
 *      8     4  sequence numbers reserved from there, at least 1
 *     12     4  number of entries
 *     16     4  number of counter deltas
 *     20        the entries, each:
 *                 1  kind: 0 tombstone, 1 value
 *                 v  key length, varint
 *                 v  value length, varint, for a value only
 *                    key bytes, value bytes
 *              the counter deltas, each:
 *                 8  counter
 *                 8  delta
 * </pre>
 *
 * <p>docs/formats/batch.md has a worked example.
 */
final class BatchFormat {
  static final int SEQUENCE_AT = 0;
  static final int RESERVED_AT = 8;
  static final int ENTRIES_AT = 12;
  static final int COUNTERS_AT = 16;
  static final int HEADER_BYTES = 20;
  static final int COUNTER_BYTES = 16;

  /** A tombstone of the empty key. */
  static final int ENTRY_BYTES_MIN = 2;

  static final byte KIND_TOMBSTONE = 0;
  static final byte KIND_VALUE = 1;

  /** A varint of an int takes no more than this. */
  static final int VARINT_BYTES_MAX = 5;

  private BatchFormat() {}
}
