package dev.varve.perf.primitive;

import dev.varve.lsm.entry.ValueCopy;
import dev.varve.lsm.memtable.Memtable;
import dev.varve.wal.OffHeap;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The memtable at the size it is flushed at, and a compare of whole keys. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgsAppend = {
      "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
      "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
      "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED"
    })
@SuppressWarnings("NullAway.Init") // JMH calls what has @Setup first.
public class MemtableBenchmark {
  private static final int ENTRIES = 500_000;
  private static final int KEY_BYTES = 16;
  private static final int LONG_KEY_BYTES = 40;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final SplittableRandom random = new SplittableRandom(1);
  private final byte[] key = new byte[KEY_BYTES];
  private final byte[] value = new byte[100];
  private final byte[] left = new byte[LONG_KEY_BYTES];
  private final byte[] right = new byte[LONG_KEY_BYTES];
  private Memtable full;

  /** Fills a memtable at random. */
  @Setup(Level.Trial)
  public void open() {
    full = filled();
    right[LONG_KEY_BYTES - 2] = 1;
  }

  /** Gives all back. */
  @TearDown(Level.Trial)
  public void close() {
    full.release();
  }

  private Memtable filled() {
    Memtable table = new Memtable(new OffHeap());
    for (int i = 0; i < ENTRIES; i++) {
      LONGS.set(key, KEY_BYTES - Long.BYTES, (long) random.nextInt(ENTRIES));
      table.add(key, 0, KEY_BYTES, i, false, value, 0, value.length);
    }
    return table;
  }

  /** Random inserts into an empty memtable until it is full. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public void insert() {
    filled().release();
  }

  /** Random gets from the full one. */
  @Benchmark
  public byte @Nullable [] get() {
    LONGS.set(key, KEY_BYTES - Long.BYTES, (long) random.nextInt(ENTRIES));
    return full.get(key, Long.MAX_VALUE >>> 8, ValueCopy.WHOLE);
  }

  /** Keys of 40 bytes that share 38. */
  @Benchmark
  public int compareKeys() {
    left[LONG_KEY_BYTES - 1]++;
    return Arrays.compareUnsigned(left, right);
  }
}
