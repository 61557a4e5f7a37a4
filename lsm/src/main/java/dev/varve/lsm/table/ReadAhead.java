package dev.varve.lsm.table;

import dev.varve.lsm.table.TableFormat.Handle;
import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Loads blocks for one long walk: once it goes through them in file order, or against it, it reads
 * many at a time. For one thread.
 */
final class ReadAhead implements BlockCache.Loader, AutoCloseable {
  /** Large enough that the device streams; small enough to have one per input of a pass. */
  static final int WINDOW_BYTES = 256 << 10;

  /** Before any block, and no neighbour of one. */
  private static final int NONE = -2;

  private final StoredBlocks stored;
  private final OffHeap offHeap;
  private final TableReader table;
  private final PassReads reads;
  private @Nullable OffHeapRegion window;
  private long windowStart;
  private int windowBytes;
  private int lastOrdinal = NONE;

  /**
   * @param reads is told of all that was not in memory
   */
  ReadAhead(StoredBlocks stored, OffHeap offHeap, TableReader table, PassReads reads) {
    this.reads = reads;
    this.stored = stored;
    this.offHeap = offHeap;
    this.table = table;
  }

  @Override
  public Block load(int ordinal, BlockMemory memory) throws IOException {
    reads.loaded();
    Handle handle = table.handle(ordinal);
    int step = ordinal - lastOrdinal;
    lastOrdinal = ordinal;
    boolean inWindow = handle.offset() >= windowStart && handle.end() <= windowStart + windowBytes;
    if (!inWindow) {
      if (Math.abs(step) != 1 || handle.end() - handle.offset() > WINDOW_BYTES) {
        reads.read(handle.end() - handle.offset());
        return stored.readBlock(handle, memory);
      }
      fillWindow(step > 0 ? handle.offset() : Math.max(0, handle.end() - WINDOW_BYTES));
    }
    ByteBuffer bytes = openWindow().buffer();
    return stored.decodeBlock(bytes, (int) (handle.offset() - windowStart), handle, memory);
  }

  private void fillWindow(long offset) throws IOException {
    windowBytes = 0;
    int bytes = (int) Math.min(WINDOW_BYTES, table.dataBytes() - offset);
    reads.read(bytes);
    stored.read(openWindow().buffer().duplicate().limit(bytes), offset);
    windowStart = offset;
    windowBytes = bytes;
  }

  private OffHeapRegion openWindow() {
    OffHeapRegion open = window;
    if (open == null) {
      open = offHeap.allocate(OffHeap.Part.COMPACTION_BUFFER, WINDOW_BYTES);
      window = open;
    }
    return open;
  }

  @Override
  public void close() {
    OffHeapRegion open = window;
    window = null;
    windowBytes = 0;
    if (open != null) {
      open.release();
    }
  }
}
