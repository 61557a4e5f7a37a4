package dev.varve.lsm;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.WalkObserver;
import dev.varve.wal.OffHeap;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;

/** How a tree is opened. Built by one thread; immutable afterwards. */
public final class TreeOptions {
  private final Builder values;

  private TreeOptions(Builder values) {
    this.values = values;
  }

  /** The order of the keys; stored in the manifest. */
  public KeyComparator keyOrder() {
    return values.keyOrder;
  }

  /** Where off-heap memory comes from and is accounted. */
  public OffHeap offHeap() {
    return values.offHeap;
  }

  /** Off-heap bytes after which a memtable is rotated. */
  public long memtableBytesMax() {
    return values.memtableBytesMax;
  }

  /** How many rotated memtables may wait for their flush before writers are stopped. */
  public int immutableMemtablesMax() {
    return values.immutableMemtablesMax;
  }

  /** Target size of a data block before compression, in bytes. */
  public int blockBytes() {
    return values.blockBytes;
  }

  /** The most off-heap bytes that cached blocks may take. */
  public long blockCacheBytesMax() {
    return values.blockCacheBytesMax;
  }

  /** Target size of a table file that a flush writes, in bytes; merges have their own. */
  public long flushedTableBytes() {
    return values.flushedTableBytes;
  }

  /** How far the log is filled with zeroes ahead of its records, see {@code dev.varve.wal.Log}. */
  public long logAheadBytes() {
    return values.logAheadBytes;
  }

  /** Beyond so many runs of tables at level 0 writers are slowed. */
  public int slowdownRuns() {
    return values.slowdownRuns;
  }

  /** From so many runs of tables at level 0 on writers are stopped. */
  public int stopRuns() {
    return values.stopRuns;
  }

  /** The source of the random salts in log and manifest files. */
  public RandomGenerator salts() {
    return values.salts;
  }

  /**
   * Called, on any thread and without locks held, when there may be work for {@link
   * LsmTree#maintain}.
   */
  public Runnable onWork() {
    return values.onWork;
  }

  /** Called by the thread that flushes, after each bit of work that nobody waits for; may sleep. */
  public Runnable onFlushStep() {
    return values.onFlushStep;
  }

  /** Who is told when a reader had to walk over many deleted keys. */
  public WalkObserver walkObserver() {
    return values.walkObserver;
  }

  /** Options with the defaults of a small server. */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects options. Sizes that make no sense are refused by {@link #build()}. */
  public static final class Builder {
    private KeyComparator keyOrder = KeyComparator.BYTEWISE;
    private OffHeap offHeap = new OffHeap();
    private long memtableBytesMax = 64L << 20;
    private int immutableMemtablesMax = 4;
    private int blockBytes = 16 << 10;
    private long blockCacheBytesMax = 64L << 20;
    private long flushedTableBytes = 64L << 20;
    private long logAheadBytes;
    private int slowdownRuns = 12;
    private int stopRuns = 24;
    private RandomGenerator salts = new SecureRandom();
    private Runnable onWork = () -> {};
    private Runnable onFlushStep = () -> {};
    private WalkObserver walkObserver = WalkObserver.NONE;

    private Builder() {}

    private Builder(Builder other) {
      this.keyOrder = other.keyOrder;
      this.offHeap = other.offHeap;
      this.memtableBytesMax = other.memtableBytesMax;
      this.immutableMemtablesMax = other.immutableMemtablesMax;
      this.blockBytes = other.blockBytes;
      this.blockCacheBytesMax = other.blockCacheBytesMax;
      this.flushedTableBytes = other.flushedTableBytes;
      this.logAheadBytes = other.logAheadBytes;
      this.slowdownRuns = other.slowdownRuns;
      this.stopRuns = other.stopRuns;
      this.salts = other.salts;
      this.onWork = other.onWork;
      this.onFlushStep = other.onFlushStep;
      this.walkObserver = other.walkObserver;
    }

    public Builder keyOrder(KeyComparator order) {
      this.keyOrder = order;
      return this;
    }

    public Builder offHeap(OffHeap memory) {
      this.offHeap = memory;
      return this;
    }

    public Builder memtableBytesMax(long bytes) {
      this.memtableBytesMax = bytes;
      return this;
    }

    public Builder immutableMemtablesMax(int count) {
      this.immutableMemtablesMax = count;
      return this;
    }

    public Builder blockBytes(int bytes) {
      this.blockBytes = bytes;
      return this;
    }

    public Builder blockCacheBytesMax(long bytes) {
      this.blockCacheBytesMax = bytes;
      return this;
    }

    public Builder flushedTableBytes(long bytes) {
      this.flushedTableBytes = bytes;
      return this;
    }

    public Builder logAheadBytes(long bytes) {
      this.logAheadBytes = bytes;
      return this;
    }

    public Builder levelZeroRuns(int slowdown, int stop) {
      this.slowdownRuns = slowdown;
      this.stopRuns = stop;
      return this;
    }

    public Builder salts(RandomGenerator random) {
      this.salts = random;
      return this;
    }

    public Builder onWork(Runnable callback) {
      this.onWork = callback;
      return this;
    }

    public Builder onFlushStep(Runnable callback) {
      this.onFlushStep = callback;
      return this;
    }

    public Builder walkObserver(WalkObserver observer) {
      this.walkObserver = observer;
      return this;
    }

    /**
     * The options.
     *
     * @throws IllegalArgumentException naming the value that makes no sense
     */
    public TreeOptions build() {
      require(memtableBytesMax > 0, "memtableBytesMax");
      require(immutableMemtablesMax >= 1, "immutableMemtablesMax");
      require(blockBytes > 0 && blockBytes <= 1 << 24, "blockBytes");
      require(blockCacheBytesMax >= 0, "blockCacheBytesMax");
      require(flushedTableBytes > 0, "flushedTableBytes");
      require(logAheadBytes >= 0, "logAheadBytes");
      require(slowdownRuns >= 1 && stopRuns > slowdownRuns, "levelZeroRuns");
      return new TreeOptions(new Builder(this));
    }

    private static void require(boolean sound, String name) {
      if (!sound) {
        throw new IllegalArgumentException("tree option " + name + " is out of range");
      }
    }
  }
}
