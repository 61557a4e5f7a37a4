package dev.varve.wal;

import java.util.ArrayList;
import java.util.List;

/**
 * The off-heap memory of a process that a test kills: it goes with the process, whoever held it.
 *
 * <p>Safe for use by several threads, all of which are of that process.
 */
public final class ProcessMemory extends OffHeap {
  private static final int REGIONS_BEFORE_A_LOOK = 1_000;

  private List<OffHeapRegion> regions = new ArrayList<>();
  private int lookAtRegions = REGIONS_BEFORE_A_LOOK;

  @Override
  public synchronized OffHeapRegion allocate(Part part, int bytes) {
    if (regions.size() >= lookAtRegions) {
      regions.removeIf(OffHeapRegion::isFree);
      lookAtRegions = Math.max(REGIONS_BEFORE_A_LOOK, 2 * regions.size());
    }
    OffHeapRegion region = super.allocate(part, bytes);
    regions.add(region);
    return region;
  }

  /** The process is killed. The next one may use the same instance. */
  public synchronized void endProcess() {
    regions.forEach(OffHeapRegion::free);
    regions = new ArrayList<>();
  }
}
