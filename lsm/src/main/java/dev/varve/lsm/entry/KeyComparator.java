package dev.varve.lsm.entry;

/**
 * The order of keys in a tree. Its name is stored in the manifest: a tree opened with another order
 * refuses to start. Immutable, safe for use by several threads.
 *
 * <p>The order <em>must equal unsigned byte order</em> of the keys. So one vectorised compare
 * serves inside blocks and memtable nodes, common prefixes may be stripped, and the same keys would
 * sort alike on a distributed engine. What a comparator adds is the meaning: it says which parts of
 * a key decide, and a property test holds it against byte order. The tree asks it where whole keys
 * meet (between tables, in merges, when a table is written), so a mistake in it shows at once.
 */
public interface KeyComparator {

  /** Unsigned byte order with no further meaning. */
  KeyComparator BYTEWISE = new BytewiseComparator();

  /**
   * What is stored on disk to recognise this order, at most {@link #NAME_BYTES_MAX} bytes of ASCII.
   */
  String name();

  /**
   * Compares {@code a[aOffset, aOffset+aLength)} with the same of b: negative, zero or positive.
   */
  int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength);

  /** Compares two whole arrays. */
  default int compare(byte[] a, byte[] b) {
    return compare(a, 0, a.length, b, 0, b.length);
  }

  /**
   * Whether two keys, the first before the second, had better not be in one table: a range of keys
   * that is merged then is no wider than what is in it. RocksDB's {@code SstPartitioner}.
   */
  default boolean isApart(byte[] a, byte[] b, int bOffset, int bLength) {
    return false;
  }

  /** The longest {@link #name()}. */
  int NAME_BYTES_MAX = 255;
}
