package dev.varve.lsm.table;

import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import dev.varve.wal.RegionStock;

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

  /** By the number of granules, from 1 on. */
  private final RegionStock[] stocks;

  /**
   * @param part what the memory is accounted as, in use or not
   */
  RegionPool(OffHeap offHeap, OffHeap.Part part) {
    this.offHeap = offHeap;
    this.part = part;
    this.stocks = new RegionStock[POOLED_BYTES_MAX / GRANULE_BYTES + 1];
    for (int i = 0; i < stocks.length; i++) {
      stocks[i] = new RegionStock(offHeap, part, i * GRANULE_BYTES, POOLED_PER_SIZE_MAX);
    }
  }

  @Override
  public OffHeapRegion take(int bytes) {
    if (bytes > POOLED_BYTES_MAX) {
      return offHeap.allocate(part, bytes);
    }
    return stocks[Math.max(1, (bytes + GRANULE_BYTES - 1) / GRANULE_BYTES)].take();
  }

  /** {@inheritDoc} Also when the pool is closed. */
  @Override
  public void giveBack(OffHeapRegion region) {
    if (region.bytes() > POOLED_BYTES_MAX) {
      region.release();
    } else {
      stocks[region.bytes() / GRANULE_BYTES].giveBack(region);
    }
  }

  /** Frees what nobody uses; what is still in use is freed when it comes back. */
  @Override
  public void close() {
    for (RegionStock stock : stocks) {
      stock.close();
    }
  }
}
