package dev.varve.lsm;

import dev.varve.lsm.entry.EmptyRanges;
import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.entry.ReadMode;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.lsm.table.ReadContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The tree as of one sequence number. For one thread at a time; close it.
 *
 * <p>It holds on to the memtables and tables it reads: nothing that is written, flushed or
 * compacted later touches it, and their memory and disk space stay taken until it is closed. Short
 * reads open one each; that costs three atomic operations.
 */
public final class Snapshot implements AutoCloseable {
  private final TreeState state;
  private final long sequence;
  private final ReadContext context;
  private final EmptyRanges emptyRanges;
  private final boolean isWriters;
  private final LiveSnapshots snapshots;
  private final int entered;
  private boolean closed;

  /**
   * Takes over a reference on {@code state}.
   *
   * @param isWriters whether the writer reads, and may tell what it finds empty
   * @param entered what {@code snapshots} knows it by
   */
  Snapshot(
      TreeState state,
      long sequence,
      ReadContext context,
      EmptyRanges emptyRanges,
      boolean isWriters,
      LiveSnapshots snapshots,
      int entered) {
    this.snapshots = snapshots;
    this.entered = entered;
    this.emptyRanges = emptyRanges;
    this.isWriters = isWriters;
    this.state = state;
    this.sequence = sequence;
    this.context = Objects.requireNonNull(context);
  }

  /** Whether reads wait for blocks that are not in memory. */
  public boolean mayWait() {
    return context.mode() == ReadMode.MAY_BLOCK;
  }

  /**
   * A copy of the key's value, or null when it has none.
   *
   * @throws dev.varve.lsm.entry.ColdBlockSignal when a block is not in memory and the read may not
   *     wait for it
   * @throws ReadFailure on an I/O error or a damaged block
   */
  public byte @Nullable [] get(byte[] key) {
    return get(key, ValueCopy.WHOLE);
  }

  /** The same, copied as {@code copy} says. */
  public byte @Nullable [] get(byte[] key, ValueCopy copy) {
    return state.get(key, sequence, context, copy);
  }

  /** Answers what {@code asked} asks, as far as memory has the answers. */
  public void get(MultiGet asked) {
    state.get(asked, sequence);
  }

  /**
   * A walk over keys and their values, positioned nowhere. Close it before the snapshot. Its moves
   * throw what {@link #get} throws.
   */
  public VisibleCursor cursor() {
    return cursor(null, null);
  }

  /**
   * The same within bounds: it never leaves {@code [from, toExclusive)}, and does not touch blocks
   * beyond. Null for an open end.
   */
  public VisibleCursor cursor(byte @Nullable [] from, byte @Nullable [] toExclusive) {
    return VisibleCursor.over(
        entries(), state.version().order(), sequence, from, toExclusive, emptyRanges, isWriters);
  }

  /** A walk over all entries, old versions and tombstones included. */
  EntryCursor entries() {
    return state.cursor(context);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      snapshots.leave(entered);
      state.release();
    }
  }
}
