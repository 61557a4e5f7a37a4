package dev.varve.lsm.memtable;

import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import dev.varve.wal.RegionStock;

/**
 * Where the memtables of one tree get their chunks from. What a flushed one had goes to the next:
 * clearing new pages was 4 to 8 % of the time of a loop that writes, and each time half a
 * millisecond in which it did nothing else.
 *
 * <p>Safe for use by several threads. Accounted as {@link OffHeap.Part#MEMTABLE}, in use or not.
 */
public final class MemtableMemory implements AutoCloseable {
  private static final int CHUNK_BYTES_MIN = 8 << 10;
  private static final int CHUNK_BYTES_MAX = 1 << 20;

  /**
   * A small memtable gets its memory in small pieces, so that it is not full at its first entry.
   */
  private static final int CHUNKS_MIN = 16;

  private final OffHeap offHeap;
  private final int chunkBytes;
  private final long heldBytesMax;
  private final RegionStock stock;

  /**
   * Memory for memtables that are to hold about {@code bytesMax} each.
   *
   * @param countMax how many of them there are at most, the one that is being filled among them: as
   *     much as one has is kept while nobody uses it, as long as all is no more than they need
   */
  public MemtableMemory(OffHeap offHeap, long bytesMax, int countMax) {
    this(
        offHeap,
        (int)
            Math.max(
                CHUNK_BYTES_MIN,
                Math.min(CHUNK_BYTES_MAX, Long.highestOneBit(Math.max(1, bytesMax / CHUNKS_MIN)))),
        bytesMax,
        countMax * bytesMax);
  }

  private MemtableMemory(OffHeap offHeap, int chunkBytes, long keptBytesMax, long heldBytesMax) {
    this.offHeap = offHeap;
    this.chunkBytes = chunkBytes;
    this.heldBytesMax = heldBytesMax;
    int keptMax = (int) Math.min(keptBytesMax / chunkBytes, Integer.MAX_VALUE);
    this.stock = new RegionStock(offHeap, OffHeap.Part.MEMTABLE, chunkBytes, keptMax);
  }

  /** Memory in chunks of {@code chunkBytes}, a power of two, that is freed after each use. */
  static MemtableMemory ofChunks(OffHeap offHeap, int chunkBytes) {
    return new MemtableMemory(offHeap, chunkBytes, 0, 0);
  }

  /** Memory in chunks of the usual size that is freed after each use. */
  static MemtableMemory ofChunks(OffHeap offHeap) {
    return ofChunks(offHeap, CHUNK_BYTES_MAX);
  }

  /** The size of a chunk, a power of two. */
  int chunkBytes() {
    return chunkBytes;
  }

  /** A chunk of undefined content. */
  OffHeapRegion takeChunk() {
    return stock.take();
  }

  /** Memory of {@code bytes} bytes, of undefined content. */
  OffHeapRegion take(int bytes) {
    return offHeap.allocate(OffHeap.Part.MEMTABLE, bytes);
  }

  /** Takes back what either gave. */
  void giveBack(OffHeapRegion region) {
    if (region.bytes() == chunkBytes && offHeap.heldBytes(OffHeap.Part.MEMTABLE) <= heldBytesMax) {
      stock.giveBack(region);
    } else {
      region.release();
    }
  }

  /** Frees what nobody uses; what is still in use is freed when it comes back. */
  @Override
  public void close() {
    stock.close();
  }
}
