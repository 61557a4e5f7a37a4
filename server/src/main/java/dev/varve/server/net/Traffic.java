package dev.varve.server.net;

import java.util.concurrent.atomic.LongAdder;

/**
 * Bytes that went in and out.
 *
 * <p>Any thread.
 */
final class Traffic {
  private final LongAdder inBytes = new LongAdder();
  private final LongAdder outBytes = new LongAdder();

  void in(int bytes) {
    inBytes.add(bytes);
  }

  void out(int bytes) {
    outBytes.add(bytes);
  }

  long inBytes() {
    return inBytes.sum();
  }

  long outBytes() {
    return outBytes.sum();
  }
}
