package dev.varve.compaction;

/**
 * Says how long to wait after each spending, so that spending keeps to a rate. Pure but for its own
 * state; for one thread at a time.
 */
final class TokenBucket {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  /** An idle bucket saves up no more than this, so that a pass starts gently. */
  static final long BURST_NANOS = 10_000_000L;

  /** When all that was spent so far is paid off. */
  private long paidOffNanos;

  TokenBucket(long nowNanos) {
    this.paidOffNanos = nowNanos;
  }

  /** Spends bytes at a rate; returns the nanoseconds to wait before the next spending. */
  long spend(long bytes, long bytesPerSecond, long nowNanos) {
    if (nowNanos - paidOffNanos > BURST_NANOS) {
      paidOffNanos = nowNanos - BURST_NANOS;
    }
    paidOffNanos += (long) ((double) bytes * NANOS_PER_SECOND / bytesPerSecond);
    return Math.max(0, paidOffNanos - nowNanos);
  }
}
