package dev.varve.lsm.table;

import dev.varve.wal.CorruptionException;

/**
 * Is told of every damaged block that a read met. Called on the reading thread, at most briefly.
 */
@FunctionalInterface
public interface CorruptionListener {

  /** Nobody counts. */
  CorruptionListener NONE = damage -> {};

  void onCorruption(CorruptionException damage);
}
