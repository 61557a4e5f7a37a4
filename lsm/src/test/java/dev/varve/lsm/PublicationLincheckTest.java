package dev.varve.lsm;

import dev.varve.lsm.entry.ValueCopy;
import dev.varve.lsm.memtable.EntryPlace;
import dev.varve.lsm.memtable.Memtable;
import dev.varve.lsm.memtable.MemtableMemory;
import dev.varve.wal.OffHeap;
import java.nio.ByteBuffer;
import org.jetbrains.kotlinx.lincheck.LinChecker;
import org.jetbrains.kotlinx.lincheck.annotations.Operation;
import org.jetbrains.kotlinx.lincheck.annotations.Param;
import org.jetbrains.kotlinx.lincheck.annotations.Validate;
import org.jetbrains.kotlinx.lincheck.paramgen.IntGen;
import org.jetbrains.kotlinx.lincheck.strategy.managed.modelchecking.ModelCheckingOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A writer that forgets what no reader can see any more, beside readers that come and go: each
 * reader sees two keys as they were at one moment, and never one that was forgotten under it.
 *
 * <p>{@code -Dvarve.lincheck=…} tries so many times as many interleavings.
 */
@Param(name = "value", gen = IntGen.class, conf = "1:9")
public class PublicationLincheckTest {
  private static final int TIMES = Integer.getInteger("varve.lincheck", 1);
  private static final byte[] FIRST = {'a'};
  private static final byte[] SECOND = {'b'};

  private final OffHeap offHeap = new OffHeap();
  private final Memtable memtable = new Memtable(new MemtableMemory(offHeap, 8 << 10, 0));
  private volatile long published;
  private final LiveSnapshots snapshots = new LiveSnapshots(() -> published, 0);
  private long sequence;

  public PublicationLincheckTest() {
    put(0);
  }

  @Test
  public void modelChecked() {
    LinChecker.check(
        PublicationLincheckTest.class,
        new ModelCheckingOptions()
            .iterations(6 * TIMES)
            .invocationsPerIteration(100)
            .threads(2)
            .actorsPerThread(3)
            .sequentialSpecification(Register.class));
  }

  private void add(byte[] key, int value) {
    byte[] bytes = ByteBuffer.allocate(4).putInt(value).array();
    memtable.add(key, 0, 1, sequence, false, bytes, 0, bytes.length, snapshots, EntryPlace.NONE, 0);
  }

  /** One batch of two entries, as the tree applies, commits and publishes it. */
  @Operation(nonParallelGroup = "writer")
  public void put(@Param(name = "value") int value) {
    sequence++;
    add(FIRST, value);
    add(SECOND, value);
    snapshots.committed(sequence);
    published = sequence;
  }

  /** The same where the tree publishes the batch as soon as it is in memory. */
  @Operation(nonParallelGroup = "writer")
  public void putAtOnce(@Param(name = "value") int value) {
    sequence++;
    snapshots.publishedNext(sequence);
    add(FIRST, value);
    add(SECOND, value);
    snapshots.committed(sequence);
    published = sequence;
  }

  /** Both, at one sequence number, as {@link LsmTree#snapshot} takes it. */
  @Operation
  public int get() {
    while (true) {
      long at = published;
      int entered = snapshots.enter(at);
      if (entered != LiveSnapshots.TOO_OLD) {
        int first = value(memtable.get(FIRST, at, ValueCopy.WHOLE));
        int second = value(memtable.get(SECOND, at, ValueCopy.WHOLE));
        snapshots.leave(entered);
        return first == second ? first : -100 * first - second;
      }
    }
  }

  private static int value(byte @Nullable [] value) {
    return value == null ? -1 : ByteBuffer.wrap(value).getInt();
  }

  /** Called at the end of each run. */
  @Validate
  public void nothingIsLeft() {
    memtable.release();
    if (offHeap.heldBytes() != 0) {
      throw new IllegalStateException(offHeap.heldBytes() + " bytes left");
    }
  }

  /** What it must look like. */
  public static class Register {
    private int value;

    public void put(int newValue) {
      value = newValue;
    }

    public void putAtOnce(int newValue) {
      value = newValue;
    }

    public int get() {
      return value;
    }
  }
}
