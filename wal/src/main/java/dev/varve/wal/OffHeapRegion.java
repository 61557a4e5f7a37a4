package dev.varve.wal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import net.openhft.chronicle.bytes.BytesStore;

/**
 * One piece of off-heap memory, shared by reference count: it starts with one holder, and the last
 * to release it frees the memory.
 *
 * <p>Reading {@link #buffer()} without holding a reference reads freed memory: whoever hands a
 * region to another thread retains it first, or hands over its own reference.
 */
public final class OffHeapRegion {
  private static final String BACKGROUND_RELEASER = "background.releaser";

  static {
    // Chronicle would hand each region to a thread of its own to be freed: waking that thread costs
    // an evicted block more than reading the next one does. Whoever sets it decides.
    if (System.getProperty(BACKGROUND_RELEASER) == null) {
      System.setProperty(BACKGROUND_RELEASER, "false");
    }
  }

  private final BytesStore<?, ?> memory;
  private final ByteBuffer buffer;
  private final LongAdder account;
  private final AtomicInteger holders = new AtomicInteger(1);

  OffHeapRegion(int bytes, LongAdder account) {
    // The lazy one is not filled with zeroes, which would cost as much as decompressing a block.
    this.memory = BytesStore.lazyNativeBytesStoreWithFixedCapacity(bytes);
    // Chronicle owns and frees the memory; a plain buffer over it is what the JIT reads fastest.
    this.buffer = memory.toTemporaryDirectByteBuffer().order(ByteOrder.BIG_ENDIAN);
    this.account = account;
    account.add(bytes);
  }

  /**
   * The memory, big-endian. One instance for all: use absolute access, or {@link
   * ByteBuffer#duplicate()} before changing position or limit.
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Where it begins, for the operating system. Holds as long as the caller's reference. */
  public long address() {
    return memory.addressForRead(0);
  }

  /** Its size in bytes. */
  public int bytes() {
    return buffer.capacity();
  }

  /** The last reference is gone, and the memory with it. */
  boolean isFree() {
    return holders.get() == 0;
  }

  /** Frees the memory whoever holds it: nobody is left who could read it. */
  void free() {
    if (holders.getAndSet(0) > 0) {
      account.add(-bytes());
      memory.releaseLast();
    }
  }

  /** Gives a reference back; the last one frees the memory. */
  public void release() {
    int left = holders.decrementAndGet();
    if (left == 0) {
      account.add(-bytes());
      memory.releaseLast();
    } else if (left < 0) {
      throw new IllegalStateException("off-heap region released more often than retained");
    }
  }
}
