package dev.varve.lsm.table;

import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Off-heap memory for stored blocks on their way from the file to their raw form. Safe for use by
 * several threads.
 */
final class ScratchPool implements AutoCloseable {
  /** Enough for any block of the default size; larger ones are allocated and freed each time. */
  static final int POOLED_BYTES = 64 << 10;

  /** For as many threads as may read at a time. */
  private static final int POOLED_MAX = 64;

  private final OffHeap offHeap;
  private final ArrayBlockingQueue<OffHeapRegion> free = new ArrayBlockingQueue<>(POOLED_MAX);

  ScratchPool(OffHeap offHeap) {
    this.offHeap = offHeap;
  }

  /** A region of at least {@code bytes}, for the caller alone until {@link #giveBack}. */
  OffHeapRegion take(int bytes) {
    if (bytes > POOLED_BYTES) {
      return offHeap.allocate(OffHeap.Part.BLOCK_CACHE, bytes);
    }
    OffHeapRegion pooled = free.poll();
    return pooled != null ? pooled : offHeap.allocate(OffHeap.Part.BLOCK_CACHE, POOLED_BYTES);
  }

  void giveBack(OffHeapRegion region) {
    if (region.bytes() != POOLED_BYTES || !free.offer(region)) {
      region.release();
    }
  }

  /** Frees what nobody uses. Nothing may be in use or taken any more. */
  @Override
  public void close() {
    for (OffHeapRegion region = free.poll(); region != null; region = free.poll()) {
      region.release();
    }
  }
}
