package dev.varve.codec.zset;

import dev.varve.codec.Meta;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.rank.BucketLevel;
import dev.varve.codec.rank.CountedBuckets;
import dev.varve.codec.rank.Edges;
import dev.varve.codec.rank.RankFormat;
import dev.varve.codec.store.StoreCursor;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rank of a place among a spread collection's entries, and the entry of a rank, by its
 * counted buckets.
 *
 * <p>Used by the thread of its transaction; the layout is on {@link RankFormat}.
 */
final class RankReader {
  /** So near to an end of the collection, walking the entries is cheaper than the buckets. */
  private static final int NEAR_END = 64;

  private final StoreCursor cursor;
  private final CollectionKeys keys;
  private final byte entryTag;
  private final int levels;
  private final Edges edges;
  private final @Nullable CountedBuckets buckets;

  // Of the level that is walked.
  private byte[] levelStart = RankFormat.START;
  private byte[] levelEnd = RankFormat.START;
  private byte[] secondBucket = RankFormat.START;

  /**
   * @param cursor over the entries; moved by every call; the caller closes it
   * @param buckets the counted ones if they are in memory, or null
   * @param entryTag the keyspace of the entries that are counted
   */
  RankReader(
      StoreCursor cursor,
      @Nullable CountedBuckets buckets,
      CollectionKeys keys,
      byte entryTag,
      Meta meta) {
    this.cursor = cursor;
    this.buckets = buckets;
    this.keys = keys;
    this.entryTag = entryTag;
    this.levels = meta.rankLevels();
    this.edges = meta.edges();
  }

  /** How many entries have a suffix before {@code bound}. */
  long before(byte[] bound) {
    if (edges.isFirst(bound)) {
      // A walk back to the first bucket would pass all that were merged into it.
      return 0;
    }
    if (buckets != null) {
      byte[] first = buckets.level(0).first(buckets.find(bound));
      return buckets.entriesBefore(bound) + walkTo(first, bound);
    }
    long before = 0;
    byte[] first = RankFormat.START;
    for (int level = levels - 1; level >= 0; level--) {
      enter(level);
      // Searched for, so that no key is copied of the buckets before it.
      seekBucketOf(KeyFormat.justAfter(keys.rank(level, bound)));
      byte[] bucket = cursor.key();
      seekBucket(first);
      if (cursor.compareKey(bucket) < 0) {
        before += RankFormat.entries(cursor);
        if (nextBucket()) {
          before += cursor.sumTo(bucket, RankFormat.ENTRIES);
        }
      }
      first = keys.rankFirstOf(bucket);
    }
    if (levels > 0) {
      walkOverEntries();
    }
    return before + walkTo(first, bound);
  }

  /** How many entries there are from one suffix on that are before another. */
  private long walkTo(byte[] first, byte[] bound) {
    byte[] target = keys.suffixed(entryTag, bound);
    return cursor.seek(start(first)) ? cursor.advanceTo(target) : 0;
  }

  /**
   * Goes to the entry with {@code rank} others before it.
   *
   * @param rank from 0 up, less than {@code size}
   * @param size how many entries there are
   */
  void seek(long rank, long size) {
    byte[] first = RankFormat.START;
    byte @Nullable [] end = null;
    long within = rank;
    long entries = size;
    boolean near = rank < NEAR_END || rank >= size - NEAR_END;
    if (!near && buckets != null) {
      seekCounted(buckets, rank);
      return;
    }
    for (int level = near ? -1 : levels - 1; level >= 0; level--) {
      enter(level);
      if (within < entries / 2) {
        seekBucket(first);
        entries = RankFormat.entries(cursor);
        while (within >= entries) {
          within -= entries;
          requireBucket(nextBucket());
          entries = RankFormat.entries(cursor);
        }
      } else {
        long fromEnd = entries - within;
        requireBucket(cursor.seekBefore(end == null ? levelEnd : keys.rank(level, end)));
        entries = RankFormat.entries(cursor);
        while (fromEnd > entries) {
          fromEnd -= entries;
          requireBucket(cursor.previous());
          entries = RankFormat.entries(cursor);
        }
        within = entries - fromEnd;
      }
      first = keys.rankFirstOf(cursor.key());
      boolean isNext = nextBucket() && isBucket();
      end = isNext ? keys.rankFirstOf(cursor.key()) : null;
    }
    if (!near && levels > 0) {
      walkOverEntries();
    }
    walk(first, end, within, entries);
  }

  private void seekCounted(CountedBuckets its, long rank) {
    long within = rank;
    int bucket = 0;
    for (int level = its.levels() - 1; level >= 0; level--) {
      BucketLevel buckets = its.level(level);
      while (within >= buckets.entries(bucket)) {
        within -= buckets.entries(bucket);
        if (++bucket == buckets.count()) {
          throw new DamagedValueException("counted buckets have fewer entries than there are");
        }
      }
      if (level > 0) {
        bucket = its.firstChild(level, bucket);
      }
    }
    BucketLevel leaves = its.level(0);
    walk(leaves.first(bucket), its.end(bucket), within, leaves.entries(bucket));
  }

  /** Goes to an entry between two places, from the nearer one. */
  private void walk(byte[] first, byte @Nullable [] end, long within, long entries) {
    boolean found;
    if (within < entries / 2) {
      found = cursor.seek(start(first)) && cursor.skip(within, true);
    } else {
      found =
          cursor.seekBefore(edges.end(keys, entryTag, end))
              && cursor.skip(entries - 1 - within, false);
    }
    if (!found || !keys.owns(entryTag, cursor.key())) {
      throw new DamagedValueException("a counted bucket has fewer entries than it says");
    }
  }

  private byte[] start(byte[] place) {
    return keys.suffixed(entryTag, edges.start(place));
  }

  /** From here on the walk is over entries again. */
  private void walkOverEntries() {
    cursor.withinAll(start(RankFormat.START), edges.end(keys, entryTag, null));
  }

  /** From here on the walk is over the buckets of {@code level}. */
  private void enter(int level) {
    // None begins behind the last entry, but many may have.
    byte[] back = edges.end(null);
    levelStart = keys.rank(level, RankFormat.START);
    levelEnd = back == null ? keys.rank(level + 1, RankFormat.START) : keys.rank(level, back);
    secondBucket = edges.secondBucket(keys, level);
    cursor.within(levelStart, levelEnd);
  }

  /** Goes to the last bucket that begins before {@code after}. */
  private void seekBucketOf(byte[] after) {
    // On the way back to the first one lie all that were merged into it when a queue was popped.
    boolean isFirst =
        edges.start(RankFormat.START).length > 0
            && (!cursor.seek(secondBucket) || cursor.compareKey(after) >= 0);
    requireBucket(isFirst ? cursor.seek(levelStart) : cursor.seekBefore(after));
  }

  private void seekBucket(byte[] first) {
    byte[] stored = keys.rank(keys.rankLevelOf(levelStart), first);
    requireBucket(cursor.seek(stored));
    if (cursor.compareKey(stored) != 0) {
      throw missing();
    }
  }

  private boolean nextBucket() {
    return cursor.compareKey(levelStart) == 0 ? cursor.seek(secondBucket) : cursor.next();
  }

  private boolean isBucket() {
    return cursor.compareKey(levelStart) >= 0 && cursor.compareKey(levelEnd) < 0;
  }

  private void requireBucket(boolean found) {
    if (!found || !isBucket()) {
      throw missing();
    }
  }

  private DamagedValueException missing() {
    return new DamagedValueException(
        "counted buckets of level " + keys.rankLevelOf(levelStart) + " are missing");
  }
}
