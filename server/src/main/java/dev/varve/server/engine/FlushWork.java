package dev.varve.server.engine;

import dev.varve.lsm.LsmTree;
import dev.varve.wal.FailureReason;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Prepares log segments, writes memtables as tables, deletes files; and keeps the space of the
 * ballast, where there is one.
 *
 * <p>One worker runs it; any thread asks how it went.
 */
final class FlushWork implements BackgroundWork {
  private final LsmTree tree;

  /** Why the last flush failed; null since one has not. */
  private volatile @Nullable String failure;

  private volatile @Nullable Ballast ballast;

  FlushWork(LsmTree tree) {
    this.tree = tree;
  }

  /** Keeps this one from here on. Before it runs. */
  void keep(Ballast its) {
    ballast = its;
  }

  @Override
  public String name() {
    return "flush";
  }

  @Override
  public boolean runOnce() throws IOException {
    try {
      boolean worked = tree.maintain();
      failure = null;
      Ballast its = ballast;
      if (its != null) {
        its.keep();
      }
      return worked;
    } catch (IOException | RuntimeException | OutOfMemoryError failed) {
      failure = FailureReason.of(failed);
      throw failed;
    }
  }

  /** Why the last one failed, or null. */
  @Nullable String failure() {
    return failure;
  }

  /** Whether the space of the ballast was given up, and has not come back. */
  boolean isShortOfBallast() {
    Ballast its = ballast;
    return its != null && its.isReleased();
  }
}
