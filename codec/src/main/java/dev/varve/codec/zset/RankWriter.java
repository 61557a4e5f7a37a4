package dev.varve.codec.zset;

import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.rank.BucketChanges;
import dev.varve.codec.rank.RankFormat;
import dev.varve.codec.store.StoreCursor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the counted buckets of a spread collection true while entries come and go.
 *
 * <p>Used by the thread of its transaction; the layout is on {@link RankFormat}. The meta must be
 * saved after a change: it holds the number of levels.
 */
final class RankWriter {
  /*
   * A tree as B-trees are, where a node knows its start only. Buckets split in halves at their
   * maximum, or, where what was one too many is the last entry of all, before that. Merging is tried
   * when a bucket falls below its minimum, and once more each time it has halved since, so that a
   * bucket between full ones does not look at them on every change; an empty one is always merged.
   * Only buckets of one parent are merged, since each parent starts where its first child does. The
   * highest level has at least two buckets, else it is dropped.
   */
  private final Transaction transaction;
  private final CollectionKeys keys;
  private final byte entryTag;
  private final Meta meta;
  private final RankFormat.Sizes sizes;

  /** The key of what was added last while there were no buckets. */
  private byte @Nullable [] latest;

  /** One bucket, with what it will count. */
  private static final class Bucket {
    final int level;
    final byte[] stored;
    long entries;
    long children;

    Bucket(int level, byte[] stored, long entries, long children) {
      this.level = level;
      this.stored = stored;
      this.entries = entries;
      this.children = children;
    }
  }

  /** The start of a run of children's second part, and what the first part has. */
  private record Middle(byte[] first, long childrenBefore, long entriesBefore) {

    /** Of the lowest level, where the children are the entries. */
    static Middle before(byte[] first, long entries) {
      return new Middle(first, entries, entries);
    }
  }

  /**
   * @param entryTag the keyspace of the entries that are counted
   */
  RankWriter(
      Transaction transaction,
      CollectionKeys keys,
      byte entryTag,
      Meta meta,
      RankFormat.Sizes sizes) {
    this.transaction = transaction;
    this.keys = keys;
    this.entryTag = entryTag;
    this.meta = meta;
    this.sizes = sizes;
  }

  /**
   * Counts the entry that was just written under {@code key}, and counted in the meta. What has no
   * buckets has them after {@link #build}, which comes when all are written.
   */
  void added(byte[] key) {
    if (meta.rankLevels() == 0) {
      latest = key;
      return;
    }
    BucketChanges changes = changes();
    if (changes != null && changes.add(key, 1, sizes)) {
      return;
    }
    transaction.buckets().countInRows();
    try (StoreCursor cursor = cursor()) {
      splitIfFull(cursor, change(cursor, keys.suffixOf(key), 1), key);
    }
  }

  /** Makes the buckets of a collection that has come to need them. */
  void build() {
    if (meta.rankLevels() > 0 || meta.count() <= sizes.entriesMax()) {
      return;
    }
    transaction.buckets().countInRows();
    if (meta.count() == sizes.entriesMax() + 1) {
      raise(meta.count(), middle(RankFormat.START, meta.count(), latest));
      return;
    }
    RankBuilder builder = new RankBuilder(transaction, keys, sizes);
    try (StoreCursor cursor = transaction.cursor(keys.end(entryTag))) {
      boolean found = cursor.seek(keys.suffixed(entryTag, meta.edges().start(RankFormat.START)));
      for (long i = 0; i < meta.count(); i++) {
        if (!found || !keys.owns(entryTag, cursor.key())) {
          throw new DamagedValueException("a collection has fewer entries than it says");
        }
        builder.add(keys.suffixOf(cursor.key()));
        found = cursor.next();
      }
    }
    builder.finish(meta);
  }

