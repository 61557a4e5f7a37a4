package dev.varve.server.net.connection;

import dev.varve.server.command.run.CommandExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The requests that a turn runs between two looks at the sockets, in lots of {@link
 * CommandExecutor#LOOK_AHEAD}: how long they take is looked at between two of these, since asking
 * the clock costs as much as a short request.
 *
 * <p>Used by whoever has the turn.
 */
final class TurnTime {

  /** What takes longer goes on after the next look: others are not to wait for all of it. */
  private static final long NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(1);

  private int requests;
  private boolean isTimed;
  private long beganNanos;

  /** The sockets have been looked at. */
  void begin() {
    requests = 0;
    isTimed = false;
  }

  /** Counts a request in; whether it is the first of a lot. */
  boolean beginsLot() {
    return requests++ % CommandExecutor.LOOK_AHEAD == 0;
  }

  /**
   * Whether others are to have their turn before the lot that now begins. The first is not timed:
   * most turns have no other.
   */
  boolean isOver() {
    if (requests <= CommandExecutor.LOOK_AHEAD) {
      return false;
    }
    long now = System.nanoTime();
    if (!isTimed) {
      isTimed = true;
      beganNanos = now;
    }
    return now - beganNanos > NANOS_MAX;
  }
}
