package dev.varve.server.command.listen;

import org.jspecify.annotations.Nullable;

/**
 * The thread that something without locks belongs to: the first that comes. For assertions alone,
 * so that tests fail where another one comes, and nothing is paid for it where they are off.
 */
final class OneThread {
  private @Nullable Thread owner;

  /** Whether this is that thread. */
  boolean isHere() {
    Thread here = Thread.currentThread();
    if (owner == null) {
      owner = here;
    }
    return owner == here;
  }
}
