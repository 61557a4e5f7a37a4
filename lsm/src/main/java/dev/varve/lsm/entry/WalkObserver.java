package dev.varve.lsm.entry;

/** Is told when a reader had to walk over many entries that it does not see. For any thread. */
@FunctionalInterface
public interface WalkObserver {

  /** So many hidden keys in a row are worth telling. */
  int HIDDEN_KEYS_MIN = 1_000;

  /** Nobody wants to know. */
  WalkObserver NONE = (from, toExclusive, hiddenKeys) -> {};

  /**
   * Nothing was visible between these keys. Called on the reader's thread, which must not be kept.
   *
   * @param hiddenKeys how many keys without a visible value were stepped over
   */
  void walkedOver(byte[] from, byte[] toExclusive, long hiddenKeys);
}
