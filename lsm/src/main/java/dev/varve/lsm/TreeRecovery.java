package dev.varve.lsm;

import dev.varve.lsm.memtable.MemtableMemory;
import dev.varve.lsm.memtable.ReadPoints;
import dev.varve.lsm.table.BlockCache;
import dev.varve.lsm.version.Manifest;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.TreeShape;
import dev.varve.lsm.version.Version;
import dev.varve.wal.Log;
import dev.varve.wal.LogFormat;
import dev.varve.wal.LogReader;
import dev.varve.wal.LogReplay;
import dev.varve.wal.StorageDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Opens a tree: reads the manifest, opens the tables, replays the log. For one thread, used once.
 *
 * <p>Nothing on disk is changed before everything durable has been read and found whole, but for
 * the directory's lock and tables flushed on the way, which no manifest names until they are sound.
 */
final class TreeRecovery {
  private final StorageDirectory directory;
  private final TreeOptions options;
  private final long startedNanos = System.nanoTime();
  private final Counters counters = new Counters();
  private final BatchReader batch = new BatchReader();
  private final BatchPlaces places = new BatchPlaces();

  /** What is to be closed should the start fail, the last one first. */
  private final Deque<Closeable> opened = new ArrayDeque<>();

  /** What {@link #run} and {@link #image} read. */
  private record Found(TreeTables tables, Manifest manifest, LogReplay replay) {}

  private byte[] payloadCopy = new byte[1 << 16];
  private long lastSequence;

  static LsmTree open(StorageDirectory directory, TreeOptions options) throws IOException {
    TreeRecovery recovery = new TreeRecovery(directory, options);
    // Before the lock, which leaves a file: another program's directory is not to have it.
    recovery.requireOwn();
    directory.lock();
    recovery.opened.push(directory);
    try {
      return recovery.run();
    } catch (IOException | RuntimeException | Error e) {
      recovery.closeAfter(e);
      throw e;
    }
  }

  /** As {@link TreeImage#open} says. */
  static TreeImage image(StorageDirectory directory, TreeOptions options) throws IOException {
    TreeRecovery recovery = new TreeRecovery(directory, options);
    try {
      TreeCheck.requireTree(directory);
      TreeTables tables = recovery.read(false).tables();
      return new TreeImage(tables, recovery.counters, recovery.lastSequence);
    } catch (IOException | RuntimeException | Error e) {
      recovery.closeAfter(e);
      throw e;
    }
  }

  private void closeAfter(Throwable failure) {
    for (Closeable each : opened) {
      try {
        each.close();
      } catch (IOException | RuntimeException unclosed) {
        failure.addSuppressed(unclosed);
      }
    }
  }

  private TreeRecovery(StorageDirectory directory, TreeOptions options) {
    this.directory = directory;
    this.options = options;
  }

  private LsmTree run() throws IOException {
    requireOwn();
    boolean created = !Manifest.exists(directory);
    return begin(read(created), created);
  }

  /** Opens the tables and replays the log. */
  private Found read(boolean created) throws IOException {
    Manifest manifest =
        created
            ? Manifest.create(directory, options.keyOrder(), options.offHeap(), options.salts())
            : Manifest.open(directory, options.keyOrder(), options.offHeap(), options.salts());
    opened.push(manifest);
    TreeShape shape = manifest.shape();
    counters.addAll(shape.counters());
    lastSequence = shape.nextSequence() - 1;
    BlockCache cache = new BlockCache(options.offHeap(), options.blockCacheBytesMax());
    opened.push(cache::close);
    MemtableMemory memtables =
        new MemtableMemory(
            options.offHeap(), options.memtableBytesMax(), 1 + options.immutableMemtablesMax());
    opened.push(memtables::close);
    TreeTables tables = new TreeTables(directory, options, manifest, cache, memtables);
    // Which closes these three.
    opened.pop();
    opened.pop();
    opened.pop();
    opened.push(tables);
    LogReplay replay =
        LogReader.replay(
            directory,
            options.offHeap(),
            shape.oldestLogSegment(),
            manifest.durableLog(),
            (segment, offset, payload) -> insert(tables, segment, offset, shape, payload));
    return new Found(tables, manifest, replay);
  }

  private LsmTree begin(Found found, boolean created) throws IOException {
    Manifest manifest = found.manifest();
    LogReplay replay = found.replay();
    TreeShape shape = manifest.shape();
    // From here on everything durable has been found whole.
    // After a kill the last edit may be in the page cache only: what it frees must not go before it
    // is durable.
    manifest.guard();
    // A kill may have come between the rename of CURRENT and its sync: power loss would bring the
    // manifest before it back, and that must find its tables.
    directory.sync();
    deleteOrphans(shape.version());
    replay.settle(directory);
    Log log =
        Log.create(
            directory,
            options.offHeap(),
            options.salts(),
            replay.nextSegmentNumber(),
            replay.endPosition(),
            options.logAheadBytes());
    opened.push(log::abandon);
    manifest.logBegins(log.begin());
    RecoveryReport report =
        new RecoveryReport(
            created,
            shape.version().tableCount(),
            tableBytes(shape.version()),
            replay.recordCount(),
            replay.cutBytes(),
            replay.tornFile(),
            (System.nanoTime() - startedNanos) / 1_000_000);
    return new LsmTree(directory, options, found.tables(), counters, log, lastSequence + 1, report);
  }

  private void insert(
      TreeTables tables, long segment, long offset, TreeShape shape, ByteBuffer payload)
      throws IOException {
    int length = payload.remaining();
    if (payloadCopy.length < length) {
      payloadCopy = new byte[Math.max(length, 2 * payloadCopy.length)];
    }
    payload.get(payloadCopy, 0, length);
    batch.resetLogged(payloadCopy, length, segment, offset);
    if (batch.sequence() <= shape.flushedThroughSequence()) {
      return;
    }
    if (tables.active().table().bytes() >= options.memtableBytesMax()) {
      tables.rotate(
          new MemtableSlot(tables.newMemtable(), segment, tables.active().lastSequence()));
    }
    places.begin(batch.entries());
    tables.active().insert(batch, places, counters, null, ReadPoints.NOWHERE);
    lastSequence = Math.max(lastSequence, tables.active().lastSequence());
    counters.publish(lastSequence);
  }

  /** A directory without a manifest in force must not hold what somebody else put there. */
  private void requireOwn() throws IOException {
    if (Manifest.exists(directory)) {
      return;
    }
    List<String> names = directory.list();
    for (String name : names) {
      if (name.endsWith(TableMeta.FILE_SUFFIX) || LogFormat.segmentNumber(name).isPresent()) {
        throw Manifest.missing(name);
      }
    }
    for (String name : names) {
      if (!Manifest.isOwnFile(name)) {
        throw new ForeignDirectoryException(directory.path(), name);
      }
    }
  }

  /** Tables that no version names: outputs of a pass that a crash ended. */
  private void deleteOrphans(Version version) throws IOException {
    Set<String> wanted = new HashSet<>();
    for (TableMeta table : version.tables()) {
      wanted.add(table.fileName());
    }
    for (String name : directory.list()) {
      if (name.endsWith(TableMeta.FILE_SUFFIX) && !wanted.contains(name)) {
        directory.delete(name);
      }
    }
  }

  private static long tableBytes(Version version) {
    long sum = 0;
    for (int level = 0; level < Version.LEVELS; level++) {
      sum += version.levelBytes(level);
    }
    return sum;
  }
}
