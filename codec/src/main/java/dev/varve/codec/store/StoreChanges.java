package dev.varve.codec.store;

/** Puts, deletes and counter deltas that take effect together. Used by the writer thread. */
public interface StoreChanges {

  /**
   * Hands everything to {@code visitor}, each key at most once. The arrays belong to the visitor
   * from then on.
   */
  void accept(StoreBatch.Visitor visitor);

  /** No more bytes of keys and values than this are in it; the largest number if nobody counts. */
  default long bytesMax() {
    return Long.MAX_VALUE;
  }

  /** About how many keys are put or deleted; 0 if nobody counts. */
  default int writeCount() {
    return 0;
  }

  /** How many sequence numbers the content uses as versions; it must get that many. */
  default int sequencesReserved() {
    return 0;
  }
}
