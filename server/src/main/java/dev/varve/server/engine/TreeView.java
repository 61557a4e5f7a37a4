package dev.varve.server.engine;

import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.table.BlockPins;
import org.jspecify.annotations.Nullable;

/** One snapshot of the tree, as codec sees it. For one thread at a time. */
final class TreeView implements StoreView {
  private final Snapshot snapshot;
  private final @Nullable BlockPins pins;
  private final @Nullable RowCache rows;
  private final @Nullable BucketCache buckets;

  /**
   * Takes over the snapshot.
   *
   * @param pins what its reads pin, closed with it; or null
   */
  TreeView(Snapshot snapshot, @Nullable BlockPins pins) {
    this(snapshot, pins, null, null);
  }

  private TreeView(
      Snapshot snapshot,
      @Nullable BlockPins pins,
      @Nullable RowCache rows,
      @Nullable BucketCache buckets) {
    this.snapshot = snapshot;
    this.pins = pins;
    this.rows = rows;
    this.buckets = buckets;
  }

  /**
   * What the writer reads. Takes over the snapshot.
   *
   * @param rows what the writer has read of late
   * @param buckets the counted buckets that it has walked of late
   */
  static TreeView ofWriter(Snapshot snapshot, RowCache rows, BucketCache buckets) {
    return new TreeView(snapshot, null, rows, buckets);
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    if (rows == null) {
      return snapshot.get(key);
    }
    byte[] value = rows.get(key);
    if (value == null) {
      value = snapshot.get(key);
      if (value != null) {
        rows.read(key, value);
      }
    }
    return value;
  }

  @Override
  public boolean mayWait() {
    return snapshot.mayWait();
  }

  @Override
  public StoreCursor cursor() {
    return buckets == null ? ofTree() : new WriterCursor(buckets, this::ofTree);
  }

  private StoreCursor ofTree() {
    return new TreeViewCursor(snapshot.cursor());
  }

  @Nullable BlockPins pins() {
    return pins;
  }

  @Override
  public void close() {
    snapshot.close();
    if (pins != null) {
      pins.close();
    }
  }
}
