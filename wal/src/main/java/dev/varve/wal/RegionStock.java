package dev.varve.wal;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Off-heap regions of one size that are used again: memory that is new must first be cleared by the
 * operating system. Safe for use by several threads.
 */
public final class RegionStock implements AutoCloseable {
  private final OffHeap offHeap;
  private final OffHeap.Part part;
  private final int regionBytes;
  private final int keptMax;
  private final Deque<OffHeapRegion> free = new ArrayDeque<>();
  private boolean closed;

  /**
   * An empty stock.
   *
   * @param part what the memory is accounted as, in use or not
   * @param regionBytes the size of each
   * @param keptMax how many are kept that nobody uses
   */
  public RegionStock(OffHeap offHeap, OffHeap.Part part, int regionBytes, int keptMax) {
    this.offHeap = offHeap;
    this.part = part;
    this.regionBytes = regionBytes;
    this.keptMax = keptMax;
  }

  /** A region of undefined content, which belongs to the caller. */
  public OffHeapRegion take() {
    synchronized (this) {
      OffHeapRegion kept = free.poll();
      if (kept != null) {
        return kept;
      }
    }
    return offHeap.allocate(part, regionBytes);
  }

  /** Takes back what {@link #take} gave and nobody else holds, also when the stock is closed. */
  public void giveBack(OffHeapRegion region) {
    synchronized (this) {
      if (!closed && free.size() < keptMax) {
        // The one used last is the likeliest to be in the processor's caches still.
        free.push(region);
        return;
      }
    }
    region.release();
  }

  /** Frees what nobody uses; what is still in use is freed when it comes back. */
  @Override
  public synchronized void close() {
    closed = true;
    free.forEach(OffHeapRegion::release);
    free.clear();
  }
}
