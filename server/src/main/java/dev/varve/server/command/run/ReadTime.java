package dev.varve.server.command.run;

import dev.varve.codec.store.ReadMeter;
import dev.varve.server.resp.ReplyBuffer;

/**
 * The time in which one read has held its thread. When it is over, {@link LongReadSignal} ends that
 * read; a read that may take as long as it likes, since its reply leaves while it is made, ends
 * when nobody wants that any more.
 *
 * <p>Used by the thread that reads.
 */
final class ReadTime implements ReadMeter {
  /** So many take 0.1 ms, or perhaps 0.5: most reads take fewer, and look at no clock. */
  private static final int STEPS_PER_LOOK = 256;

  private final ReplyBuffer reply;
  private int stepsLeft;
  private long nanosMax;

  /** Whether the clock was looked at, and that was at {@link #fromNanos}. */
  private boolean isBegun;

  private long fromNanos;

  /**
   * @param reply what is read for
   */
  ReadTime(ReplyBuffer reply) {
    this.reply = reply;
  }

  /** A read begins that may take so long, unless its reply leaves in pieces. */
  void begin(long itsNanosMax) {
    stepsLeft = STEPS_PER_LOOK;
    nanosMax = itsNanosMax;
    isBegun = false;
  }

  @Override
  public void step() {
    if (--stepsLeft < 0) {
      stepsLeft = STEPS_PER_LOOK;
      look();
    }
  }

  private void look() {
    if (reply.isStreaming()) {
      reply.check();
      return;
    }
    long now = System.nanoTime();
    if (!isBegun) {
      isBegun = true;
      fromNanos = now;
    }
    if (now - fromNanos >= nanosMax) {
      throw LongReadSignal.INSTANCE;
    }
  }
}
