package dev.varve.lsm.table;

import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import java.nio.ByteBuffer;

/** An off-heap buffer with one owner that grows by doubling. For one thread. */
final class GrowableRegion implements AutoCloseable {
  private final OffHeap offHeap;
  private final int initialBytes;
  private OffHeapRegion region;
  private ByteBuffer buffer;
  private boolean closed;

  GrowableRegion(OffHeap offHeap, int initialBytes) {
    this.offHeap = offHeap;
    this.initialBytes = initialBytes;
    this.region = offHeap.allocate(OffHeap.Part.COMPACTION_BUFFER, initialBytes);
    this.buffer = region.buffer();
  }

  /** The memory; another one after it grew. */
  ByteBuffer buffer() {
    return buffer;
  }

  /** Makes room for {@code neededBytes} in all and keeps the first {@code usedBytes}. */
  ByteBuffer ensure(long neededBytes, int usedBytes) {
    if (neededBytes > buffer.capacity()) {
      grow(neededBytes, usedBytes);
    }
    return buffer;
  }

  private void grow(long neededBytes, int usedBytes) {
    if (neededBytes > Integer.MAX_VALUE - 16) {
      throw new IllegalStateException("a buffer of " + neededBytes + " bytes is beyond any block");
    }
    long doubled = Math.min(2L * buffer.capacity(), Integer.MAX_VALUE - 16);
    OffHeapRegion larger =
        offHeap.allocate(OffHeap.Part.COMPACTION_BUFFER, (int) Math.max(neededBytes, doubled));
    larger.buffer().put(0, buffer, 0, usedBytes);
    region.release();
    region = larger;
    buffer = larger.buffer();
  }

  /** Drops the content, and gives back what one huge entry made it grow to. */
  void reset() {
    if (buffer.capacity() > 8L * initialBytes) {
      OffHeapRegion smaller = offHeap.allocate(OffHeap.Part.COMPACTION_BUFFER, initialBytes);
      region.release();
      region = smaller;
      buffer = smaller.buffer();
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      region.release();
    }
  }
}
