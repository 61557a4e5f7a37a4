package dev.varve.server.command.run;

import dev.varve.codec.store.StepMeter;
import dev.varve.server.resp.ReplyBuffer;

/**
 * The time in which one run has held its thread. When it is over, a signal ends that run; a read
 * that may take as long as it likes, since its reply leaves while it is made, ends when nobody
 * wants that any more.
 *
 * <p>Used by the thread that runs.
 */
final class RunTime implements StepMeter {
  /** So many of a read take 0.1 ms, or perhaps 0.5: most take fewer, and look at no clock. */
  static final int READ_STEPS_PER_LOOK = 256;

  /** What is read in a few steps of a walk takes longer to write elsewhere. */
  static final int WRITE_STEPS_PER_LOOK = 32;

  private final ReplyBuffer reply;
  private int stepsLeft;
  private int stepsPerLook;
  private long nanosMax;
  private RuntimeException signal = LongReadSignal.INSTANCE;

  /** Whether the clock was looked at, and that was at {@link #fromNanos}. */
  private boolean isBegun;

  private long fromNanos;

  /**
   * @param reply what it is for
   */
  RunTime(ReplyBuffer reply) {
    this.reply = reply;
  }

  /** As long as it takes to do so many steps; for tests. */
  static long steps(int count) {
    return ~(long) count;
  }

  /**
   * A run begins that may take so long, unless its reply leaves in pieces.
   *
   * @param itsNanosMax may be {@link #steps}
   * @param itsSignal ends it
   * @param itsStepsPerLook after how many steps it is looked at the clock
   */
  void begin(long itsNanosMax, RuntimeException itsSignal, int itsStepsPerLook) {
    stepsPerLook = itsStepsPerLook;
    stepsLeft = itsNanosMax < 0 ? (int) ~itsNanosMax : itsStepsPerLook;
    nanosMax = itsNanosMax;
    signal = itsSignal;
    isBegun = false;
  }

  /** The run is over: no step ends anything. */
  void end() {
    stepsLeft = Integer.MAX_VALUE;
    nanosMax = Long.MAX_VALUE;
  }

  @Override
  public void step() {
    if (--stepsLeft < 0) {
      stepsLeft = stepsPerLook;
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
      throw signal;
    }
  }
}
