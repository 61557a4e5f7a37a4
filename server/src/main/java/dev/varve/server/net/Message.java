package dev.varve.server.net;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;

/**
 * A message that is no reply, on its way into one socket. Others may get the same array, so what
 * each of them holds of it is a part.
 *
 * <p>Handed on from thread to thread; nobody writes into it.
 */
final class Message extends UnpooledHeapByteBuf {

  /** This object, and its places in queues. */
  private static final int OVERHEAD_BYTES = 128;

  /** Each holds so many times his equal part: those who take it are gone, and the rest holds it. */
  private static final int PARTS = 4;

  private final int heldBytes;

  /**
   * @param receivers how many get this very array
   */
  Message(byte[] bytes, int receivers) {
    super(UnpooledByteBufAllocator.DEFAULT, bytes, bytes.length);
    this.heldBytes = OVERHEAD_BYTES + bytes.length / Math.max(1, receivers / PARTS);
  }

  /** What it takes on the heap as long as its client has not taken it. */
  int heldBytes() {
    return heldBytes;
  }
}
