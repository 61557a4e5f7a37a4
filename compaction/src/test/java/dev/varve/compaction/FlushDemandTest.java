package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.MemtableFigures;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FlushDemandTest {
  private static final long MIB = 1 << 20;

  private final FlushDemand demand = new FlushDemand();
  private long nowMillis;

  private void holds(long bytes, long entries, long tombstones) {
    demand.tick(nanos(), new MemtableFigures(bytes, entries, tombstones));
  }

  private long nanos() {
    return TimeUnit.MILLISECONDS.toNanos(nowMillis);
  }

  private boolean isDueWhileBusy() {
    return demand.isDue(nanos(), false, false, 0, 0);
  }

  @Test
  void manyTombstonesLeaveMemoryAfterTenSecondsAlsoWhileOthersWrite() {
    holds(MIB, 1_000, 10);
    assertFalse(isDueWhileBusy());
    nowMillis = 60_000;
    holds(40 * MIB, 1_001_000, 1_000_000);
    assertFalse(isDueWhileBusy(), "more may come");
    nowMillis += 9_999;
    holds(40 * MIB, 1_002_000, 1_000_000);
    assertFalse(isDueWhileBusy());
    nowMillis += 1;
    holds(40 * MIB, 1_003_000, 1_000_000);
    assertTrue(isDueWhileBusy());
  }

  @Test
  void theWaitBeginsAnewOnceTheyHaveBeenFlushed() {
    holds(40 * MIB, 200_000, 200_000);
    nowMillis = 10_000;
    holds(40 * MIB, 200_000, 200_000);
    assertTrue(isDueWhileBusy());
    holds(0, 0, 0);
    assertFalse(isDueWhileBusy());
    nowMillis = 100_000;
    holds(40 * MIB, 200_000, 200_000);
    assertFalse(isDueWhileBusy());
  }

  @Test
  void fewTombstonesAndThoseAmongMoreValuesWaitForTheMemtableToFill() {
    holds(30 * MIB, 99_999, 99_999);
    nowMillis = 3_600_000;
    holds(30 * MIB, 99_999, 99_999);
    assertFalse(isDueWhileBusy());
    holds(60 * MIB, 400_001, 200_000);
    nowMillis *= 2;
    holds(60 * MIB, 400_001, 200_000);
    assertFalse(isDueWhileBusy());
  }

  @Test
  void whatIsInMemoryIsFlushedWhileNobodyWritesIfItIsMoreThanALittle() {
    holds(4 * MIB - 1, 10, 0);
    assertFalse(demand.isDue(nanos(), true, false, 0, 0));
    holds(4 * MIB, 10, 0);
    assertTrue(demand.isDue(nanos(), true, false, 0, 0));
    assertFalse(isDueWhileBusy());
  }

  @Test
  void garbageWaitsTheLongerTheLessOfItThereIs() {
    holds(MIB, 10, 0);
    assertFalse(demand.isDue(nanos(), false, true, 1, 29_999));
    assertTrue(demand.isDue(nanos(), false, true, 1, 30_000));
    assertFalse(demand.isDue(nanos(), false, true, 64 * MIB, 4_999));
    assertTrue(demand.isDue(nanos(), false, true, 64 * MIB, 5_000));
    assertFalse(demand.isDue(nanos(), true, true, 4 * MIB - 1, 9_999));
    assertTrue(demand.isDue(nanos(), true, true, 4 * MIB - 1, 10_000));
    assertTrue(demand.isDue(nanos(), true, true, 4 * MIB, 0));
    assertFalse(demand.isDue(nanos(), true, false, 64 * MIB, 60_000), "it is in a table already");
  }
}
