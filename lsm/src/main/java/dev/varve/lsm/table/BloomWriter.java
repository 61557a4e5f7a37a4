package dev.varve.lsm.table;

import dev.varve.wal.OffHeap;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Collects the hashes of a table's keys and makes its {@link BloomFilter}. For one thread. */
final class BloomWriter implements AutoCloseable {
  /** One buffer of all hashes would be full at 268 million keys, which a merge may well have. */
  private static final int CHUNK_BYTES = 64 << 10;

  private final OffHeap offHeap;
  private final List<GrowableRegion> chunks = new ArrayList<>();
  private final GrowableRegion filter;
  private final int bitsPerKey;
  private long keys;

  /** The end of the last chunk's hashes; a full one, too, before there is any. */
  private int chunkBytes = CHUNK_BYTES;

  BloomWriter(OffHeap offHeap, int bitsPerKey) {
    this.offHeap = offHeap;
    this.filter = new GrowableRegion(offHeap, BloomFilter.LINE_BYTES);
    this.bitsPerKey = bitsPerKey;
  }

  void add(long hash) {
    if (chunkBytes == CHUNK_BYTES) {
      chunks.add(new GrowableRegion(offHeap, CHUNK_BYTES));
      chunkBytes = 0;
    }
    GrowableRegion chunk = chunks.get(chunks.size() - 1);
    chunk.ensure(chunkBytes + Long.BYTES, chunkBytes).putLong(chunkBytes, hash);
    chunkBytes += Long.BYTES;
    keys++;
  }

  /** Bytes that the filter would have now. */
  int filterBytes() {
    return BloomFilter.bytesFor(keys, bitsPerKey);
  }

  /** The filter's raw bytes: the first {@link #filterBytes()} of the buffer. */
  ByteBuffer finish() {
    int bytes = filterBytes();
    ByteBuffer target = filter.ensure(bytes, 0);
    for (int i = 0; i < bytes; i += 8) {
      target.putLong(i, 0);
    }
    for (int i = 0; i < chunks.size(); i++) {
      ByteBuffer source = chunks.get(i).buffer();
      int end = i < chunks.size() - 1 ? CHUNK_BYTES : chunkBytes;
      for (int at = 0; at < end; at += Long.BYTES) {
        BloomFilter.add(target, bytes, source.getLong(at));
      }
    }
    return target;
  }

  @Override
  public void close() {
    chunks.forEach(GrowableRegion::close);
    filter.close();
  }
}
