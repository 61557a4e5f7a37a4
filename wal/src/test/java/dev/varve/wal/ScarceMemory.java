package dev.varve.wal;

import java.util.EnumSet;
import java.util.Set;

/**
 * Memory that runs out for some of its parts after so many allocations.
 *
 * <p>Safe for use by several threads.
 */
public final class ScarceMemory extends OffHeap {
  /** What is said when it has run out. */
  public static final String NONE_LEFT = "none left";

  private final Set<Part> scarce;
  private int allocationsLeft = Integer.MAX_VALUE;

  /** For all parts. */
  public ScarceMemory() {
    this.scarce = EnumSet.allOf(Part.class);
  }

  public ScarceMemory(Part scarce) {
    this.scarce = EnumSet.of(scarce);
  }

  /** Lets so many more allocations pass, and none behind them. */
  public synchronized void runOutAfter(int allocations) {
    allocationsLeft = allocations;
  }

  /** There is enough from now on. */
  public synchronized void relax() {
    allocationsLeft = Integer.MAX_VALUE;
  }

  @Override
  public OffHeapRegion allocate(Part part, int bytes) {
    if (scarce.contains(part)) {
      take();
    }
    return super.allocate(part, bytes);
  }

  private synchronized void take() {
    if (allocationsLeft == 0) {
      throw new OutOfMemoryError(NONE_LEFT);
    }
    allocationsLeft--;
  }
}
