package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreChanges;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.LsmTree;
import dev.varve.lsm.WriteBatch;
import dev.varve.lsm.entry.ReadMode;
import dev.varve.lsm.table.BlockPins;
import dev.varve.lsm.table.ReadContext;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The tree as codec's store, read without waiting for a disk. Threads as {@link Store} says. */
final class TreeStore implements Store {
  private final LsmTree tree;
  private final RowCache rows = new RowCache(RowCache.bytesFor(Runtime.getRuntime().maxMemory()));
  private final BucketCache buckets = new BucketCache();
  private final WriteBatch batch = new WriteBatch();
  private final StoreBatch.Visitor intoBatch = new IntoBatch();
  private ReadContext writerContext = ReadContext.MEMORY_ONLY;
  private volatile long garbageGeneration = 1;

  /** Whether the writer's views show what is written and not published. Set by the writer. */
  private volatile boolean showsUnpublished = true;

  TreeStore(LsmTree tree) {
    this.tree = tree;
  }

  @Override
  public StoreView view() {
    return new TreeView(tree.snapshot(ReadContext.MEMORY_ONLY), null);
  }

  @Override
  public StoreView writerView() {
    return showsUnpublished
        ? TreeView.ofWriter(tree.writerSnapshot(writerContext), rows, buckets)
        : new TreeView(tree.snapshot(writerContext), null);
  }

  /** Whether the writer's views show what is written and not published, as they do at first. */
  void showUnpublished(boolean shows) {
    showsUnpublished = shows;
  }

  /**
   * Whether they do now. Any thread. While they do not, nothing may be written by what they show.
   */
  boolean showsUnpublished() {
    return showsUnpublished;
  }

  /** Lets the writer's views find what {@code pins} hold, until called with null. */
  void warm(@Nullable BlockPins pins) {
    writerContext =
        pins == null ? ReadContext.MEMORY_ONLY : new ReadContext(ReadMode.MEMORY_ONLY, pins);
  }

  @Override
  public long nextSequence() {
    return tree.nextSequence();
  }

  @Override
  public void write(StoreChanges changes) {
    batch.clear();
    batch.reserveSequences(Math.max(1, changes.sequencesReserved()));
    changes.accept(intoBatch);
    try {
      tree.apply(batch);
    } catch (IOException poisoned) {
      rows.clear();
      buckets.clear();
      throw new WriteFailure(poisoned);
    }
  }

  /** The newest values of what the writer reads often. */
  RowCache rows() {
    return rows;
  }

  @Override
  public long counter(long id) {
    return tree.counter(id);
  }

  /** Changes whenever a garbage record is written or deleted. Any thread. */
  long garbageGeneration() {
    return garbageGeneration;
  }

  private final class IntoBatch implements StoreBatch.Visitor {
    @Override
    public void put(byte[] key, byte[] value) {
      noteGarbage(key);
      batch.put(key, value);
      rows.written(key, value);
      buckets.written(key, value);
    }

    @Override
    public void delete(byte[] key) {
      noteGarbage(key);
      batch.delete(key);
      rows.written(key, null);
      buckets.written(key, null);
    }

    @Override
    public void count(long counterId, long delta) {
      batch.addToCounter(counterId, delta);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void noteGarbage(byte[] key) {
      if (key[0] == KeyFormat.GARBAGE) {
        garbageGeneration++;
      }
    }
  }
}
