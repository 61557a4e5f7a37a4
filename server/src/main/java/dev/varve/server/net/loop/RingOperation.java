package dev.varve.server.net.loop;

import io.netty.channel.uring.IoUringIoOps;

/** What a ring is asked to do with files (io_uring_enter(2)). */
enum RingOperation {
  /** IORING_OP_OPENAT: opens the file whose name is at an address. */
  OPEN(18),
  /** IORING_OP_READ: reads from an offset of a file to an address. */
  READ(22);

  private static final byte NO_FLAGS = 0;
  private static final short NONE = 0;

  private final byte code;

  RingOperation(int code) {
    this.code = (byte) code;
  }

  byte code() {
    return code;
  }

  /**
   * The operation, as the fields of an io_uring_sqe.
   *
   * @param flags of the operation's own kind
   * @param number what its completion says again
   */
  IoUringIoOps of(int descriptor, long offset, long address, int length, int flags, long number) {
    return new IoUringIoOps(
        code, NO_FLAGS, NONE, descriptor, offset, address, length, flags, number, NONE, NONE, 0, 0);
  }
}
