package dev.varve.server.engine;

import dev.varve.codec.store.BriefValue;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.lsm.table.BlockPins;
import org.jspecify.annotations.Nullable;

/** One snapshot of the tree, as codec sees it. For one thread at a time. */
final class TreeView implements StoreView {
  private final Snapshot snapshot;
  private final @Nullable BlockPins pins;

  /**
   * Takes over the snapshot.
   *
   * @param pins what its reads pin, closed with it; or null
   */
  TreeView(Snapshot snapshot, @Nullable BlockPins pins) {
    this.snapshot = snapshot;
    this.pins = pins;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return snapshot.get(key);
  }

  @Override
  public @Nullable BriefValue getStart(byte[] key, int bytes) {
    return BriefValue.of(snapshot.get(key, ValueCopy.start(bytes)));
  }

  @Override
  public boolean mayWait() {
    return snapshot.mayWait();
  }

  @Override
  public StoreCursor cursor(byte[] end) {
    return new TreeViewCursor(snapshot.cursor(null, end));
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
