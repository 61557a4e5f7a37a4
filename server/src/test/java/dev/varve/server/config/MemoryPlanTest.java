package dev.varve.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a budget is shared out, from the smallest to that of a large machine. */
class MemoryPlanTest {
  private static final long MEBIBYTE = 1L << 20;
  private static final long GIBIBYTE = 1L << 30;

  @ParameterizedTest
  @ValueSource(longs = {16, 17, 64, 400, 1_000, 6_000, 64_000, 1_000_000})
  void allMemtablesTakeAThirdAndTheCacheAHalf(long mebibytes) {
    long budget = mebibytes * MEBIBYTE;
    MemoryPlan plan = MemoryPlan.of(budget, GIBIBYTE);
    assertTrue(plan.memtableBytes() > 0);
    assertTrue(plan.memtableBytes() * (1 + plan.immutableMemtables()) <= budget / 3);
    assertEquals(budget / 2, plan.blockCacheBytes());
  }

  @Test
  void aMemtableGrowsNoFurtherWithTheBudget() {
    long large = MemoryPlan.of(16 * GIBIBYTE, GIBIBYTE).memtableBytes();
    assertEquals(256 * MEBIBYTE, large);
    assertEquals(large, MemoryPlan.of(1_024 * GIBIBYTE, GIBIBYTE).memtableBytes());
  }

  @Test
  void withoutABudgetAQuarterOfTheMachineIsSharedOut() {
    assertEquals(MemoryPlan.of(2 * GIBIBYTE, 1), MemoryPlan.of(0, 8 * GIBIBYTE));
  }

  @Test
  void whatIsTooSmallIsSharedOutAsTheSmallest() {
    assertEquals(MemoryPlan.of(MemoryPlan.BYTES_MIN, 1), MemoryPlan.of(1, 1));
  }
}
