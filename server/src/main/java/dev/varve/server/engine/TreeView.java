package dev.varve.server.engine;

import dev.varve.codec.store.BriefValue;
import dev.varve.codec.store.StepMeter;
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
  private final ReadRoom.@Nullable Share room;
  private final ValueCopy whole;
  private StepMeter meter = StepMeter.NONE;

  /** Takes over the snapshot. */
  TreeView(Snapshot snapshot) {
    this(snapshot, null, null);
  }

  /**
   * Takes over all of it.
   *
   * @param pins what its reads pin, closed with it; or null
   * @param room what long values take, until it is closed; null where that is not counted
   */
  TreeView(Snapshot snapshot, @Nullable BlockPins pins, ReadRoom.@Nullable Share room) {
    this.snapshot = snapshot;
    this.pins = pins;
    this.room = room;
    this.whole = room == null ? ValueCopy.WHOLE : ValueCopy.within(room::need);
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    meter.step();
    return snapshot.get(key, whole);
  }

  @Override
  public void need(long bytes) {
    if (room != null) {
      room.need(bytes);
    }
  }

  @Override
  public void needNothing() {
    if (room != null) {
      room.close();
    }
  }

  @Override
  public @Nullable BriefValue getStart(byte[] key, int bytes) {
    meter.step();
    return BriefValue.of(snapshot.get(key, ValueCopy.start(bytes)));
  }

  @Override
  public void meter(StepMeter its) {
    meter = its;
  }

  @Override
  public boolean mayWait() {
    return snapshot.mayWait();
  }

  @Override
  public StoreCursor cursor(byte[] end) {
    return new TreeViewCursor(snapshot.cursor(null, end), this::need, meter);
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
    needNothing();
  }
}
