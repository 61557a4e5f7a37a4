package dev.varve.codec.store;

/**
 * An ordered, durable set of entries with atomic batches.
 *
 * <p>One thread writes; any thread opens views and reads counters (see the package).
 */
public interface Store {

  /** The latest published state, for a reader on any thread. The caller closes it. */
  StoreView view();

  /**
   * The state with everything written so far, published or not, for the writer thread only. The
   * caller closes it; it need not see batches written after it was opened.
   */
  StoreView writerView();

  /**
   * The first sequence number that the next batch gets. It only grows, survives restarts and
   * crashes, and no number is ever given to two batches. Writer thread only.
   */
  long nextSequence();

  /**
   * Applies all of {@code changes}, or none of it. They take at least {@link
   * StoreChanges#sequencesReserved()} sequence numbers, from {@link #nextSequence()} on. They and
   * the arrays in them belong to the store from then on. Writer thread only.
   */
  void write(StoreChanges changes);

  /**
   * The sum of the deltas for the counter {@code id} in all batches that {@link #view} shows, or on
   * the writer thread {@link #writerView}; zero if none. A counter at zero need not be kept.
   */
  long counter(long id);
}
