package dev.varve.lsm;

import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;

/** Memory off the heap of which a part can run out. */
final class ScarceOffHeap extends OffHeap {
  private final Part scarce;
  private volatile boolean isOut;

  ScarceOffHeap(Part scarce) {
    this.scarce = scarce;
  }

  /** From here on there is none left of the scarce part, or there is again. */
  void runOut(boolean isIt) {
    isOut = isIt;
  }

  @Override
  public OffHeapRegion allocate(Part part, int bytes) {
    if (isOut && part == scarce) {
      throw new OutOfMemoryError("no memory left for " + part);
    }
    return super.allocate(part, bytes);
  }
}
