package dev.varve.perf.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/** RocksDB through its own Java binding, with settings equal to Varve's. */
final class RocksUnderTest implements EngineUnderTest {
  // Before the fields: their first use of the library would come before the constructor's body.
  static {
    RocksDB.loadLibrary();
  }

  private final Path directory;
  private final EngineOptions engineOptions;
  private final LRUCache cache;
  private final BloomFilter bloom = new BloomFilter(10, false);
  private final Options options;
  private final WriteOptions writeOptions = new WriteOptions().setSync(false);
  private final WriteOptions syncedOptions = new WriteOptions().setSync(true);
  private final RocksDB db;

  RocksUnderTest(Path directory, EngineOptions engineOptions) throws IOException {
    this.directory = directory;
    this.engineOptions = engineOptions;
    this.cache = new LRUCache(engineOptions.cacheBytes());
    this.options =
        new Options()
            .setCreateIfMissing(true)
            .setCompressionType(CompressionType.LZ4_COMPRESSION)
            .setWriteBufferSize(engineOptions.memtableBytes())
            .setMaxWriteBufferNumber(4)
            .setMaxBackgroundJobs(2)
            .setLevelZeroFileNumCompactionTrigger(4)
            .setMaxBytesForLevelBase(256L << 20)
            .setLevelCompactionDynamicLevelBytes(true)
            .setTableFormatConfig(
                new BlockBasedTableConfig()
                    .setBlockSize(16L << 10)
                    .setFilterPolicy(bloom)
                    .setBlockCache(cache));
    try {
      this.db = RocksDB.open(options, directory.toString());
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
  }

  @Override
  public String name() {
    return EngineKind.ROCKSDB.label();
  }

  @Override
  public String settings() {
    return String.format(
        Locale.ROOT,
        "LZ4, memtable %d MiB, at most 4, bloom 10 bits, 16 KiB blocks, log on, no sync, cache %d"
            + " MiB, 2 background jobs, L0 trigger 4, level base 256 MiB, dynamic level bytes",
        engineOptions.memtableBytes() >> 20,
        engineOptions.cacheBytes() >> 20);
  }

  @Override
  public void put(byte[] key, byte[] value) throws IOException {
    try {
      db.put(writeOptions, key, value);
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void putSynced(byte[] key, byte[] value) throws IOException {
    try {
      db.put(syncedOptions, key, value);
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void delete(byte[] key) throws IOException {
    try {
      db.delete(writeOptions, key);
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void deleteRange(byte[] from, byte[] toExclusive) throws IOException {
    try {
      db.deleteRange(writeOptions, from, toExclusive);
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) throws IOException {
    try {
      return db.get(key);
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
  }

  @Override
  public Walk walk() {
    return new RocksWalk(db.newIterator());
  }

  @Override
  public void settle() throws IOException {
    try (FlushOptions wait = new FlushOptions().setWaitForFlush(true)) {
      db.flush(wait);
      int quiet = 0;
      while (quiet < 3) {
        Thread.sleep(100);
        boolean busy =
            db.getLongProperty("rocksdb.num-running-compactions") > 0
                || db.getLongProperty("rocksdb.compaction-pending") > 0
                || db.getLongProperty("rocksdb.num-running-flushes") > 0;
        quiet = busy ? 0 : quiet + 1;
      }
    } catch (RocksDBException e) {
      throw new IOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @Override
  public boolean compactFully() throws IOException {
    try {
      db.compactRange();
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
    return true;
  }

  @Override
  public boolean recoversFromLog() {
    return true;
  }

  @Override
  public long diskBytes() throws IOException {
    return DiskUse.of(directory);
  }

  @Override
  public Map<String, Long> offHeapBytes() {
    try {
      return Map.of(
          "memtable", db.getLongProperty("rocksdb.cur-size-all-mem-tables"),
          "block_cache", cache.getUsage(),
          "index_and_filter", db.getLongProperty("rocksdb.estimate-table-readers-mem"));
    } catch (RocksDBException e) {
      return Map.of();
    }
  }

  @Override
  public void close() {
    db.close();
    options.close();
    writeOptions.close();
    syncedOptions.close();
    bloom.close();
    cache.close();
  }

  private static final ThreadLocal<ByteBuffer> KEYS =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(1 << 10));
  private static final ThreadLocal<ByteBuffer> VALUES =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(1 << 20));

  private static final class RocksWalk implements Walk {
    private final RocksIterator iterator;
    private final ByteBuffer key = KEYS.get();
    private final ByteBuffer value = VALUES.get();

    RocksWalk(RocksIterator iterator) {
      this.iterator = iterator;
    }

    @Override
    public boolean seekToFirst() {
      iterator.seekToFirst();
      return iterator.isValid();
    }

    @Override
    public boolean seekToLast() {
      iterator.seekToLast();
      return iterator.isValid();
    }

    @Override
    public boolean seek(byte[] key) {
      iterator.seek(key);
      return iterator.isValid();
    }

    @Override
    public boolean next() {
      iterator.next();
      return iterator.isValid();
    }

    @Override
    public boolean previous() {
      iterator.prev();
      return iterator.isValid();
    }

    @Override
    public int read(Pair into) {
      // Through direct buffers, which is its quickest way: no array is made for each.
      key.clear();
      value.clear();
      iterator.key(key);
      iterator.value(value);
      return into.copy(key, value);
    }

    @Override
    public void close() {
      iterator.close();
    }
  }
}
