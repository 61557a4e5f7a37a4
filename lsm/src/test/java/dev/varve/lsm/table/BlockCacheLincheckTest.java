package dev.varve.lsm.table;

import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import java.nio.ByteBuffer;
import org.jetbrains.kotlinx.lincheck.LinChecker;
import org.jetbrains.kotlinx.lincheck.annotations.Operation;
import org.jetbrains.kotlinx.lincheck.annotations.Param;
import org.jetbrains.kotlinx.lincheck.annotations.Validate;
import org.jetbrains.kotlinx.lincheck.paramgen.IntGen;
import org.jetbrains.kotlinx.lincheck.strategy.stress.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Whatever comes, goes and is asked for at the same time, a block that was acquired stays what it
 * is until it is released, and nothing is left in the end. Under stress only: the model checker
 * cannot repeat what a future and a concurrent map do inside.
 *
 * <p>{@code -Dvarve.lincheck=…} tries so many times as many interleavings.
 */
@Param(name = "ordinal", gen = IntGen.class, conf = "0:2")
public class BlockCacheLincheckTest {
  private static final int TIMES = Integer.getInteger("varve.lincheck", 1);
  private static final int BLOCKS = 3;
  private static final byte[][] RAW = raw();

  /** Room for one block and not for two. */
  private static final int ROOM_FOR_ONE = 2_000;

  private final OffHeap offHeap = new OffHeap();
  private final BlockCache cache = new BlockCache(offHeap, ROOM_FOR_ONE);
  private final BlockSlots slots = new BlockSlots(1, BLOCKS);

  private static byte[][] raw() {
    byte[][] raw = new byte[BLOCKS][];
    try (BlockWriter writer = new BlockWriter(new OffHeap(), 100)) {
      for (int i = 0; i < BLOCKS; i++) {
        ByteBuffer value = ByteBuffer.allocate(4).putInt(i);
        writer.add(new byte[] {'k'}, 0, 1, 0, 1, false, value, 0, 4);
        raw[i] = new byte[writer.finish()];
        writer.raw().get(0, raw[i]);
        writer.reset();
      }
    }
    return raw;
  }

  /** As a table reads one, and the memory is that of a block that has just gone. */
  private static Block load(int ordinal, BlockMemory memory) throws CorruptionException {
    OffHeapRegion region = memory.take(RAW[ordinal].length);
    region.buffer().put(0, RAW[ordinal]);
    return Block.of(region, memory, RAW[ordinal].length, "table", ordinal);
  }

  @Test
  public void stressed() {
    LinChecker.check(
        BlockCacheLincheckTest.class,
        new StressOptions()
            .iterations(10 * TIMES)
            .invocationsPerIteration(2_000)
            .threads(3)
            .actorsPerThread(4)
            .sequentialSpecification(Unchanging.class));
  }

  private static int read(Block block) {
    int first = block.buffer().getInt(block.valueOffset(0));
    // What was true at first must still be so: it is ours.
    int entries = block.entries();
    int again = block.buffer().getInt(block.valueOffset(0));
    block.release();
    return first == again && entries == 1 ? first : -1;
  }

  @Operation
  public int load(@Param(name = "ordinal") int ordinal) {
    return read(cache.acquire(slots, ordinal, ReadContext.MAY_BLOCK, BlockCacheLincheckTest::load));
  }

  /** The same where nothing may be waited for: not being there is as good as being right. */
  @Operation
  public int lookUp(@Param(name = "ordinal") int ordinal) {
    try {
      return read(
          cache.acquire(slots, ordinal, ReadContext.MEMORY_ONLY, BlockCacheLincheckTest::load));
    } catch (ColdBlockSignal absent) {
      return ordinal;
    }
  }

  @Operation
  public void evictAll() {
    cache.setBytesMax(0);
    cache.setBytesMax(ROOM_FOR_ONE);
  }

  @Operation
  public void invalidate() {
    cache.invalidate(slots);
  }

  /** Called at the end of each run. */
  @Validate
  public void nothingIsLeft() {
    cache.close();
    if (offHeap.heldBytes() != 0 || cache.bytes() != 0) {
      throw new IllegalStateException(offHeap.heldBytes() + " bytes left");
    }
  }

  /** What it must look like. */
  public static class Unchanging {
    public int load(int ordinal) {
      return ordinal;
    }

    public int lookUp(int ordinal) {
      return ordinal;
    }

    public void evictAll() {}

    public void invalidate() {}
  }
}
