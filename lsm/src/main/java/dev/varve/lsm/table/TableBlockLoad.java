package dev.varve.lsm.table;

import dev.varve.lsm.entry.BlockLoad;
import dev.varve.lsm.table.TableFormat.Handle;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.FilePlace;
import dev.varve.wal.OffHeapRegion;
import java.nio.ByteBuffer;

/** A data block that somebody else reads; it has a reference to the table. */
final class TableBlockLoad implements BlockLoad {
  /** Longer pieces are left to workers: what is read for event loops stays in few bytes. */
  static final int BYTES_MAX = ScratchPool.POOLED_BYTES - FilePlace.ALIGNMENT;

  private final TableReader table;
  private final int ordinal;
  private final FilePlace file;
  private final long offset;
  private final int bytes;
  private final int blockAt;
  private final int blockBytes;
  private final ScratchPool scratch;
  private final OffHeapRegion region;
  private final int skipped;

  /**
   * Takes over a reference to the table.
   *
   * @param handle of a block for which {@link #bytes(Handle)} is at most {@link #BYTES_MAX}
   */
  TableBlockLoad(
      TableReader table, int ordinal, Handle handle, FilePlace file, ScratchPool scratch) {
    this.table = table;
    this.ordinal = ordinal;
    this.file = file;
    this.offset = handle.offset() & -FilePlace.ALIGNMENT;
    this.bytes = bytes(handle);
    this.blockAt = (int) (handle.offset() - offset);
    this.blockBytes = (int) (handle.end() - handle.offset());
    this.scratch = scratch;
    this.region = scratch.take(bytes + FilePlace.ALIGNMENT);
    this.skipped = (int) (-region.address() & FilePlace.ALIGNMENT - 1);
  }

  /** How long the piece is that has a block. */
  static int bytes(Handle handle) {
    long start = handle.offset() & -FilePlace.ALIGNMENT;
    long end = handle.end() + FilePlace.ALIGNMENT - 1 & -FilePlace.ALIGNMENT;
    return Math.toIntExact(end - start);
  }

  @Override
  public FilePlace file() {
    return file;
  }

  @Override
  public long offset() {
    return offset;
  }

  @Override
  public int bytes() {
    return bytes;
  }

  @Override
  public long address() {
    return region.address() + skipped;
  }

  /** The memory at {@link #address}. */
  ByteBuffer target() {
    return region.buffer().slice(skipped, bytes);
  }

  @Override
  public void whenUnneeded(Runnable listener) {
    table.whenClosed(listener);
  }

  @Override
  public boolean finish(int bytesRead) {
    try {
      if (bytesRead < blockAt + blockBytes) {
        return false;
      }
      table.takeIn(ordinal, region.buffer(), skipped + blockAt);
      return true;
    } catch (CorruptionException seenAgainByWhoMayBlock) {
      return false;
    } finally {
      scratch.giveBack(region);
      table.release();
    }
  }
}
