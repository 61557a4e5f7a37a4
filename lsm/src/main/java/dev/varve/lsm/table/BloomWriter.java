package dev.varve.lsm.table;

import dev.varve.wal.OffHeap;
import java.nio.ByteBuffer;

/** Collects the hashes of a table's keys and makes its {@link BloomFilter}. For one thread. */
final class BloomWriter implements AutoCloseable {
  private static final int BYTES_AT_FIRST = 64 << 10;

  private final GrowableRegion hashes;
  private final GrowableRegion filter;
  private final int bitsPerKey;
  private int hashBytes;

  BloomWriter(OffHeap offHeap, int bitsPerKey) {
    this.hashes = new GrowableRegion(offHeap, BYTES_AT_FIRST);
    this.filter = new GrowableRegion(offHeap, BloomFilter.LINE_BYTES);
    this.bitsPerKey = bitsPerKey;
  }

  void add(long hash) {
    hashes.ensure(hashBytes + 8L, hashBytes).putLong(hashBytes, hash);
    hashBytes += 8;
  }

  /** Bytes that the filter would have now. */
  int filterBytes() {
    return BloomFilter.bytesFor(hashBytes / 8, bitsPerKey);
  }

  /** The filter's raw bytes: the first {@link #filterBytes()} of the buffer. */
  ByteBuffer finish() {
    int bytes = filterBytes();
    ByteBuffer target = filter.ensure(bytes, 0);
    for (int i = 0; i < bytes; i += 8) {
      target.putLong(i, 0);
    }
    ByteBuffer source = hashes.buffer();
    for (int i = 0; i < hashBytes; i += 8) {
      BloomFilter.add(target, bytes, source.getLong(i));
    }
    return target;
  }

  @Override
  public void close() {
    hashes.close();
    filter.close();
  }
}
