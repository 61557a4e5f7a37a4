package dev.varve.perf.engine;

import dev.varve.compaction.CompactionOptions;
import dev.varve.lsm.LsmTree;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.TreeOptions;
import dev.varve.lsm.WriteBatch;
import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The tree with its two background threads, as a program without a server would run it. */
final class VarveUnderTest implements EngineUnderTest {
  private final Path directory;
  private final OffHeap offHeap = new OffHeap();
  private final LsmTree tree;
  private final TreeThreads threads;
  private final WriteBatch batch = new WriteBatch();
  private final EngineOptions options;
  private final DeadPairs deadPairs = new DeadPairs();

  VarveUnderTest(Path directory, EngineOptions options) throws IOException {
    this.directory = directory;
    this.options = options;
    Runnable[] onWork = {() -> {}};
    this.tree =
        LsmTree.open(
            RealStorageDirectory.open(directory),
            TreeOptions.builder()
                .offHeap(offHeap)
                .blockCacheBytesMax(options.cacheBytes())
                .memtableBytesMax(options.memtableBytes())
                .onWork(() -> onWork[0].run())
                .build());
    tree.useDeadEntryRule(deadPairs);
    this.threads =
        new TreeThreads(
            tree, deadPairs, CompactionOptions.forMemtable(tree.options().memtableBytesMax()));
    onWork[0] = threads::wake;
    threads.wake();
  }

  @Override
  public String name() {
    return EngineKind.VARVE.label();
  }

  @Override
  public String settings() {
    return String.format(
        Locale.ROOT,
        "LZ4, memtable %d MiB, at most 5, bloom 10 bits, 16 KiB blocks, log on, no sync, cache %d"
            + " MiB, 2 background threads, L0 trigger 4",
        options.memtableBytes() >> 20,
        options.cacheBytes() >> 20);
  }

  @Override
  public void put(byte[] key, byte[] value) throws IOException {
    batch.clear();
    write(batch.put(key, value));
  }

  private void write(WriteBatch changes) throws IOException {
    if (tree.wantsRotation()) {
      tree.rotate();
    }
    tree.write(changes);
  }

  @Override
  public void putSynced(byte[] key, byte[] value) throws IOException {
    put(key, value);
    tree.sync();
  }

  @Override
  public void delete(byte[] key) throws IOException {
    batch.clear();
    write(batch.delete(key));
  }

  @Override
  public void deleteRange(byte[] from, byte[] toExclusive) throws IOException {
    // As codec does: a record of the death, and no read is asked for these keys any more.
    batch.clear();
    write(batch.put(DeadPairs.recordKey(from), toExclusive));
    deadPairs.add(from, toExclusive, tree.horizon());
    threads.wake();
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    try (Snapshot snapshot = tree.snapshot()) {
      return snapshot.get(key);
    }
  }

  @Override
  public Walk walk() {
    return new TreeWalk(tree.snapshot());
  }

  @Override
  public void idle() throws IOException {
    // As the server's keyspace loop does.
    if (threads.wantsFlush()) {
      tree.rotate();
    }
  }

  @Override
  public void settle() throws IOException {
    while (!tree.rotate() && tree.wantsRotation()) {
      threads.wake();
      Thread.onSpinWait();
    }
    threads.awaitQuiet();
  }

  @Override
  public boolean compactFully() throws IOException {
    settle();
    threads.compactFully();
    settle();
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
    Map<String, Long> parts = new TreeMap<>();
    for (OffHeap.Part part : OffHeap.Part.values()) {
      parts.put(part.name().toLowerCase(Locale.ROOT), offHeap.heldBytes(part));
    }
    return parts;
  }

  @Override
  public void close() throws IOException {
    threads.close();
    tree.close();
  }

  private static final class TreeWalk implements Walk {
    private final Snapshot snapshot;
    private final VisibleCursor cursor;

    TreeWalk(Snapshot snapshot) {
      this.snapshot = snapshot;
      this.cursor = snapshot.cursor();
    }

    @Override
    public boolean seekToFirst() {
      return cursor.seekToFirst();
    }

    @Override
    public boolean seekToLast() {
      return cursor.seekToLast();
    }

    @Override
    public boolean seek(byte[] key) {
      return cursor.seek(key);
    }

    @Override
    public boolean next() {
      return cursor.next();
    }

    @Override
    public boolean previous() {
      return cursor.previous();
    }

    @Override
    public int read(Pair into) {
      System.arraycopy(cursor.keyBuffer(), 0, into.key, 0, cursor.keyLength());
      cursor.valueBuffer().get(cursor.valueOffset(), into.value, 0, cursor.valueLength());
      return cursor.keyLength() + cursor.valueLength();
    }

    @Override
    public void close() {
      cursor.close();
      snapshot.close();
    }
  }
}