  /**
   * Counts entries that were just deleted, in the meta too, all from the bucket that the one under
   * {@code key} was in.
   */
  void removed(byte[] key, long entries) {
    if (meta.rankLevels() == 0) {
      return;
    }
    BucketChanges changes = changes();
    if (changes != null && changes.add(key, -entries, sizes)) {
      return;
    }
    transaction.buckets().countInRows();
    try (StoreCursor cursor = cursor()) {
      Bucket[] path = change(cursor, keys.suffixOf(key), -entries);
      if (isToShrink(path[0], entries)) {
        shrink(cursor, path, 0);
      }
    }
  }

  /** Whether merging is tried for a bucket of level 0 that has just lost so many entries. */
  private boolean isToShrink(Bucket bucket, long removed) {
    long now = bucket.entries;
    return now < sizes.entriesMin() && Long.highestOneBit(now) != Long.highestOneBit(now + removed);
  }

  /** Counts an entry that got another key: one was just deleted, the other written. */
  void moved(byte[] fromKey, byte[] toKey) {
    if (meta.rankLevels() == 0) {
      return;
    }
    BucketChanges changes = changes();
    if (changes != null && changes.move(fromKey, toKey, sizes)) {
      return;
    }
    byte[] from = keys.suffixOf(fromKey);
    byte[] to = keys.suffixOf(toKey);
    transaction.buckets().countInRows();
    try (StoreCursor cursor = cursor()) {
      Bucket[] source = path(cursor, from);
      Bucket[] target = path(cursor, to);
      // Buckets nest: above one that both are in, nothing changes.
      int level = 0;
      while (level < source.length && !isSame(source[level], target[level])) {
        add(source[level], -1);
        add(target[level], 1);
        level++;
      }
      if (level == 0) {
        return;
      }
      if (isToShrink(source[0], 1)) {
        shrink(cursor, source, 0);
        if (meta.rankLevels() == 0) {
          build();
        } else {
          splitIfFull(cursor, path(cursor, to), toKey);
        }
      } else {
        splitIfFull(cursor, target, toKey);
      }
    }
  }

  /** What changes in memory, or null if this has to go by the rows. */
  private @Nullable BucketChanges changes() {
    int levels = meta.rankLevels();
    return levels == 0 ? null : transaction.buckets().toChange(keys, levels);
  }

  /** Over the buckets. */
  private StoreCursor cursor() {
    return transaction.cursor(keys.end(KeyFormat.RANK));
  }

  private static boolean isSame(Bucket one, Bucket other) {
    return Arrays.equals(one.stored, other.stored);
  }

  /** Splits the lowest bucket of a path if the entry that has come to it is one too many. */
  private void splitIfFull(StoreCursor cursor, Bucket[] path, byte[] key) {
    Bucket full = path[0];
    if (full.children <= sizes.entriesMax()) {
      return;
    }
    split(cursor, path, 0, middle(keys.rankFirstOf(full.stored), full.children, key));
  }

  /**
   * Where the entries from {@code first} on are divided that are one too many.
   *
   * @param latest which of all came last, if that is known
   */
  private Middle middle(byte[] first, long entries, byte @Nullable [] latest) {
    // Behind the last of all more will come: what is full stays full, and nobody walks to its
    // middle.
    return latest != null && isLast(latest)
        ? Middle.before(keys.suffixOf(latest), entries - 1)
        : middle(0, first, entries / 2);
  }

  /** Whether nothing is behind an entry. */
  private boolean isLast(byte[] key) {
    byte[] from = KeyFormat.justAfter(key);
    byte[] end = meta.edges().end(keys, entryTag, null);
    if (Arrays.compareUnsigned(from, end) >= 0) {
      return true;
    }
    try (StoreCursor cursor = transaction.cursor(from, end)) {
      return !cursor.seek(from);
    }
  }

  /** The suffix at which the bucket of level 0 ends that {@code suffix} is in; null for none. */
  byte @Nullable [] bucketEnd(byte[] suffix) {
    if (meta.rankLevels() == 0) {
      return null;
    }
    BucketChanges changes = changes();
    if (changes != null) {
      return changes.rows().end(changes.rows().find(suffix));
    }
    transaction.buckets().countInRows();
    try (StoreCursor cursor = cursor()) {
      Bucket next = neighbour(cursor, cursor.seek(KeyFormat.justAfter(keys.rank(0, suffix))), 0);
      return next == null ? null : keys.rankFirstOf(next.stored);
    }
  }

