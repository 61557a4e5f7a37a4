package dev.varve.lsm;

import dev.varve.lsm.table.ReadContext;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.jetbrains.kotlinx.lincheck.LinChecker;
import org.jetbrains.kotlinx.lincheck.annotations.Operation;
import org.jetbrains.kotlinx.lincheck.annotations.Param;
import org.jetbrains.kotlinx.lincheck.annotations.Validate;
import org.jetbrains.kotlinx.lincheck.paramgen.IntGen;
import org.jetbrains.kotlinx.lincheck.strategy.stress.StressOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A whole tree as {@code appendfsync always} uses it: the writer commits, workers sync and publish
 * what is synced, memtables are rotated and flushed, and readers see both keys of a batch at the
 * moment when it was published, or neither.
 *
 * <p>{@code -Dvarve.lincheck=…} tries so many times as many interleavings.
 */
@Param(name = "value", gen = IntGen.class, conf = "1:9")
public class GroupCommitLincheckTest {
  private static final int TIMES = Integer.getInteger("varve.lincheck", 1);
  private static final byte[] FIRST = {'a'};
  private static final byte[] SECOND = {'b'};

  private final OffHeap offHeap = new OffHeap();
  private final LsmTree tree;

  public GroupCommitLincheckTest() throws IOException {
    tree =
        LsmTree.open(
            new CrashableStorageDirectory(),
            TreeOptions.builder()
                .memtableBytesMax(16 << 10)
                .blockCacheBytesMax(1 << 10)
                .salts(new SplittableRandom(1))
                .offHeap(offHeap)
                .build());
  }

  @Test
  public void stressed() {
    LinChecker.check(
        GroupCommitLincheckTest.class,
        new StressOptions()
            .iterations(10 * TIMES)
            .invocationsPerIteration(300)
            .threads(3)
            .actorsPerThread(4)
            .sequentialSpecification(Synced.class));
  }

  /** A write whose reply has left: it is synced, whoever did that. */
  @Operation(nonParallelGroup = "writer")
  public void put(@Param(name = "value") int value) throws IOException {
    byte[] bytes = ByteBuffer.allocate(4).putInt(value).array();
    WriteBatch batch = new WriteBatch();
    batch.put(FIRST, bytes);
    batch.put(SECOND, bytes);
    tree.apply(batch);
    tree.commit();
    tree.publish(tree.sync());
  }

  @Operation(nonParallelGroup = "writer")
  public void rotate() throws IOException {
    tree.rotate();
  }

  @Operation
  public void sync() throws IOException {
    tree.publish(tree.sync());
  }

  @Operation
  public void maintain() throws IOException {
    tree.maintain();
  }

  @Operation
  public int get() {
    try (Snapshot snapshot = tree.snapshot(ReadContext.MAY_BLOCK)) {
      int first = value(snapshot.get(FIRST));
      int second = value(snapshot.get(SECOND));
      return first == second ? first : -100 * first - second;
    }
  }

  private static int value(byte @Nullable [] value) {
    return value == null ? 0 : ByteBuffer.wrap(value).getInt();
  }

  /** Called at the end of each run. */
  @Validate
  public void nothingIsLeft() throws IOException {
    tree.close();
    if (offHeap.heldBytes() != 0) {
      throw new IllegalStateException(offHeap.heldBytes() + " bytes left");
    }
  }

  /** What it must look like. */
  public static class Synced {
    private int value;

    public void put(int newValue) {
      value = newValue;
    }

    public void rotate() {}

    public void sync() {}

    public void maintain() {}

    public int get() {
      return value;
    }
  }
}
