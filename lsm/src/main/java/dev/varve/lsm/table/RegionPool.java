package dev.varve.lsm.table;

import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Off-heap memory for raw blocks, which is used again: a cache that is full gets as many blocks as
 * it lets go, and they are about of a size. Safe for use by several threads.
 */
final class RegionPool implements BlockMemory, AutoCloseable {
  /** Regions are multiples of it, so that blocks of about a size fit each other's. */
  private static final int GRANULE_BYTES = 1 << 10;

  /** Larger ones are allocated and freed each time. */
  private static final int POOLED_BYTES_MAX = 64 << 10;

  private static final int POOLED_PER_SIZE_MAX = 8;

  private final OffHeap offHeap;
  private final OffHeap.Part part;
  private final ArrayBlockingQueue<OffHeapRegion>[] free;
  private volatile boolean closed;

  /**
   * @param part what the memory is accounted as, in use or not
   */
  @SuppressWarnings({"unchecked", "rawtypes"}) // There are no arrays of a generic type.
  RegionPool(OffHeap offHeap, OffHeap.Part part) {
    this.offHeap = offHeap;
    this.part = part;
    this.free = new ArrayBlockingQueue[POOLED_BYTES_MAX / GRANULE_BYTES + 1];
    for (int i = 0; i < free.length; i++) {
      free[i] = new ArrayBlockingQueue<>(POOLED_PER_SIZE_MAX);
    }
  }

  @Override
  public OffHeapRegion take(int bytes) {
    if (bytes > POOLED_BYTES_MAX) {
      return offHeap.allocate(part, bytes);
    }
    int granules = Math.max(1, (bytes + GRANULE_BYTES - 1) / GRANULE_BYTES);
    OffHeapRegion pooled = free[granules].poll();
    return pooled != null ? pooled : offHeap.allocate(part, granules * GRANULE_BYTES);
  }

  /** {@inheritDoc} Also when the pool is closed. */
  @Override
  public void giveBack(OffHeapRegion region) {
    if (closed
        || region.bytes() > POOLED_BYTES_MAX
        || !free[region.bytes() / GRANULE_BYTES].offer(region)) {
      region.release();
    } else if (closed) {
      // Closed in between: whoever closed it may not have seen this one.
      releaseFree();
    }
  }

  private void releaseFree() {
    for (ArrayBlockingQueue<OffHeapRegion> sameSize : free) {
      for (OffHeapRegion region = sameSize.poll(); region != null; region = sameSize.poll()) {
        region.release();
      }
    }
  }

  /** Frees what nobody uses; what is still in use is freed when it comes back. */
  @Override
  public void close() {
    closed = true;
    releaseFree();
  }
}
