package dev.varve.codec.rank;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.store.ResidentRows;
import dev.varve.codec.store.StoreCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All counted buckets of one collection in memory, as {@link ResidentRows}: what a change of its
 * entries counts is added to numbers in arrays, and the rows are written once for all changes of a
 * pass.
 *
 * <p>Writer thread only.
 */
public final class CountedBuckets implements ResidentRows {
  /*
   * A member that gets another score changes up to two buckets of each level. As rows these are found by
   * a cursor each, and written each: a third of what a ZADD cost. Here a bucket is found by a search in an
   * array, and hundreds of changes of a pass write each bucket once.
   *
   * Only the counts change here. What divides and merges buckets works on rows (RankWriter), of which
   * this is told like the store is; it begins when the rows are settled, since it reads them.
   */

  /** Of more buckets than that the rows are used: a million entries have some three thousand. */
  static final int BUCKETS_MAX = 1 << 13;

  /** More than a level has, however many are added to those that were loaded. */
  private static final int BUCKET_BITS = 26;

  /** Beside its stored key: header of the array, reference, three numbers, flag. */
  private static final int BUCKET_BYTES = 16 + 4 + 3 * Long.BYTES + 1;

  private final byte[] prefix;
  private final List<BucketLevel> levels = new ArrayList<>(2);

  /** What has changed, as {@link #place} says. */
  private int[] changed = new int[16];

  private int changes;

  /** Moves on whenever buckets come or go: their numbers are others then. */
  private int shape;

  private CountedBuckets(byte[] prefix) {
    this.prefix = prefix;
  }

  /** As {@link ResidentRows.Loader} says. */
  static @Nullable CountedBuckets load(byte[] prefix, StoreCursor cursor) {
    try {
      return read(prefix, cursor);
    } catch (DamagedValueException damaged) {
      // Who needs that row will come across it.
      return null;
    }
  }

  private static @Nullable CountedBuckets read(byte[] prefix, StoreCursor cursor) {
    CountedBuckets its = new CountedBuckets(prefix);
    int buckets = 0;
    boolean found = cursor.seek(prefix);
    while (found && its.owns(cursor.key())) {
      byte[] key = cursor.key();
      if (++buckets > BUCKETS_MAX || !its.isNextLevel(key)) {
        return null;
      }
      its.written(key, cursor.value());
      found = cursor.next();
    }
    return its.isWhole() ? its : null;
  }

  private boolean owns(byte[] key) {
    return key.length > prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }

  private boolean isNextLevel(byte[] key) {
    int level = key[prefix.length];
    return level >= 0 && level <= levels.size() && level < RankFormat.LEVELS_MAX;
  }

  /** Whether each bucket has the children and entries that it says. */
  private boolean isWhole() {
    for (int level = 0; level < levels.size(); level++) {
      BucketLevel its = levels.get(level);
      if (!its.startsAt(0, RankFormat.START, 0)) {
        return false;
      }
      if (level > 0 && !isAbove(its, levels.get(level - 1))) {
        return false;
      }
    }
    return !levels.isEmpty();
  }

  private boolean isAbove(BucketLevel parents, BucketLevel below) {
    int first = 0;
    for (int parent = 0; parent < parents.count(); parent++) {
      long next = first + parents.children(parent);
      if (!below.startsAt(first, parents.stored(parent), prefix.length + 1)
          || next > below.count()
          || below.sum(first, (int) next) != parents.entries(parent)) {
        return false;
      }
      first = (int) next;
    }
    return first == below.count();
  }

  @Override
  public byte[] prefix() {
    return prefix;
  }

  @Override
  public long heldBytes() {
    long buckets = 0;
    for (BucketLevel level : levels) {
      buckets += level.count();
    }
    return buckets * (BUCKET_BYTES + prefix.length + 4L * Long.BYTES);
  }

  /** Where the suffix starts in the keys of entries: what comes before it is as long as here. */
  int suffixOffset() {
    return prefix.length;
  }

  /** How many levels there are; at least one. */
  public int levels() {
    return levels.size();
  }

