package dev.varve.lsm.table;

import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An off-heap buffer with one owner that grows by doubling. It has no memory until it is used: who
 * is made of several of them gets all, or fails where he can still be closed. For one thread.
 */
final class GrowableRegion implements AutoCloseable {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final OffHeap offHeap;
  private final int initialBytes;
  private @Nullable OffHeapRegion region;
  private ByteBuffer buffer = NOTHING;

  GrowableRegion(OffHeap offHeap, int initialBytes) {
    this.offHeap = offHeap;
    this.initialBytes = initialBytes;
  }

  /** The memory; another one after it grew or was reset. */
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
    long bytes = Math.max(neededBytes, Math.max(initialBytes, doubled));
    OffHeapRegion larger = offHeap.allocate(OffHeap.Part.COMPACTION_BUFFER, (int) bytes);
    larger.buffer().put(0, buffer, 0, usedBytes);
    close();
    region = larger;
    buffer = larger.buffer();
  }

  /** Drops the content, and gives back what one huge entry made it grow to. */
  void reset() {
    if (buffer.capacity() > 8L * initialBytes) {
      close();
    }
  }

  @Override
  public void close() {
    OffHeapRegion held = region;
    if (held != null) {
      region = null;
      buffer = NOTHING;
      held.release();
    }
  }
}
