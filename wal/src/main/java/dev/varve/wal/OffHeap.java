package dev.varve.wal;

import java.util.concurrent.atomic.LongAdder;

/**
 * Memory outside the heap, allocated and released explicitly, accounted by the part that holds it.
 *
 * <p>Safe for use by several threads. One instance serves one server, so that its parts sum to what
 * that server holds.
 */
public class OffHeap {

  /** Who holds off-heap memory. INFO and the harness list these, by name. */
  public enum Part {
    MEMTABLE,
    BLOCK_CACHE,
    INDEX_AND_FILTER,
    LOG_BUFFER,
    COMPACTION_BUFFER
  }

  private final LongAdder[] heldBytes = new LongAdder[Part.values().length];

  public OffHeap() {
    for (int i = 0; i < heldBytes.length; i++) {
      heldBytes[i] = new LongAdder();
    }
  }

  /**
   * Allocates {@code bytes} bytes of undefined content for {@code part}. The region belongs to the
   * caller, who releases it.
   *
   * @throws OutOfMemoryError when the operating system has no more
   */
  public OffHeapRegion allocate(Part part, int bytes) {
    return new OffHeapRegion(bytes, heldBytes[part.ordinal()]);
  }

  /** Bytes that {@code part} holds now. */
  public long heldBytes(Part part) {
    return heldBytes[part.ordinal()].sum();
  }

  /** Bytes that all parts hold now. */
  public long heldBytes() {
    long sum = 0;
    for (LongAdder part : heldBytes) {
      sum += part.sum();
    }
    return sum;
  }
}
