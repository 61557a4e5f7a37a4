package dev.varve.server.command;

/**
 * The attempts to serve clients that one look at the changes began: each is over at once, or when
 * what it needs was read from the disk.
 *
 * <p>Keyspace loop only.
 */
public final class Serving {
  private final Runnable afterwards;
  private int attempts;
  private boolean isAwaited;

  /**
   * @param afterwards what to run when the last attempt is over, if that is {@link #await awaited}
   */
  public Serving(Runnable afterwards) {
    this.afterwards = afterwards;
  }

  void attemptBegins() {
    attempts++;
  }

  void attemptEnds() {
    attempts--;
    if (attempts == 0 && isAwaited) {
      afterwards.run();
    }
  }

  /** All attempts have begun; whether they are over, so that nothing is to be run afterwards. */
  public boolean await() {
    isAwaited = attempts > 0;
    return !isAwaited;
  }
}
