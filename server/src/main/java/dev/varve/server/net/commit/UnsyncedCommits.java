package dev.varve.server.net.commit;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * For how long commits have been in the log without a sync behind them: what is acknowledged before
 * that sync may be lost with the power, and that is to be no more than {@link #LATE_NANOS} bring.
 *
 * <p>Has no clock of its own. One thread commits, another syncs, one sync after the other.
 */
final class UnsyncedCommits {
  static final int LATE_SECONDS = 2;

  /** A sync that is to come each second is late when its oldest commit is so old, ns. */
  static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(LATE_SECONDS);

  /** Whether anything was committed since the last sync began; and when, the first of it. */
  private volatile boolean isAny;

  private volatile long oldestNanos;

  /** Whether a sync has begun; and when the oldest was committed that it is for. */
  private volatile boolean isSyncing;

  private volatile long oldestSyncingNanos;

  /** Something is in the log now. Committing thread. */
  void committed(LongSupplier nanos) {
    // A sync that begins from now on has it, whether or not it finds this set.
    if (!isAny) {
      oldestNanos = nanos.getAsLong();
      isAny = true;
    }
  }

  /** Whether a sync would be for anything. Any thread. */
  boolean isAny() {
    return isAny;
  }

  /** Whether a sync is under way. Any thread. */
  boolean isSyncing() {
    return isSyncing;
  }

  /** Whether nothing more should be acknowledged before a sync is over. Committing thread. */
  boolean isLate(long nowNanos) {
    // In this order: one that begins in between is for what is looked at then.
    return (isAny && nowNanos - oldestNanos >= LATE_NANOS)
        || (isSyncing && nowNanos - oldestSyncingNanos >= LATE_NANOS);
  }

  /** What is committed from now on may not be in the sync that comes. Syncing thread. */
  void syncBegins() {
    if (isAny) {
      oldestSyncingNanos = oldestNanos;
      isSyncing = true;
    }
    // In this order: what is committed in between is synced, and looks as if it were not.
    isAny = false;
  }

  /** It is over: there is nothing more to come of it, well or not. Syncing thread. */
  void syncEnds() {
    isSyncing = false;
  }

  /** It has not been tried, and all that it was for is for the next one. Syncing thread. */
  void syncIsLeft() {
    oldestNanos = oldestSyncingNanos;
    isAny = true;
    isSyncing = false;
  }
}
