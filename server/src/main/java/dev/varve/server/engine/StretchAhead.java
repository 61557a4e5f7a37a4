package dev.varve.server.engine;

import org.jspecify.annotations.Nullable;

/**
 * The stretch that a walk will come to next, known without a search as long as it goes on in the
 * same direction and no stretch comes or goes. Keyspace loop only.
 */
final class StretchAhead {
  private final WalkCache cache;
  private @Nullable Stretch next;
  private int changes;
  private boolean isForward;

  StretchAhead(WalkCache cache) {
    this.cache = cache;
  }

  /** From now on it is {@code stretch}, or none if that is null. */
  void expect(@Nullable Stretch stretch, boolean forward) {
    next = stretch;
    changes = cache.changes();
    isForward = forward;
  }

  /** Whether it is known for a walk in this direction. */
  boolean isKnown(boolean forward) {
    return isForward == forward && changes == cache.changes();
  }

  /** Whether a row, whose suffix begins at {@code offset}, is in it. */
  boolean isMet(byte[] stored, int offset) {
    Stretch its = next;
    return its != null
        && (isForward ? its.startsAtOrBefore(stored, offset) : its.endsAfter(stored, offset));
  }
}
