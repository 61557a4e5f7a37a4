package dev.varve.perf.engine;

import java.io.IOException;
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
  private final long cacheBytes;
  private final LRUCache cache;
  private final BloomFilter bloom = new BloomFilter(10, false);
  private final Options options;
  private final WriteOptions writeOptions = new WriteOptions().setSync(false);
  private final RocksDB db;

  RocksUnderTest(Path directory, long cacheBytes) throws IOException {
    this.directory = directory;
    this.cacheBytes = cacheBytes;
    this.cache = new LRUCache(cacheBytes);
    this.options =
        new Options()
            .setCreateIfMissing(true)
            .setCompressionType(CompressionType.LZ4_COMPRESSION)
            .setWriteBufferSize(64L << 20)
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
    return "rocksdb";
  }

  @Override
  public String settings() {
    return String.format(
        Locale.ROOT,
        "LZ4, memtable 64 MiB, bloom 10 bits, 16 KiB blocks, log on, no sync, cache %d MiB,"
            + " 2 background jobs, dynamic level bytes",
        cacheBytes >> 20);
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
    bloom.close();
    cache.close();
  }

  private static final class RocksWalk implements Walk {
    private final RocksIterator iterator;

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
    public int touch() {
      return iterator.key().length + iterator.value().length;
    }

    @Override
    public void close() {
      iterator.close();
    }
  }
}
