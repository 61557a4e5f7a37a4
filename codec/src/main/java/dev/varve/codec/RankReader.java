package dev.varve.codec;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;
import java.util.Arrays;
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

  /**
   * @param cursor moved by every call; the caller closes it
   * @param entryTag the keyspace of the entries that are counted
   */
  RankReader(StoreCursor cursor, CollectionKeys keys, byte entryTag, Meta meta) {
    this.cursor = cursor;
    this.keys = keys;
    this.entryTag = entryTag;
    this.levels = meta.rankLevels();
    this.edges = meta.edges();
  }

  /** How many entries have a suffix before {@code bound}. */
  long before(byte[] bound) {
    long before = 0;
    byte[] first = RankFormat.START;
    for (int level = levels - 1; level >= 0; level--) {
      byte[] target = keys.rank(level, bound);
      seekBucket(level, first);
      byte[] bucket = cursor.key();
      long entries = RankFormat.entries(cursor.value());
      while (nextBucket(bucket, level) && Arrays.compareUnsigned(cursor.key(), target) <= 0) {
        before += entries;
        bucket = cursor.key();
        entries = RankFormat.entries(cursor.value());
      }
      first = keys.rankFirstOf(bucket);
    }
    byte[] target = keys.suffixed(entryTag, bound);
    boolean found = cursor.seek(start(first));
    while (found && Arrays.compareUnsigned(cursor.key(), target) < 0) {
      before++;
      found = cursor.next();
    }
    return before;
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
    for (int level = near ? -1 : levels - 1; level >= 0; level--) {
      if (within < entries / 2) {
        seekBucket(level, first);
        entries = RankFormat.entries(cursor.value());
        while (within >= entries) {
          within -= entries;
          requireBucket(nextBucket(cursor.key(), level), level);
          entries = RankFormat.entries(cursor.value());
        }
        first = keys.rankFirstOf(cursor.key());
        boolean isNext = nextBucket(cursor.key(), level) && isBucket(level);
        end = isNext ? keys.rankFirstOf(cursor.key()) : null;
      } else {
        long fromEnd = entries - within;
        byte[] after = end == null ? keys.rank(level + 1, RankFormat.START) : keys.rank(level, end);
        requireBucket(cursor.seekBefore(after), level);
        entries = RankFormat.entries(cursor.value());
        while (fromEnd > entries) {
          fromEnd -= entries;
          end = keys.rankFirstOf(cursor.key());
          requireBucket(cursor.previous(), level);
          entries = RankFormat.entries(cursor.value());
        }
        first = keys.rankFirstOf(cursor.key());
        within = entries - fromEnd;
      }
    }
    walk(first, end, within, entries);
  }

  /** Goes to an entry between two places, from the nearer one. */
  private void walk(byte[] first, byte @Nullable [] end, long within, long entries) {
    boolean found;
    if (within < entries / 2) {
      found = cursor.seek(start(first));
      for (long i = 0; found && i < within; i++) {
        found = cursor.next();
      }
    } else {
      byte[] nearest = edges.end(end);
      found =
          cursor.seekBefore(
              nearest == null ? keys.end(entryTag) : keys.suffixed(entryTag, nearest));
      for (long i = entries - 1; found && i > within; i--) {
        found = cursor.previous();
      }
    }
    if (!found || !keys.owns(entryTag, cursor.key())) {
      throw new DamagedValueException("a counted bucket has fewer entries than it says");
    }
  }

  private byte[] start(byte[] place) {
    return keys.suffixed(entryTag, edges.start(place));
  }

  private void seekBucket(int level, byte[] first) {
    byte[] stored = keys.rank(level, first);
    if (!cursor.seek(stored) || !Arrays.equals(cursor.key(), stored)) {
      throw new DamagedValueException("no counted bucket of level " + level + " where one starts");
    }
  }

  private boolean nextBucket(byte[] bucket, int level) {
    return keys.isFirstRank(bucket) ? cursor.seek(edges.secondBucket(keys, level)) : cursor.next();
  }

  private boolean isBucket(int level) {
    byte[] stored = cursor.key();
    return keys.owns(KeyFormat.RANK, stored) && keys.rankLevelOf(stored) == level;
  }

  private void requireBucket(boolean found, int level) {
    if (!found || !isBucket(level)) {
      throw new DamagedValueException("counted buckets of level " + level + " are missing");
    }
  }
}