  /** Those of one level. */
  public BucketLevel level(int level) {
    return levels.get(level);
  }

  int shape() {
    return shape;
  }

  /** The bucket of level 0 that a suffix is in. */
  public int find(byte[] suffix) {
    return levels.get(0).find(suffix, 0);
  }

  /** A level and the number of a bucket of it in one number. */
  static int place(int level, int bucket) {
    return level << BUCKET_BITS | bucket;
  }

  static int levelOf(int place) {
    return place >>> BUCKET_BITS;
  }

  static int bucketOf(int place) {
    return place & (1 << BUCKET_BITS) - 1;
  }

  /** The first child of a bucket above level 0. */
  public int firstChild(int level, int bucket) {
    return levels.get(level - 1).find(levels.get(level).stored(bucket), prefix.length + 1);
  }

  /** How many entries are in buckets of level 0 before the one that a suffix is in. */
  public long entriesBefore(byte[] suffix) {
    long before = 0;
    int from = 0;
    for (int level = levels.size() - 1; level >= 0; level--) {
      BucketLevel its = levels.get(level);
      int bucket = its.find(suffix, 0);
      before += its.sum(from, bucket);
      if (level > 0) {
        from = firstChild(level, bucket);
      }
    }
    return before;
  }

  /** The suffix at which a bucket of level 0 ends, or null if it is the last. */
  public byte @Nullable [] end(int bucket) {
    BucketLevel leaves = levels.get(0);
    return bucket + 1 < leaves.count() ? leaves.first(bucket + 1) : null;
  }

  @Override
  public void written(byte[] key, byte @Nullable [] value) {
    int level = key[prefix.length];
    if (level == levels.size()) {
      if (value == null) {
        return;
      }
      levels.add(new BucketLevel(prefix.length + 1));
    }
    BucketLevel bucketLevel = levels.get(level);
    int bucket = bucketLevel.find(key, prefix.length + 1);
    boolean isThere = bucketLevel.startsAt(bucket, key, prefix.length + 1);
    if (value == null) {
      if (isThere) {
        bucketLevel.remove(bucket);
        reshaped();
      }
      return;
    }
    long entries = RankFormat.entries(value);
    long children = RankFormat.children(level, value);
    if (isThere) {
      bucketLevel.set(bucket, entries, children);
    } else {
      bucketLevel.insert(key, entries, children);
      reshaped();
    }
  }

  private void reshaped() {
    shape++;
    while (!levels.isEmpty() && levels.get(levels.size() - 1).count() == 0) {
      levels.remove(levels.size() - 1);
    }
    if (changes > 0) {
      changes = 0;
      for (int level = 0; level < levels.size(); level++) {
        for (int bucket = 0; bucket < levels.get(level).count(); bucket++) {
          if (levels.get(level).isChanged(bucket)) {
            noteChanged(level, bucket);
          }
        }
      }
    }
  }

  /** Adds to what a bucket counts. */
  void add(int level, int bucket, long entries) {
    if (levels.get(level).add(bucket, entries, level == 0)) {
      noteChanged(level, bucket);
    }
  }

  private void noteChanged(int level, int bucket) {
    if (changes == changed.length) {
      changed = Arrays.copyOf(changed, 2 * changes);
    }
    changed[changes++] = place(level, bucket);
  }

  @Override
  public boolean isChanged() {
    return changes > 0;
  }

  @Override
  public void settle(RowVisitor visitor) {
    for (int i = 0; i < changes; i++) {
      int level = levelOf(changed[i]);
      int bucket = bucketOf(changed[i]);
      BucketLevel its = levels.get(level);
      its.settled(bucket);
      visitor.put(its.stored(bucket), row(level, bucket, 0));
    }
    changes = 0;
  }

  /** The value of a bucket's row when it counts so many entries more. */
  byte[] row(int level, int bucket, long more) {
    BucketLevel its = levels.get(level);
    long children = its.children(bucket) + (level == 0 ? more : 0);
    return RankFormat.value(level, its.entries(bucket) + more, (int) children);
  }
}
