package dev.varve.lsm.table;

import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;

/** Where the memory of a block comes from, and goes to. Safe for use by several threads. */
interface BlockMemory {

  /** A region of at least {@code bytes}, of undefined content, with one reference. */
  OffHeapRegion take(int bytes);

  /** Takes over the only reference to a region that came from here. */
  void giveBack(OffHeapRegion region);

  /** Memory that is allocated and freed each time: for blocks that stay. */
  static BlockMemory unpooled(OffHeap offHeap, OffHeap.Part part) {
    return new BlockMemory() {
      @Override
      public OffHeapRegion take(int bytes) {
        return offHeap.allocate(part, Math.max(bytes, 1));
      }

      @Override
      public void giveBack(OffHeapRegion region) {
        region.release();
      }
    };
  }
}
