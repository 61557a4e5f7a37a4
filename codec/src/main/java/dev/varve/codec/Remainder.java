package dev.varve.codec;

/** What stays of a spread collection of which most goes. Pure functions, for any thread. */
public final class Remainder {
  /** Fewer are removed one by one. */
  private static final long REMOVED_MIN = 256;

  private Remainder() {}

  /**
   * Whether it is so much less than what goes that it is to be written anew, so that the collection
   * dies as a whole: what goes is neither read nor written then.
   */
  public static boolean isWrittenAnew(long kept, long removed) {
    return removed >= REMOVED_MIN && kept <= removed / 2;
  }
}
