package dev.varve.server.engine;

/**
 * Lets a key into a cache when it is missed a second time, unless too many others were missed
 * meanwhile: what is read once, by the thousand, would else push out what is in use (Einziger,
 * Friedman and Manes, "TinyLFU", 2017).
 *
 * <p>Keyspace loop only.
 */
final class Doorkeeper {
  /** By hash, the hash of the last key that was missed. */
  private final long[] missed;

  /**
   * @param slots a power of two; a key is remembered until about as many others have been missed
   */
  Doorkeeper(int slots) {
    missed = new long[slots];
  }

  /** Whether the key of this hash, which has just been missed, comes in. */
  boolean admits(long hash) {
    int slot = (int) hash & missed.length - 1;
    if (missed[slot] == hash) {
      return true;
    }
    missed[slot] = hash;
    return false;
  }
}
