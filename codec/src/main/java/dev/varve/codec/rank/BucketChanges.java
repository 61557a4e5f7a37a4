package dev.varve.codec.rank;

import dev.varve.codec.store.ResidentRows;
import dev.varve.codec.store.StoreBatch;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * What one transaction adds to the counted buckets of one collection, as long as that needs no
 * bucket divided or merged.
 *
 * <p>Writer thread only; belongs to its transaction, and to the store from the write on.
 */
public final class BucketChanges implements ResidentRows.Change {
  /** A member that moves changes a bucket or two of each level. */
  private static final int FIRST_CHANGES = 4;

  private final CountedBuckets buckets;
  private final int shape;

  /** Level and bucket, as {@link CountedBuckets#place} says. */
  private int[] places = new int[FIRST_CHANGES];

  private long[] deltas = new long[FIRST_CHANGES];
  private int count;

  /** No bucket of level 0 has gained or lost more entries than that. */
  private long entriesMoved;

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
    return entries > 0
        ? now + entriesMoved <= sizes.entriesMax()
        : now - entriesMoved >= sizes.entriesMin();
  }

  private void note(int level, int bucket, long delta) {
    if (count == places.length) {
      deltas = Arrays.copyOf(deltas, 2 * count);
      // Last, since its length is looked at: there may be no memory for both.
      places = Arrays.copyOf(places, 2 * count);
    }
    places[count] = CountedBuckets.place(level, bucket);
    deltas[count++] = delta;
  }

  @Override
  public void apply() {
    requireShape();
    for (int i = 0; i < count; i++) {
      buckets.add(CountedBuckets.levelOf(places[i]), CountedBuckets.bucketOf(places[i]), deltas[i]);
    }
  }

  /** Writes the rows as they will be, instead. */
  void intoRows(StoreBatch batch) {
    requireShape();
    Map<byte[], Long> sums = new IdentityHashMap<>();
    for (int i = 0; i < count; i++) {
      int level = CountedBuckets.levelOf(places[i]);
      int bucket = CountedBuckets.bucketOf(places[i]);
      byte[] key = buckets.level(level).stored(bucket);
      long sum = sums.merge(key, deltas[i], Long::sum);
      batch.put(key, buckets.row(level, bucket, sum));
    }
  }

  private void requireShape() {
    if (buckets.shape() != shape) {
      throw new IllegalStateException("buckets came or went within a transaction");
    }
  }
}
