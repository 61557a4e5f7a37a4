package dev.varve.server.net.background;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The time that commands go by: the system's, but when that goes back it stands still until every
 * key that clients have seen expire is deleted. Then it goes back too, so that no such key comes to
 * life again, and what expires later does so after as long as it was told to.
 *
 * <p>Any thread.
 */
public final class HeldClock implements LongSupplier {
  private final LongSupplier system;
  private final AtomicLong latestMillis;

  /**
   * @param system ms since 1970
   * @param markMillis what the clock of an earlier process has shown while keys expired
   */
  public HeldClock(LongSupplier system, long markMillis) {
    this.system = system;
    this.latestMillis = new AtomicLong(Math.max(system.getAsLong(), markMillis));
  }

  /** Ms since 1970. */
  @Override
  public long getAsLong() {
    long systemMillis = system.getAsLong();
    long latest = latestMillis.get();
    while (systemMillis > latest) {
      if (latestMillis.compareAndSet(latest, systemMillis)) {
        return systemMillis;
      }
      latest = latestMillis.get();
    }
    return latest;
  }

  /** The system's time, which this clock may be ahead of. */
  long systemMillis() {
    return system.getAsLong();
  }

  /** It is the system's time again: what it let expire is for somebody else to delete. */
  void follow() {
    swept(latestMillis.get());
  }

  /** No key is left that had expired at {@code millis}, a reading of this clock. */
  void swept(long millis) {
    long systemMillis = system.getAsLong();
    if (systemMillis < millis) {
      // Not if it has gone on since: there is a later moment to sweep up to.
      latestMillis.compareAndSet(millis, systemMillis);
    }
  }
}
