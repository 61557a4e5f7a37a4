package dev.varve.server.engine;

import dev.varve.codec.CounterIds;
import dev.varve.codec.Databases;
import dev.varve.codec.Garbage;
import dev.varve.codec.GarbageRecord;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.Transaction;
import dev.varve.codec.store.StoreView;
import dev.varve.compaction.Pacer;
import dev.varve.compaction.WorkTime;
import dev.varve.lsm.TreeOptions;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * A {@link TreeEngine} on a device in memory, with the keyspace loop, the workers and the clock in
 * the hands of one test thread.
 */
final class EngineRig implements AutoCloseable {
  private static final int DATABASES = 4;
  private static final long START_MILLIS = 1_700_000_000_000L;

  /** After so long with nothing to do there will be nothing to do. */
  private static final int REST_SECONDS = 130;

  private final long memtableBytes;
  private final long cacheBytes;
  private final Random random = new Random(7);
  private final Clock clock = new Clock();
  private CrashableStorageDirectory directory = new CrashableStorageDirectory();
  private FailingStorageDirectory failing = new FailingStorageDirectory(directory);
  private OffHeap offHeap = new OffHeap();
  private TreeEngine engine;
  private Databases databases;

  EngineRig(long memtableBytes) throws IOException {
    this(memtableBytes, 8 << 20);
  }

  /**
   * @param cacheBytes what is kept of blocks; 0: each look into a table is cold
   */
  EngineRig(long memtableBytes, long cacheBytes) throws IOException {
    this.memtableBytes = memtableBytes;
    this.cacheBytes = cacheBytes;
    this.engine = open();
    this.databases = load();
  }

  private TreeEngine open() throws IOException {
    failing = new FailingStorageDirectory(directory);
    return TreeEngine.open(
        failing,
        TreeOptions.builder()
            .memtableBytesMax(memtableBytes)
            .flushedTableBytes(memtableBytes)
            .blockCacheBytesMax(cacheBytes)
            .immutableMemtablesMax(1_000)
            .levelZeroRuns(1_000, 2_000),
        offHeap,
        DATABASES,
        this::millis,
        WorkTime.alone(clock, clock));
  }

  private Databases load() {
    try (StoreView view = engine.blockingView()) {
      return Databases.load(view, DATABASES);
    }
  }

  private long millis() {
    return START_MILLIS + TimeUnit.NANOSECONDS.toMillis(clock.getAsLong());
  }

  TreeEngine engine() {
    return engine;
  }

  // ---- the keyspace loop ------------------------------------------------------------------------

  /** Runs a command that writes, and publishes it. It is with the operating system then. */
  void write(Consumer<Transaction> command) throws IOException {
    try (StoreView view = engine.store().writerView()) {
      apply(view, command);
      engine.publish(engine.commit(true));
    } catch (ColdBlockSignal cold) {
      writeOnWorker(command);
    }
  }

  /**
   * Runs and publishes a command that met what is not in memory. On a server a worker reads the
   * blocks first; everything is published here, so it sees all.
   */
  void writeOnWorker(Consumer<Transaction> command) throws IOException {
    try (StoreView view = engine.blockingView()) {
      apply(view, command);
    }
    engine.publish(engine.commit(true));
  }

  /**
   * Runs a command that writes, without a commit, or throws away what it would write.
   *
   * @throws ColdBlockSignal when something it needs is not in memory
   */
  void tryWrite(Consumer<Transaction> command, boolean applies) {
    try (StoreView view = engine.store().writerView()) {
      if (applies) {
        apply(view, command);
      } else {
        command.accept(transaction(view));
      }
    }
  }

  /** How many prefixes have resident rows. */
  int residents() {
    return ((TreeStore) engine.store()).caches().residents().count();
  }

  private void apply(StoreView view, Consumer<Transaction> command) {
    Transaction transaction = transaction(view);
    command.accept(transaction);
    if (!transaction.batch().isEmpty()) {
      engine.store().write(transaction.batch());
      databases = transaction.databases();
    }
  }

  <T> T read(Function<Transaction, T> query) {
    try (StoreView view = engine.blockingView()) {
      return query.apply(transaction(view));
    }
  }

  Transaction transaction(StoreView view) {
    return new Transaction(
        engine.store(), view, databases, PackedLimits.DEFAULT, millis(), random, false);
  }

