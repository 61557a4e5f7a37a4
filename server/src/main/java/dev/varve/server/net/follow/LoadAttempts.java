package dev.varve.server.net.follow;

/**
 * When all data of a master is asked for again that could not be loaded: a second later at first,
 * then after twice as long each time. A dump costs the master a walk over all that it has, and one
 * that does not fit here will not fit a second later.
 *
 * <p>Has no clock: it is asked once a second. Single-threaded.
 */
final class LoadAttempts {
  /** The longest pause is 2 to this power, in seconds. */
  private static final int DOUBLINGS_MAX = 4;

  private int failures;
  private int secondsLeft;

  /** One has failed. */
  void failed() {
    secondsLeft = 1 << Math.min(failures, DOUBLINGS_MAX);
    failures++;
  }

  /** One has not, or another master is followed. */
  void forget() {
    failures = 0;
    secondsLeft = 0;
  }

  /** A second has gone by: whether the master may be asked again. */
  boolean isNextDue() {
    secondsLeft = Math.max(0, secondsLeft - 1);
    return secondsLeft == 0;
  }
}