  /** Adds to the bucket of each level that {@code suffix} is in. */
  private Bucket[] change(StoreCursor cursor, byte[] suffix, long entries) {
    Bucket[] path = path(cursor, suffix);
    for (Bucket bucket : path) {
      add(bucket, entries);
    }
    return path;
  }

  /** The bucket of each level that {@code suffix} is in. */
  private Bucket[] path(StoreCursor cursor, byte[] suffix) {
    Bucket[] path = new Bucket[meta.rankLevels()];
    for (int level = path.length - 1; level >= 0; level--) {
      path[level] = bucket(cursor, level, suffix);
    }
    return path;
  }

  private void add(Bucket bucket, long entries) {
    if (bucket.entries + entries < 0) {
      throw new DamagedValueException("a counted bucket of level " + bucket.level + " below zero");
    }
    bucket.entries += entries;
    if (bucket.level == 0) {
      bucket.children += entries;
    }
    write(bucket);
  }

  /** The bucket of a level that {@code suffix} is in. */
  private Bucket bucket(StoreCursor cursor, int level, byte[] suffix) {
    if (meta.edges().isFirst(suffix)) {
      // Not by a cursor: where a queue is popped, it would walk over all buckets there were.
      byte[] stored = keys.rank(level, RankFormat.START);
      byte[] value = transaction.get(stored);
      if (value != null) {
        return bucket(level, stored, value);
      }
    }
    byte[] after = KeyFormat.justAfter(keys.rank(level, suffix));
    Bucket bucket = neighbour(cursor, cursor.seekBefore(after), level);
    if (bucket == null) {
      throw new DamagedValueException("no counted bucket of level " + level + " where one is due");
    }
    return bucket;
  }

  private void split(StoreCursor cursor, Bucket[] path, int level, Middle middle) {
    Bucket left = path[level];
    byte[] start = keys.rank(level, middle.first);
    long entriesAfter = left.entries - middle.entriesBefore;
    write(new Bucket(level, start, entriesAfter, left.children - middle.childrenBefore));
    left.entries = middle.entriesBefore;
    left.children = middle.childrenBefore;
    write(left);
    if (level + 1 < path.length) {
      Bucket parent = path[level + 1];
      parent.children++;
      write(parent);
      if (parent.children > sizes.childrenMax()) {
        byte[] first = keys.rankFirstOf(parent.stored);
        split(cursor, path, level + 1, middle(level + 1, first, parent.children / 2));
      }
      return;
    }
    long buckets = count(cursor, level);
    if (buckets > sizes.childrenMax()) {
      raise(buckets, middle(level + 1, RankFormat.START, buckets / 2));
    }
  }

  /** Divides what is on the highest level, {@code children} of them, between two of a new level. */
  private void raise(long children, Middle middle) {
    int level = meta.rankLevels();
    byte[] leftStart = keys.rank(level, RankFormat.START);
    byte[] rightStart = keys.rank(level, middle.first);
    write(new Bucket(level, leftStart, middle.entriesBefore, middle.childrenBefore));
    long entriesAfter = meta.count() - middle.entriesBefore;
    write(new Bucket(level, rightStart, entriesAfter, children - middle.childrenBefore));
    meta.setRankLevels(level + 1);
  }

  /** Skips some children of the bucket of {@code level} that starts at {@code first}. */
  private Middle middle(int level, byte[] first, long children) {
    int below = level - 1;
    boolean leaf = level == 0;
    byte tag = leaf ? entryTag : KeyFormat.RANK;
    try (StoreCursor cursor = transaction.cursor(keys.end(tag))) {
      boolean found =
          cursor.seek(
              leaf ? keys.suffixed(tag, meta.edges().start(first)) : keys.rank(below, first));
      long entries = 0;
      for (long i = 0; found && i < children; i++) {
        entries += leaf ? 1 : RankFormat.entries(cursor.value());
        found = cursor.next();
      }
      if (!found || !keys.owns(tag, cursor.key())) {
        throw new DamagedValueException("a counted bucket has fewer children than it says");
      }
      byte[] stored = cursor.key();
      byte[] start = leaf ? keys.suffixOf(stored) : keys.rankFirstOf(stored);
      return new Middle(start, children, entries);
    }
  }

