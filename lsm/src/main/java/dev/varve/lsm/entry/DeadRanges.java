package dev.varve.lsm.entry;

import org.jspecify.annotations.Nullable;

/**
 * Sorted, disjoint key ranges whose entries are dead, walked forward beside a pass's sorted input.
 * For one thread; close it when the pass ends.
 */
public interface DeadRanges extends AutoCloseable {

  /** No range at all: nothing is dead. */
  DeadRanges NONE = new NoDeadRanges(true);

  /** No range, since what is dead cannot be told at present: the pass drops less than it might. */
  DeadRanges UNTOLD = new NoDeadRanges(false);

  /**
   * Moves to the first range whose end is after {@code key[0, length)}; keys must not go backwards.
   * Returns whether there is one: {@link #start()} and {@link #endExclusive()} are it then. A key
   * is inside if it is not before start.
   */
  boolean advanceTo(byte[] key, int length);

  /** The current range's first key, or null if there is no current range. */
  byte @Nullable [] start();

  /** The first key after the current range, or null if there is no current range. */
  byte @Nullable [] endExclusive();

  /**
   * Whether a single entry outside any range is dead too: for what dies scattered rather than in a
   * row. Must be cheap: asked for every key a pass keeps.
   */
  boolean isDead(byte[] key, int length);

  /**
   * Whether these have been all there are up to the horizon, as far as the pass has come, so that
   * nothing that is dead stays.
   */
  default boolean areAll() {
    return true;
  }

  @Override
  void close();
}
