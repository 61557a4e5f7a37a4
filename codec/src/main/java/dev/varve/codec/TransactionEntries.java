package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.BriefValue;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import org.jspecify.annotations.Nullable;

/**
 * The entries as a transaction sees them: those of its view, with what it has written over them.
 *
 * <p>Belongs to the thread of its transaction.
 */
final class TransactionEntries {
  private final Store store;
  private final StoreView view;
  private final StoreBatch batch = new StoreBatch();
  private boolean readsOnly;

  TransactionEntries(Store store, StoreView view) {
    this.store = store;
    this.view = view;
  }

  StoreView view() {
    return view;
  }

  /** The writes so far. What is put there is seen here. */
  StoreBatch batch() {
    return batch;
  }

  /** As {@link Transaction#promiseReadsOnly} says. */
  void promiseReadsOnly() {
    readsOnly = true;
  }

  /** The value of a stored key, or null. Nobody changes the array. */
  byte @Nullable [] get(byte[] stored) {
    byte[] written = written(stored);
    if (written != null) {
      return written == StoreBatch.DELETED ? null : written;
    }
    return isOfNewVersion(stored) ? null : view.get(stored);
  }

  /** The same, as {@link StoreView#getBriefly} says. */
  @Nullable BriefValue getBriefly(byte[] stored) {
    byte[] written = written(stored);
    return written == null ? view.getBriefly(stored) : live(written);
  }

  /** The same, as {@link StoreView#getStart} says. */
  @Nullable BriefValue getStart(byte[] stored, int bytes) {
    byte[] written = written(stored);
    return written == null ? view.getStart(stored, bytes) : live(written);
  }

  private static @Nullable BriefValue live(byte[] written) {
    return BriefValue.of(written == StoreBatch.DELETED ? null : written);
  }

  /** What this transaction has done to a stored key, as {@link StoreBatch#get} says it. */
  private byte @Nullable [] written(byte[] stored) {
    return batch.writeCount() == 0 ? null : batch.get(stored);
  }

  /**
   * Whether the key is of a collection that began in this transaction. The view must not be asked:
   * a filter may say by mistake that a block has it, another one for the version of each run again.
   */
  private boolean isOfNewVersion(byte[] stored) {
    return batch.sequencesReserved() > 0
        && KeyFormat.isOfCollection(stored)
        && KeyFormat.version(stored) >= store.nextSequence();
  }

  /** As {@link Transaction#cursor(byte[])} says. */
  StoreCursor cursor(byte[] end) {
    StoreCursor stored = view.cursor(end);
    return readsOnly && batch.writeCount() == 0 ? stored : new OverlayCursor(stored, batch, end);
  }

  /** A version that no collection ever had. */
  long newVersion() {
    return store.nextSequence() + batch.reserveSequence();
  }

  /** A counter, own changes included. */
  long counter(long id) {
    return store.counter(id) + batch.delta(id);
  }
}
