package dev.varve.codec.rank;

import dev.varve.codec.store.ResidentRows;
import dev.varve.codec.store.StoreBatch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What one transaction adds to the counted buckets of one collection, as long as that needs no
 * bucket divided or merged.
 *
 * <p>Writer thread only; belongs to its transaction, and to the store from the write on.
 */
public final class BucketChanges implements ResidentRows.Change {
  /** A member that moves changes a bucket or two of each level. */
  private static final int FIRST_CHANGES = 4;

  /** More than a few members change: sums are kept then, a number for each bucket there is. */
  private static final int CHANGES_MAX = 32;

  private final CountedBuckets buckets;
  private final int shape;

  /** Level and bucket, as {@link CountedBuckets#place} says. */
  private int[] places = new int[FIRST_CHANGES];

  private long[] deltas = new long[FIRST_CHANGES];
  private int count;

  /** No bucket of level 0 has gained or lost more entries than that: as long as there are few. */
  private long entriesMoved;

  /** What each bucket of each level has gained, instead of {@link #places}, once they are many. */
  private long @Nullable [][] sums;

  BucketChanges(CountedBuckets buckets) {
    this.buckets = buckets;
    this.shape = buckets.shape();
  }

  @Override
  public CountedBuckets rows() {
    return buckets;
  }

  /**
   * Counts entries that came or went, in the bucket of each level; false, and nothing is counted,
   * if that is not all that has to be done.
   *
   * @param key of one of them; what is in front of its suffix does not count
   */
  public boolean add(byte[] key, long entries, RankFormat.Sizes sizes) {
    int suffix = buckets.suffixOffset();
    if (!isRoomFor(buckets.level(0).find(key, suffix), entries, sizes)) {
      return false;
    }
    entriesMoved += Math.abs(entries);
    for (int level = 0; level < buckets.levels(); level++) {
      note(level, buckets.level(level).find(key, suffix), entries);
    }
    return true;
  }

  /** Counts an entry whose key changed from one to another; false as {@link #add} says. */
  public boolean move(byte[] from, byte[] to, RankFormat.Sizes sizes) {
    int suffix = buckets.suffixOffset();
    int source = buckets.level(0).find(from, suffix);
    int target = buckets.level(0).find(to, suffix);
    if (source == target) {
      return true;
    }
    if (!isRoomFor(source, -1, sizes) || !isRoomFor(target, 1, sizes)) {
      return false;
    }
    entriesMoved++;
    // Buckets nest: above one that both are in, nothing changes.
    for (int level = 0; source != target; ) {
      note(level, source, -1);
      note(level, target, 1);
      if (++level == buckets.levels()) {
        break;
      }
      source = buckets.level(level).find(from, suffix);
      target = buckets.level(level).find(to, suffix);
    }
    return true;
  }

  private boolean isRoomFor(int bucket, long entries, RankFormat.Sizes sizes) {
    long now = buckets.level(0).entries(bucket) + entries;
    if (sums != null) {
      long then = now + sums[0][bucket];
      return entries > 0 ? then <= sizes.entriesMax() : then >= sizes.entriesMin();
    }
    return entries > 0
        ? now + entriesMoved <= sizes.entriesMax()
        : now - entriesMoved >= sizes.entriesMin();
  }

  private void note(int level, int bucket, long delta) {
    if (sums == null && count == CHANGES_MAX) {
      sums = sums();
    }
    if (sums != null) {
      sums[level][bucket] += delta;
      return;
    }
    if (count == places.length) {
      deltas = Arrays.copyOf(deltas, 2 * count);
      // Last, since its length is looked at: there may be no memory for both.
      places = Arrays.copyOf(places, 2 * count);
    }
    places[count] = CountedBuckets.place(level, bucket);
    deltas[count++] = delta;
  }

  private long[][] sums() {
    if (sums != null) {
      return sums;
    }
    long[][] all = new long[buckets.levels()][];
    for (int level = 0; level < all.length; level++) {
      all[level] = new long[buckets.level(level).count()];
    }
    for (int i = 0; i < count; i++) {
      all[CountedBuckets.levelOf(places[i])][CountedBuckets.bucketOf(places[i])] += deltas[i];
    }
    return all;
  }

  @Override
  public void apply() {
    requireShape();
    if (sums != null) {
      forEachSum(buckets::add);
      return;
    }
    for (int i = 0; i < count; i++) {
      buckets.add(CountedBuckets.levelOf(places[i]), CountedBuckets.bucketOf(places[i]), deltas[i]);
    }
  }

  /** Writes the rows as they will be, instead. */
  void intoRows(StoreBatch batch) {
    requireShape();
    forEachSum(
        (level, bucket, sum) ->
            batch.put(buckets.level(level).stored(bucket), buckets.row(level, bucket, sum)));
  }

  /** Receives what a bucket gains. */
  private interface SumVisitor {
    void sum(int level, int bucket, long sum);
  }

  private void forEachSum(SumVisitor visitor) {
    long[][] all = sums();
    for (int level = 0; level < all.length; level++) {
      for (int bucket = 0; bucket < all[level].length; bucket++) {
        if (all[level][bucket] != 0) {
          visitor.sum(level, bucket, all[level][bucket]);
        }
      }
    }
  }

  private void requireShape() {
    if (buckets.shape() != shape) {
      throw new IllegalStateException("buckets came or went within a transaction");
    }
  }
}
