package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreChanges;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.LsmTree;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.WriteBatch;
import dev.varve.lsm.entry.ReadMode;
import dev.varve.lsm.memtable.Memtable;
import dev.varve.lsm.table.BlockPins;
import dev.varve.lsm.table.ReadContext;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The tree as codec's store, read without waiting for a disk. Threads as {@link Store} says. */
final class TreeStore implements Store {
  private static final int BATCH_ROWS = 16;
  private static final int BATCH_ROWS_KEPT = 1 << 16;

  private final LsmTree tree;
  private final RowCache rows = new RowCache(RowCache.bytesFor(Runtime.getRuntime().maxMemory()));
  private final WalkCache walks =
      new WalkCache(WalkCache.bytesFor(Runtime.getRuntime().maxMemory()));
  private final ElementReadAhead elements = new ElementReadAhead();
  private final WriteBatch batch = new WriteBatch();
  private final StoreBatch.Visitor intoBatch = new IntoBatch();
  private final long[] foreseen = new long[Engine.FORESEEN_MAX];

  /** The rows of the entries of the batch that is being written. */
  private long[] batchRows = new long[BATCH_ROWS];

  /** Keeps the compiler from leaving out what is read for no other reason. */
  @SuppressWarnings("unused")
  private int touched;

  private final Supplier<Snapshot> writerSnapshots = this::writerSnapshot;
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
        ? new WriterView(writerSnapshots, rows, walks, elements)
        : new TreeView(tree.snapshot(writerContext), null);
  }

  private Snapshot writerSnapshot() {
    return tree.writerSnapshot(writerContext);
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
    if (batchRows.length > BATCH_ROWS_KEPT) {
      batchRows = new long[BATCH_ROWS];
    }
    batch.reserveSequences(Math.max(1, changes.sequencesReserved()));
    boolean isApplied = false;
    try {
      changes.accept(intoBatch);
      tree.apply(batch);
      isApplied = true;
    } catch (IOException poisoned) {
      throw new WriteFailure(poisoned);
    } finally {
      if (!isApplied) {
        // They may have what was not written: a batch can be too large, or memory run out.
        rows.clear();
        walks.clear();
      }
    }
    for (int i = batch.entries() - 1; i >= 0; i--) {
      if (batchRows[i] != RowCache.NO_ROW) {
        rows.placed(batchRows[i], batch.memtable(), batch.place(i));
      }
    }
  }

  /** The newest values of what the writer reads often. */
  RowCache rows() {
    return rows;
  }

  /** What the writer walked over of late. */
  WalkCache walks() {
    return walks;
  }

  @Override
  public long counter(long id) {
    return tree.counter(id);
  }

  /** Changes whenever a garbage record is written or deleted. Any thread. */
  long garbageGeneration() {
    return garbageGeneration;
  }

  /**
   * Brings to the processor what is kept of the first {@code count} keys, and of where they would
   * be written; see {@link Engine#foresee}.
   */
  void foresee(byte[][] keys, int count) {
    long[] found = foreseen;
    int sum = rows.touch(keys, count, found);
    for (int i = 0; i < count; i++) {
      sum +=
          found[i] == RowCache.NO_ROW
              ? tree.touch(keys[i], 0, Memtable.NO_PLACE)
              : tree.touch(keys[i], rows.memtable(found[i]), rows.place(found[i]));
    }
    touched = sum;
  }

  private final class IntoBatch implements StoreBatch.Visitor {
    @Override
    public void put(byte[] key, byte[] value) {
      noteGarbage(key);
      batch.put(key, value);
      long row = rows.written(key, value);
      if (row != RowCache.NO_ROW) {
        batch.replacing(rows.memtable(row), rows.place(row));
      }
      noteRow(row);
      walks.written(key, value);
    }

    @Override
    public void delete(byte[] key) {
      noteGarbage(key);
      batch.delete(key);
      rows.written(key, null);
      noteRow(RowCache.NO_ROW);
      walks.written(key, null);
    }

    @Override
    public void count(long counterId, long delta) {
      batch.addToCounter(counterId, delta);
    }

    private void noteRow(long row) {
      int entry = batch.entries() - 1;
      if (entry == batchRows.length) {
        batchRows = Arrays.copyOf(batchRows, 2 * entry);
      }
      batchRows[entry] = row;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void noteGarbage(byte[] key) {
      if (key[0] == KeyFormat.GARBAGE) {
        garbageGeneration++;
      }
    }
  }
}
