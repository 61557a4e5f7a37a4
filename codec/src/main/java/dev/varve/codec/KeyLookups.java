package dev.varve.codec;

import org.jspecify.annotations.Nullable;

/**
 * How many keys commands have looked up to read them: each argument counts once, however often a
 * command looks it up.
 *
 * <p>Belongs to the thread of its transaction.
 */
public final class KeyLookups {
  // Arguments are told apart by their arrays.
  private byte @Nullable [] lastFound;
  private byte @Nullable [] lastMissed;
  private long hits;
  private long misses;

  void found(byte[] key) {
    if (key != lastFound) {
      lastFound = key;
      hits++;
    }
  }

  /** A key is not there; whether that is new. */
  boolean missed(byte[] key) {
    if (key == lastMissed) {
      return false;
    }
    lastMissed = key;
    misses++;
    return true;
  }

  /** From here on a command looks its keys up anew: each counts again. */
  public void forgetLast() {
    lastFound = null;
    lastMissed = null;
  }

  /** Keys that were there. */
  public long hits() {
    return hits;
  }

  /** Keys that were not. */
  public long misses() {
    return misses;
  }
}
