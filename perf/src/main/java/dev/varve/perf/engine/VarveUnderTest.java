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
  private final long cacheBytes;

  VarveUnderTest(Path directory, long cacheBytes) throws IOException {
    this.directory = directory;
    this.cacheBytes = cacheBytes;
    Runnable[] onWork = {() -> {}};
    this.tree =
        LsmTree.open(
            RealStorageDirectory.open(directory),
            TreeOptions.builder()
                .offHeap(offHeap)
                .blockCacheBytesMax(cacheBytes)
                .onWork(() -> onWork[0].run())
                .build());
    this.threads =
        new TreeThreads(tree, CompactionOptions.forMemtable(tree.options().memtableBytesMax()));
    onWork[0] = threads::wake;
    threads.wake();
  }

  @Override
  public String name() {
    return "varve";
  }

  @Override
  public String settings() {
    return String.format(
        Locale.ROOT,
        "LZ4, memtable 64 MiB, bloom 10 bits, 16 KiB blocks, log on, no sync, cache %d MiB",
        cacheBytes >> 20);
  }

  @Override
  public void put(byte[] key, byte[] value) throws IOException {
    batch.clear();
    if (tree.wantsRotation()) {
      tree.rotate();
    }
    tree.write(batch.put(key, value));
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
  public void settle() throws IOException {
    while (!tree.rotate() && tree.wantsRotation()) {
      threads.wake();
      Thread.onSpinWait();
    }
    threads.awaitQuiet();
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
    public int touch() {
      // The last byte of each, so that neither can be left unread.
      int keyByte = cursor.keyBuffer()[cursor.keyLength() - 1];
      int valueByte = cursor.valueBuffer().get(cursor.valueOffset() + cursor.valueLength() - 1);
      return (keyByte ^ valueByte) == 1 << 20 ? 0 : cursor.keyLength() + cursor.valueLength();
    }

    @Override
    public void close() {
      cursor.close();
      snapshot.close();
    }
  }
}
