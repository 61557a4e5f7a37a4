package dev.varve.wal;

import java.io.IOException;

/**
 * A sync failed earlier, so the state of the unsynced bytes is unknown: nothing more may be built
 * on this file. The cause is that first failure.
 */
public final class LogPoisonedException extends IOException {
  private static final long serialVersionUID = 1L;

  public LogPoisonedException(String file, Throwable firstFailure) {
    super(
        "file " + file + " is not written any more since a sync failed: " + firstFailure,
        firstFailure);
  }
}
