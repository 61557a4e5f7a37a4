package dev.varve.server.command.run;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The times that a command was told, to be told again when it runs a second time: for the same
 * reply, or after a block was cold. Used by one thread.
 */
final class WallTimes {
  /** What is kept for a run after a cold block; a script that waits for a moment asks for more. */
  private static final int RETRY_TIMES_MAX = 64;

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

  /** The same where the whole need not be told again, only the first of it. */
  Instant nextOfMany() {
    return next < RETRY_TIMES_MAX ? next() : clock.get();
  }

  /** From here on the same again. */
  void rewind() {
    next = 0;
  }

  /** The first of them, for a run that begins anew. */
  List<Instant> told() {
    return List.copyOf(told);
  }

  /** Begins anew, with what an earlier run was told. */
  void begin(List<Instant> earlier) {
    if (!told.isEmpty()) {
      told.clear();
    }
    if (!earlier.isEmpty()) {
      told.addAll(earlier);
    }
    next = 0;
  }
}
