package dev.varve.lsm.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RegionPoolTest {
  private final OffHeap offHeap = new OffHeap();
  private final RegionPool pool = new RegionPool(offHeap, OffHeap.Part.BLOCK_CACHE);

  @Test
  void memoryIsUsedAgainForAboutTheSameSize() {
    OffHeapRegion first = pool.take(16_400);
    assertTrue(first.bytes() >= 16_400);
    pool.giveBack(first);
    assertNotSame(first, pool.take(20_000));
    assertSame(first, pool.take(16_900));
  }

  @Test
  void onlySomeOfASizeAreKept() {
    List<OffHeapRegion> regions = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      regions.add(pool.take(1 << 10));
    }
    regions.forEach(pool::giveBack);
    assertTrue(offHeap.heldBytes() <= 8 << 10, "held " + offHeap.heldBytes());
    pool.close();
    assertEquals(0, offHeap.heldBytes());
  }

  @Test
  void whatComesBackAfterClosingIsFreed() {
    OffHeapRegion small = pool.take(10);
    OffHeapRegion large = pool.take(1 << 20);
    pool.close();
    pool.giveBack(small);
    pool.giveBack(large);
    assertEquals(0, offHeap.heldBytes());
  }
}
