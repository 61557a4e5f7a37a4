package dev.varve.server.config;

import java.util.concurrent.TimeUnit;

/**
 * For how long a client has left more unread than the soft part of its limit allows, as it is told
 * from time to time.
 *
 * <p>For one thread.
 */
public final class SoftLimit {
  private boolean isAbove;
  private long sinceNanos;

  /** Notes how much is unread now. Returns whether it has been too much for too long. */
  public boolean isExceeded(long bytes, OutputBufferLimit limit, long nowNanos) {
    if (limit.softBytes() == 0 || bytes <= limit.softBytes()) {
      isAbove = false;
      return false;
    }
    if (!isAbove) {
      isAbove = true;
      sinceNanos = nowNanos;
    }
    return nowNanos - sinceNanos > allowedNanos(limit);
  }

  /** Whether it was too much when that was asked last. */
  public boolean isAbove() {
    return isAbove;
  }

  /** After more than that it is too long. */
  public static long allowedNanos(OutputBufferLimit limit) {
    return TimeUnit.SECONDS.toNanos(limit.softSeconds());
  }
}
