package dev.varve.lsm;

import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;

/** Memory of which one part runs out after so many allocations. For one thread. */
public final class ScarceMemory extends OffHeap {
  private final Part scarce;
  private int allocationsLeft = Integer.MAX_VALUE;

  public ScarceMemory(Part scarce) {
    this.scarce = scarce;
  }

  /** Lets so many more allocations pass, and none behind them. */
  public void runOutAfter(int allocations) {
    allocationsLeft = allocations;
  }

  /** There is enough from now on. */
  public void relax() {
    allocationsLeft = Integer.MAX_VALUE;
  }

  @Override
  public OffHeapRegion allocate(Part part, int bytes) {
    if (part == scarce && allocationsLeft-- <= 0) {
      throw new OutOfMemoryError("none left");
    }
    return super.allocate(part, bytes);
  }
}
