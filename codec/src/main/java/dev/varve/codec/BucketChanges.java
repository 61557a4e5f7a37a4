package dev.varve.codec;

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
final class BucketChanges implements ResidentRows.Change {
  private static final int FIRST_CHANGES = 8;

  private final CountedBuckets buckets;
  private final int shape;
  private int[] levels = new int[FIRST_CHANGES];
  private int[] numbers = new int[FIRST_CHANGES];
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
   * Counts entries that came or went at a suffix, in the bucket of each level; false, and nothing
   * is counted, if that is not all that has to be done.
   */
  boolean add(byte[] suffix, long entries, RankFormat.Sizes sizes) {
    if (!isRoomFor(buckets.find(suffix), entries, sizes)) {
      return false;
    }
    entriesMoved += Math.abs(entries);
    for (int level = 0; level < buckets.levels(); level++) {
      note(level, buckets.level(level).find(suffix, 0), entries);
    }
    return true;
  }

  /** Counts an entry that went from one suffix to another; false as {@link #add} says. */
  boolean move(byte[] from, byte[] to, RankFormat.Sizes sizes) {
    int source = buckets.find(from);
    int target = buckets.find(to);
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
      source = buckets.level(level).find(from, 0);
      target = buckets.level(level).find(to, 0);
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
    if (count == levels.length) {
      levels = Arrays.copyOf(levels, 2 * count);
      numbers = Arrays.copyOf(numbers, 2 * count);
      deltas = Arrays.copyOf(deltas, 2 * count);
    }
    levels[count] = level;
    numbers[count] = bucket;
    deltas[count++] = delta;
  }

  @Override
  public void apply() {
    requireShape();
    for (int i = 0; i < count; i++) {
      buckets.add(levels[i], numbers[i], deltas[i]);
    }
  }

  /** Writes the rows as they will be, instead. */
  void intoRows(StoreBatch batch) {
    requireShape();
    Map<byte[], Long> sums = new IdentityHashMap<>();
    for (int i = 0; i < count; i++) {
      byte[] key = buckets.level(levels[i]).stored(numbers[i]);
      long sum = sums.merge(key, deltas[i], Long::sum);
      batch.put(key, buckets.row(levels[i], numbers[i], sum));
    }
  }

  private void requireShape() {
    if (buckets.shape() != shape) {
      throw new IllegalStateException("buckets came or went within a transaction");
    }
  }
}