  private void shrink(StoreCursor cursor, Bucket[] path, int level) {
    Bucket bucket = path[level];
    if (hasParent(level) && path[level + 1].children == 1) {
      if (bucket.entries != 0) {
        return;
      }
      // The parent is empty as well: merging it first gives this one a neighbour.
      shrink(cursor, path, level + 1);
    }
    Bucket right = neighbour(cursor, cursor.seek(next(bucket)), level);
    if (right != null && !startsParent(right) && fit(bucket, right)) {
      merge(cursor, path, bucket, right);
    } else if (!startsParent(bucket)) {
      Bucket left = neighbour(cursor, cursor.seekBefore(bucket.stored), level);
      if (left != null && fit(left, bucket)) {
        merge(cursor, path, left, bucket);
      }
    }
  }

  private boolean fit(Bucket left, Bucket right) {
    int childrenMax = left.level == 0 ? sizes.entriesMax() : sizes.childrenMax();
    return left.children + right.children <= childrenMax || left.entries == 0 || right.entries == 0;
  }

  private void merge(StoreCursor cursor, Bucket[] path, Bucket left, Bucket right) {
    int level = left.level;
    left.entries += right.entries;
    left.children += right.children;
    transaction.delete(right.stored);
    write(left);
    path[level] = left;
    if (hasParent(level)) {
      Bucket parent = path[level + 1];
      parent.children--;
      write(parent);
      if (parent.children < sizes.childrenMin()) {
        shrink(cursor, path, level + 1);
      }
    } else if (count(cursor, level) == 1) {
      transaction.delete(left.stored);
      meta.setRankLevels(level);
    }
  }

  private boolean hasParent(int level) {
    return level + 1 < meta.rankLevels();
  }

  /** Whether the parent of {@code bucket} starts where it does. */
  private boolean startsParent(Bucket bucket) {
    byte[] first = keys.rankFirstOf(bucket.stored);
    if (!hasParent(bucket.level)) {
      return first.length == 0;
    }
    return transaction.get(keys.rank(bucket.level + 1, first)) != null;
  }

  /** How many buckets a level has. */
  private long count(StoreCursor cursor, int level) {
    byte[] end = keys.rank(level + 1, RankFormat.START);
    long count = 1;
    boolean found = cursor.seek(meta.edges().secondBucket(keys, level));
    while (found && Arrays.compareUnsigned(cursor.key(), end) < 0) {
      count++;
      found = cursor.next();
    }
    return count;
  }

  /** The bucket that the cursor is on, if it is on one of this level. */
  private @Nullable Bucket neighbour(StoreCursor cursor, boolean found, int level) {
    if (!found) {
      return null;
    }
    byte[] stored = cursor.key();
    if (!keys.owns(KeyFormat.RANK, stored) || keys.rankLevelOf(stored) != level) {
      return null;
    }
    return bucket(level, stored, cursor.value());
  }

  private static Bucket bucket(int level, byte[] stored, byte[] value) {
    return new Bucket(level, stored, RankFormat.entries(value), RankFormat.children(level, value));
  }

  private void write(Bucket bucket) {
    byte[] value = RankFormat.value(bucket.level, bucket.entries, (int) bucket.children);
    transaction.put(bucket.stored, value);
  }

  /** The stored key from which on the following bucket of the level is found. */
  private byte[] next(Bucket bucket) {
    return keys.isFirstRank(bucket.stored)
        ? meta.edges().secondBucket(keys, bucket.level)
        : KeyFormat.justAfter(bucket.stored);
  }
}
