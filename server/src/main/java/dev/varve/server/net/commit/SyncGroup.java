package dev.varve.server.net.commit;

/**
 * Decides when those who wait for a sync of the log are enough for one.
 *
 * <p>Clients that wait for their replies come back together: a sync that starts with the first of
 * them is one for it alone, and all others wait for the next. So a sync waits for as many as the
 * last one met, while they keep coming.
 *
 * <p>Has no clock of its own. Used by one thread.
 */
final class SyncGroup {

  /**
   * Nobody else comes when nobody has for this long, ns: several times what a loop needs to read
   * and carry out one command, and less than a sync of a fast device.
   */
  static final long QUIET_NANOS = 50_000;

  /** The longest that the first of a group waits for others, ns. */
  static final long GATHER_NANOS_MAX = 1_000_000;

  private int expected;
  private long beganNanos;
  private long lastNanos;

  /** A sync is over, and {@code waiting} waited for it or for the next. */
  void met(int waiting) {
    expected = waiting;
  }

  /** The first of a new group has written. */
  void begin(long nowNanos) {
    beganNanos = nowNanos;
    lastNanos = nowNanos;
  }

  /** Something further was written. */
  void joined(long nowNanos) {
    lastNanos = nowNanos;
  }

  /** Whether the sync should start now that {@code waiting} wait for it. */
  boolean isComplete(int waiting, long nowNanos) {
    return waiting >= expected
        || nowNanos - lastNanos >= QUIET_NANOS
        || nowNanos - beganNanos >= GATHER_NANOS_MAX;
  }

  /** When {@link #isComplete} will be true if nobody joins any more, ns from now. */
  long nanosLeft(long nowNanos) {
    long quiet = lastNanos + QUIET_NANOS - nowNanos;
    long end = beganNanos + GATHER_NANOS_MAX - nowNanos;
    return Math.max(0, Math.min(quiet, end));
  }
}
