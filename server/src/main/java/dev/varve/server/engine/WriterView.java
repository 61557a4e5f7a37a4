package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.BriefValue;
import dev.varve.codec.store.ResidentRows;
import dev.varve.codec.store.StepMeter;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.MultiGet;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.entry.ReadMode;
import dev.varve.lsm.entry.ValueBuffer;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.lsm.table.KeyHash;
import dev.varve.lsm.table.ReadContext;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the writer sees: all that it has written, as long as it writes nothing more. Keyspace loop,
 * or whoever has it lent from there.
 */
final class WriterView implements StoreView {
  private static final byte[] START = {};

  /*
   * Most commands find in the caches what they look for. Only one that does not takes a snapshot, which
   * costs atomic operations, and keeps alive in the memtable what the command is about to overwrite.
   */
  private final TreeStore store;

  private final ReadContext context;

  /*
   * A walk that goes on where a kept one ends looks for that place in the tree, and may meet other blocks
   * there than a worker who came walking and jumped over what is deleted. What is run again must need
   * none but those, or it would go to and fro for ever: it walks over the tree alone. And what has come from
   * the disk for one read would push out of the caches what is read again and again.
   */
  private final boolean isRepeated;

  private final RowCache rows;
  private final WalkCache walks;
  private final ElementReadAhead elements;
  private final ValueBuffer buffer;
  private StepMeter meter = StepMeter.NONE;
  private @Nullable Snapshot snapshot;
  private int settled;

  /**
   * @param context of what is read in the tree
   * @param isRepeated whether the command is run again, and finds in memory what was brought for it
   *     from the disk
   * @param caches what is kept of the tree in memory
   * @param elements walks over elements of lists that are asked for one by one
   * @param buffer for what is read briefly
   */
  WriterView(
      TreeStore store,
      ReadContext context,
      boolean isRepeated,
      WriterCaches caches,
      ElementReadAhead elements,
      ValueBuffer buffer) {
    this.store = store;
    this.context = context;
    this.isRepeated = isRepeated;
    this.rows = caches.rows();
    this.walks = caches.walks();
    this.elements = elements;
    this.buffer = buffer;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    meter.step();
    if (key[0] == KeyFormat.RANK) {
      store.settleResidents();
    }
    byte[] value = key[0] == KeyFormat.LIST && !isRepeated ? walked(key) : rows.get(key);
    return value != null ? value : searched(key, ValueCopy.WHOLE);
  }

  @Override
  public @Nullable BriefValue getBriefly(byte[] key) {
    meter.step();
    BriefValue row = rows.getBriefly(key);
    return row != null ? row : brief(searched(key, buffer.copy()));
  }

  @Override
  public @Nullable BriefValue getStart(byte[] key, int bytes) {
    meter.step();
    BriefValue row = rows.getBriefly(key);
    // Longer than what the rows take, so that those are always read whole.
    return row != null
        ? row
        : brief(searched(key, ValueCopy.start(Math.max(bytes, RowCache.ROW_BYTES_MAX))));
  }

  private @Nullable BriefValue brief(byte @Nullable [] value) {
    return value == null ? null : new BriefValue(value, 0, buffer.length(value));
  }

  /** What the caches do not have. */
  private byte @Nullable [] searched(byte[] key, ValueCopy copy) {
    byte[] grouped = store.groupedStart(key, copy.bytesMax());
    if (grouped == StoreBatch.DELETED) {
      return null;
    }
    byte[] value = grouped != null ? grouped : inTree(key, copy);
    if (value != null && copy.isWhole(value) && !isRepeated) {
      keep(key, value);
    }
    return value;
  }

  private void keep(byte[] key, byte[] value) {
    if (buffer.has(value)) {
      rows.readBriefly(key, value, buffer.length(value));
    } else {
      rows.read(key, value);
    }
  }

  private byte @Nullable [] inTree(byte[] key, ValueCopy copy) {
    MultiGet ahead = store.ahead();
    int number =
        isRepeated || ahead.count() == 0
            ? -1
            : ahead.indexOf(key, KeyHash.hash(key, 0, key.length));
    return number >= 0 && ahead.isKnown(number, copy.bytesMax())
        ? ahead.take(number, copy)
        : snapshot().get(key, copy);
  }

  /** An element that is near one that was asked for, or on a walk. */
  private byte @Nullable [] walked(byte[] key) {
    byte[] value = walks.get(key);
    if (value == null && store.grouped(key) == null && elements.isNear(key)) {
      byte[] list = Arrays.copyOf(key, key.length - ElementReadAhead.POSITION_BYTES);
      try (WriterCursor cursor = recordingCursor(list, KeyFormat.successor(list), StepMeter.NONE)) {
        elements.walk(key, cursor);
      }
      value = walks.get(key);
    }
    return value;
  }

  @Override
  public void meter(StepMeter its) {
    meter = its;
  }

  @Override
  public boolean mayWait() {
    return context.mode() == ReadMode.MAY_BLOCK;
  }

  @Override
  public @Nullable ResidentRows resident(byte[] prefix, ResidentRows.@Nullable Loader loader) {
    if (isRepeated) {
      return null;
    }
    Residents residents = store.caches().residents();
    ResidentRows its = residents.find(prefix);
    if (its != null || loader == null || !residents.isWanted(prefix)) {
      return its;
    }
    its = residents.load(prefix, loader, end -> treeCursor(START, end));
    if (its != null) {
      walks.forget(prefix);
    }
    return its;
  }

  @Override
  public StoreCursor cursor(byte[] end) {
    return isRepeated ? treeCursor(START, end) : recordingCursor(START, end, meter);
  }

  /** A walk that keeps what it passes. */
  private WriterCursor recordingCursor(byte[] from, byte[] end, StepMeter its) {
    return new WriterCursor(walks, this::treeCursor, store::settleResidents, its, from, end);
  }

  /** A walk over the tree, which must have everything that is put between both keys. */
  private StoreCursor treeCursor(byte[] from, byte[] end) {
    if (store.isAnyGrouped() && mayLeaveGrouped(from, end)) {
      return new GroupedCursor(this, from, end);
    }
    settle();
    return openTree(null, end);
  }

  /** A walk over the tree as it is. */
  TreeViewCursor openTree(byte @Nullable [] from, byte[] end) {
    // A walk that keeps what it passes tells of its own steps.
    StepMeter its = isRepeated ? meter : StepMeter.NONE;
    return new TreeViewCursor(snapshot().cursor(from, end), bytes -> {}, its);
  }

  /**
   * Whether the tree has all that there is between two keys, and perhaps more that has been
   * deleted.
   */
  boolean mayLeaveGrouped(byte[] from, byte[] end) {
    return from.length > 0
        && end.length > 0
        && from[0] == end[0]
        && from[0] != KeyFormat.RANK
        && !store.isAnyPutGrouped(from[0]);
  }

  /** Whether the row that a walk over the tree is on has been deleted. */
  boolean isDeleted(TreeViewCursor cursor) {
    return store.isAnyGrouped() && store.isDeletedInGroup(cursor.keyBuffer(), cursor.keyLength());
  }

  /** Gives the tree all that was written. */
  void settle() {
    store.settleResidents();
    if (store.isAnyGrouped()) {
      store.settle();
      close();
      settled++;
    }
  }

  /** How often that was necessary. */
  int settled() {
    return settled;
  }

  private Snapshot snapshot() {
    Snapshot its = snapshot;
    if (its == null) {
      its = store.writerSnapshot(context);
      snapshot = its;
    }
    return its;
  }

  @Override
  public void close() {
    if (snapshot != null) {
      snapshot.close();
      snapshot = null;
    }
  }
}
