package dev.varve.server.command;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The times that a command was told, to be told again when it runs a second time for the same
 * reply. Used by one thread.
 */
final class WallTimes {
  private final Supplier<Instant> clock;
  private final List<Instant> told = new ArrayList<>(0);
  private int next;

  WallTimes(Supplier<Instant> clock) {
    this.clock = clock;
  }

  /** What it is now, or was when this was asked before {@link #rewind}. */
  Instant next() {
    if (next == told.size()) {
      told.add(clock.get());
    }
    return told.get(next++);
  }

  /** From here on the same again. */
  void rewind() {
    next = 0;
  }

  void forget() {
    if (!told.isEmpty()) {
      told.clear();
      next = 0;
    }
  }
}