  /** What the housekeeper does on the loop. */
  void keepHouse() throws IOException {
    engine.upkeep();
    List<GarbageRecord> retirable = engine.takeRetirableGarbage();
    if (!retirable.isEmpty()) {
      write(transaction -> retirable.forEach(its -> Garbage.retire(transaction, its)));
    }
  }

  // ---- workers ----------------------------------------------------------------------------------

  /** Does what there is to do in the background at this moment; whether there was anything. */
  boolean work() throws IOException {
    boolean any = false;
    boolean more = true;
    while (more) {
      more = false;
      for (BackgroundWork work : engine.backgroundWork()) {
        more |= work.runOnce();
      }
      any |= more;
    }
    return any;
  }

  /** One second passes, as the server spends it. */
  boolean second() throws IOException {
    boolean any = false;
    for (int i = 0; i < 4; i++) {
      clock.sleep(TimeUnit.MILLISECONDS.toNanos(250));
      keepHouse();
      any |= work();
    }
    return any;
  }

  /** One second passes in which the loop and the flusher do not get their turn. */
  void secondOfCompaction() throws IOException {
    clock.sleep(TimeUnit.SECONDS.toNanos(1));
    for (BackgroundWork work : engine.backgroundWork()) {
      while (work.name().equals("compaction") && work.runOnce()) {
        continue;
      }
    }
  }

  /** Lets time pass until nothing happens any more; returns how many seconds something did. */
  int settle() throws IOException {
    int last = 0;
    for (int second = 1; second - last <= REST_SECONDS; second++) {
      if (second > 10_000) {
        throw new AssertionError("the engine never comes to rest: " + engine.statistics());
      }
      if (second()) {
        last = second;
      }
    }
    return last;
  }

  // ---- the device -------------------------------------------------------------------------------

  /** The power fails: what was not synced is lost but for a part; then the server starts again. */
  void losePower(double keepFraction) throws IOException {
    directory = directory.crash(random, keepFraction);
    restart();
  }

  /** The process is killed, and starts again. */
  void kill() throws IOException {
    directory = directory.kill();
    restart();
  }

  /** The process is killed, and another one starts on that directory. */
  void moveTo(CrashableStorageDirectory other) throws IOException {
    directory.kill();
    directory = other;
    restart();
  }

  private void restart() throws IOException {
    offHeap = new OffHeap();
    engine = open();
    databases = load();
  }

  CrashableStorageDirectory directory() {
    return directory;
  }

  /** The way to it: what is called by it can be made to fail. */
  FailingStorageDirectory failing() {
    return failing;
  }

  /** Bytes of all table files. */
  long tableFileBytes() throws IOException {
    long sum = 0;
    for (String name : directory.list()) {
      if (name.endsWith(TableMeta.FILE_SUFFIX)) {
        sum += directory.content(name).length;
      }
    }
    return sum;
  }

  /** Entries of all tables. */
  long tableEntries() {
    Version version = engine.tree().version();
    long sum = 0;
    for (int level = 0; level < Version.LEVELS; level++) {
      sum += version.level(level).stream().mapToLong(TableMeta::entries).sum();
    }
    return sum;
  }

  /** Dead entries that are recorded. */
  long pendingEntries() {
    return engine.store().counter(CounterIds.GARBAGE_ENTRIES);
  }

  /** Bytes of those. */
  long pendingBytes() {
    return engine.store().counter(CounterIds.GARBAGE_BYTES);
  }

  /** A figure of INFO. */
  long figure(String name) {
    String value = engine.statistics().get(name);
    if (value == null) {
      throw new AssertionError("no figure " + name + " in " + engine.statistics());
    }
    return Long.parseLong(value);
  }

  @Override
  public void close() throws IOException {
    engine.close();
    if (offHeap.heldBytes() != 0) {
      throw new AssertionError("off-heap bytes after closing: " + offHeap.heldBytes());
    }
  }

  /** Stands still unless somebody sleeps. */
  private static final class Clock implements LongSupplier, Pacer.Sleeper {
    private long nanos = 1;

    @Override
    public long getAsLong() {
      return nanos;
    }

    @Override
    public void sleep(long nanosToSleep) {
      nanos += nanosToSleep;
    }
  }
}
