package dev.varve.perf.primitive;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.lsm.table.BlockCache;
import dev.varve.lsm.table.CorruptionListener;
import dev.varve.lsm.table.KeyHash;
import dev.varve.lsm.table.ReadContext;
import dev.varve.lsm.table.TableOptions;
import dev.varve.lsm.table.TableReader;
import dev.varve.lsm.table.TableWriter;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Point reads of one table: index, filter, block search, and loading a block. */
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
public class TableBenchmark {
  private static final int KEY_BYTES = 16;

  /** A hundred fit the processor's caches; a million do not. */
  @Param({"100", "1000000"})
  int entries;

  private final SplittableRandom random = new SplittableRandom(1);
  private final byte[] key = new byte[KEY_BYTES];
  private Path path;
  private StorageDirectory directory;
  private BlockCache large;
  private BlockCache none;
  private TableReader cached;
  private TableReader uncached;

  /** Writes the table. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    OffHeap offHeap = new OffHeap();
    path = Files.createTempDirectory("varve-perf-");
    directory = RealStorageDirectory.open(path);
    TableWriter writer =
        new TableWriter(directory, 1, TableOptions.DEFAULT, KeyComparator.BYTEWISE, offHeap);
    byte[] value = new byte[100];
    ByteBuffer valueBuffer = ByteBuffer.wrap(value);
    for (int i = 0; i < entries; i++) {
      fill(2L * i);
      random.nextBytes(value);
      writer.add(key, 0, KEY_BYTES, 1, false, valueBuffer, 0, value.length);
    }
    writer.finish(0);
    large = new BlockCache(offHeap, 1L << 30);
    none = new BlockCache(offHeap, 0);
    cached = open(large);
    uncached = open(none);
    for (int i = 0; i < entries; i += 50) {
      fill(2L * i);
      get(cached);
    }
  }

  private TableReader open(BlockCache cache) throws IOException {
    return TableReader.open(directory, 1, KeyComparator.BYTEWISE, cache, CorruptionListener.NONE);
  }

  /** Gives all back. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    cached.release();
    uncached.release();
    large.close();
    none.close();
    Files.delete(path.resolve(TableMeta.fileName(1)));
    directory.close();
    Files.delete(path);
  }

  private void fill(long number) {
    key[0] = 'u';
    long left = number;
    for (int i = KEY_BYTES - 1; i >= 4; i--) {
      key[i] = (byte) ('0' + left % 10);
      left /= 10;
    }
  }

  private byte @Nullable [] get(TableReader table) {
    long hash = KeyHash.hash(key, 0, KEY_BYTES);
    return table.get(key, hash, 1, ReadContext.MAY_BLOCK, ValueCopy.WHOLE);
  }

  /** Filter, index and block in memory. Bound: cache misses of the processor. */
  @Benchmark
  public byte @Nullable [] found() {
    fill(2L * random.nextInt(entries));
    return get(cached);
  }

  /** A read of the file, a checksum and LZ4 besides. Bound: pread and LZ4, about 3 µs. */
  @Benchmark
  public byte @Nullable [] foundOnDisk() {
    fill(2L * random.nextInt(entries));
    return get(uncached);
  }

  /** The filter says no, mostly. */
  @Benchmark
  public byte @Nullable [] missing() {
    fill(2L * random.nextInt(entries) + 1);
    return get(cached);
  }

  /** The filter alone, and the hash of the key. */
  @Benchmark
  public boolean filter() {
    fill(2L * random.nextInt(entries) + 1);
    return cached.mayContain(KeyHash.hash(key, 0, KEY_BYTES));
  }

  /** What the others pay for making a key up. */
  @Benchmark
  public byte @Nullable [] keyOnly() {
    fill(2L * random.nextInt(entries));
    return key;
  }
}
