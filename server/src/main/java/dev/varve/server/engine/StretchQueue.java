package dev.varve.server.engine;

import org.jspecify.annotations.Nullable;

/**
 * The stretches that are kept, in the order in which they came or were last found in use.
 *
 * <p>Keyspace loop only.
 */
/*
 * The links are in the stretches: one that writes have emptied leaves at once, from wherever it stands.
 */
final class StretchQueue {
  private @Nullable Stretch first;
  private @Nullable Stretch last;
  private int size;

  int size() {
    return size;
  }

  /** The oldest; there is one. */
  Stretch first() {
    Stretch its = first;
    if (its == null) {
      throw new IllegalStateException("nothing is kept");
    }
    return its;
  }

  /** Adds one that is not here, as the newest. */
  void add(Stretch stretch) {
    Stretch before = last;
    stretch.older = before;
    if (before == null) {
      first = stretch;
    } else {
      before.newer = stretch;
    }
    last = stretch;
    size++;
  }

  /** Makes one that is here the newest. */
  void renew(Stretch stretch) {
    remove(stretch);
    add(stretch);
  }

  /** Takes out one that is here. */
  void remove(Stretch stretch) {
    Stretch before = stretch.older;
    Stretch after = stretch.newer;
    if (before == null) {
      first = after;
    } else {
      before.newer = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.older = before;
    }
    stretch.older = null;
    stretch.newer = null;
    size--;
  }
}
