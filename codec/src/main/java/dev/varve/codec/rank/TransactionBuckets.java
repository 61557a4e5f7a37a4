package dev.varve.codec.rank;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.ResidentRows;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreView;
import org.jspecify.annotations.Nullable;

/**
 * The counted buckets that a transaction finds in memory, and its changes of them. Something that
 * needs the rows ends that: from there on the transaction counts in rows, its changes so far
 * included.
 *
 * <p>Single-threaded, one for each transaction that asks for it.
 */
public final class TransactionBuckets {
  private final StoreView view;
  private final StoreBatch batch;
  private boolean countsInRows;

  public TransactionBuckets(StoreView view, StoreBatch batch) {
    this.view = view;
    this.batch = batch;
  }

  /**
   * The buckets of a collection, to read; null if what the transaction reads of them is in the
   * rows.
   */
  public @Nullable CountedBuckets toRead(CollectionKeys keys, int levels) {
    if (!batch.changes().isEmpty()) {
      countInRows();
    }
    return resident(keys, levels);
  }

  /** What the transaction changes of them; null if it has to do so by the rows. */
  public @Nullable BucketChanges toChange(CollectionKeys keys, int levels) {
    CountedBuckets buckets = resident(keys, levels);
    if (buckets == null) {
      return null;
    }
    for (ResidentRows.Change change : batch.changes()) {
      if (change.rows() == buckets) {
        return (BucketChanges) change;
      }
    }
    BucketChanges changes = new BucketChanges(buckets);
    batch.change(changes);
    return changes;
  }

  private @Nullable CountedBuckets resident(CollectionKeys keys, int levels) {
    if (countsInRows) {
      return null;
    }
    // What comes in may displace others, but not those that this transaction changes.
    ResidentRows.@Nullable Loader loader = batch.changes().isEmpty() ? CountedBuckets::load : null;
    ResidentRows rows = view.resident(keys.prefix(KeyFormat.RANK), loader);
    return rows instanceof CountedBuckets buckets && buckets.levels() == levels ? buckets : null;
  }

  /** From here on the transaction counts in rows. */
  public void countInRows() {
    countsInRows = true;
    for (ResidentRows.Change change : batch.changes()) {
      ((BucketChanges) change).intoRows(batch);
    }
    batch.dropChanges();
  }
}
