package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;
import dev.varve.lsm.entry.ColdBlockSignal;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The counted buckets of the sorted sets that the writer works on, in memory and in order: in front
 * of the tree, always equal to it.
 *
 * <p>Keyspace loop only.
 */
final class BucketCache {
  /*
   * A rank is found by walking dozens of buckets on each level, and each step of a cursor over the tree
   * merges all its sources. So neighbours are kept together, in stretches: all rows from one key to before
   * another. What is written changes the stretch that it lies in.
   *
   * A stretch begins at a bucket and never leaves its level: the rows between a level's first bucket and
   * its second may be the tombstones of all that a queue has popped.
   */

  /** Rows that are read together. */
  private static final int ROWS_READ = 64;

  /** A stretch that has grown beyond this is read anew, in parts. */
  private static final int ROWS_MAX = 4 * ROWS_READ;

  /** About 64 thousand buckets: those of a set of some ten million members. */
  private static final int STRETCHES_MAX = 1024;

  /** After all buckets. */
  private static final byte[] END = {KeyFormat.RANK + 1};

  /** All rows of the tree from {@link #from} to before {@link #to}. */
  static final class Stretch {
    final byte[] from;
    final byte[] to;
    private byte[][] keys;
    private byte[][] values;
    private int count;

    /** Whether there was a bucket at {@link #to}, with which the next stretch can begin. */
    final boolean isCut;

    /** Takes over the arrays, of which the first {@code count} are rows. */
    Stretch(byte[] from, byte[] to, boolean isCut, byte[][] keys, byte[][] values, int count) {
      this.from = from;
      this.to = to;
      this.isCut = isCut;
      this.keys = keys;
      this.values = values;
      this.count = count;
    }

    int count() {
      return count;
    }

    byte[] key(int row) {
      return keys[row];
    }

    byte[] value(int row) {
      return values[row];
    }

    /** The first row at or after {@code key}, {@link #count} if there is none. */
    int rowFrom(byte[] key) {
      int at = search(key);
      return at < 0 ? -at - 1 : at;
    }

    private int search(byte[] key) {
      return Arrays.binarySearch(keys, 0, count, key, Arrays::compareUnsigned);
    }

    private void written(byte[] key, byte @Nullable [] value) {
      int at = search(key);
      if (value == null) {
        if (at >= 0) {
          System.arraycopy(keys, at + 1, keys, at, count - at - 1);
          System.arraycopy(values, at + 1, values, at, count - at - 1);
          count--;
        }
      } else if (at >= 0) {
        values[at] = value;
      } else {
        insert(-at - 1, key, value);
      }
    }

    private void insert(int at, byte[] key, byte[] value) {
      if (count == keys.length) {
        keys = Arrays.copyOf(keys, 2 * count);
        values = Arrays.copyOf(values, 2 * count);
      }
      System.arraycopy(keys, at, keys, at + 1, count - at);
      System.arraycopy(values, at, values, at + 1, count - at);
      keys[at] = key;
      values[at] = value;
      count++;
    }
  }

  private final TreeMap<byte[], Stretch> stretches = new TreeMap<>(Arrays::compareUnsigned);

  /** In the order in which they came; some may be gone. */
  private final Deque<Stretch> oldestFirst = new ArrayDeque<>();

  /** Whether {@code key} is that of a counted bucket. */
  static boolean isBucket(byte[] key) {
    return key.length > 0 && key[0] == KeyFormat.RANK;
  }

  /** The stretch with everything just before {@code bound}, or null. */
  @Nullable Stretch before(byte[] bound) {
    Map.Entry<byte[], Stretch> entry = stretches.lowerEntry(bound);
    if (entry == null) {
      return null;
    }
    Stretch stretch = entry.getValue();
    return Arrays.compareUnsigned(stretch.to, bound) >= 0 ? stretch : null;
  }

  /**
   * Reads the stretch with the last bucket before {@code bound}. Null when there is none, or when
   * that is not in memory: then nothing is known, and the caller asks the tree what it wants to
   * know.
   */
  @Nullable Stretch read(StoreCursor tree, byte[] bound) {
    try {
      if (!tree.seekBefore(bound) || !isBucket(tree.key())) {
        return null;
      }
    } catch (ColdBlockSignal cold) {
      return null;
    }
    byte[] first = tree.key();
    drop(first);
    // No row lies between: what was known there was known of nothing.
    stretches.subMap(first, false, bound, false).clear();
    byte[][] keys = new byte[ROWS_READ][];
    byte[][] values = new byte[ROWS_READ][];
    int count = 0;
    byte[] to = bound;
    byte[] next = stretches.ceilingKey(bound);
    int place = KeyFormat.rankPlaceOffset(first);
    boolean isFirstOfLevel = place == first.length;
    boolean isCut = false;
    try {
      boolean found = true;
      do {
        byte[] key = tree.key();
        boolean isOut =
            !isOfLevel(key, first, place)
                || (next != null && Arrays.compareUnsigned(key, next) >= 0);
        isCut = !isOut && count == ROWS_READ;
        if (isOut || isCut) {
          // Of what is not a bucket nothing is known.
          to = isBucket(key) ? key : END;
          break;
        }
        values[count] = tree.value();
        keys[count++] = key;
        to = later(bound, KeyFormat.justAfter(key));
        found = !isFirstOfLevel && tree.next();
      } while (found);
    } catch (ColdBlockSignal cold) {
      // What was read so far is known.
      if (count == 0) {
        return null;
      }
    }
    byte[] end = next == null ? to : earlier(to, next);
    Stretch stretch = new Stretch(first, end, isCut, keys, values, count);
    add(stretch);
    return stretch;
  }

  private void add(Stretch stretch) {
    stretches.put(stretch.from, stretch);
    oldestFirst.add(stretch);
    while (stretches.size() > STRETCHES_MAX) {
      Stretch oldest = oldestFirst.remove();
      stretches.remove(oldest.from, oldest);
    }
    if (oldestFirst.size() > 2 * STRETCHES_MAX) {
      oldestFirst.removeIf(each -> stretches.get(each.from) != each);
    }
  }

  /** Forgets the stretch that {@code key} lies in. */
  private void drop(byte[] key) {
    Stretch stretch = around(key);
    if (stretch != null) {
      stretches.remove(stretch.from);
    }
  }

  /** The stretch that {@code key} lies in, or null. */
  private @Nullable Stretch around(byte[] key) {
    Map.Entry<byte[], Stretch> entry = stretches.floorEntry(key);
    return entry != null && Arrays.compareUnsigned(key, entry.getValue().to) < 0
        ? entry.getValue()
        : null;
  }

  /** From now on the tree has {@code value} under {@code key}, or nothing if that is null. */
  void written(byte[] key, byte @Nullable [] value) {
    if (!isBucket(key)) {
      return;
    }
    Stretch stretch = around(key);
    if (stretch != null) {
      stretch.written(key, value);
      if (stretch.count > ROWS_MAX) {
        stretches.remove(stretch.from);
      }
    }
  }

  /** Forgets all. */
  void clear() {
    stretches.clear();
    oldestFirst.clear();
  }

  private static boolean isOfLevel(byte[] key, byte[] first, int place) {
    return key.length >= place && Arrays.equals(key, 0, place, first, 0, place);
  }

  private static byte[] later(byte[] one, byte[] other) {
    return Arrays.compareUnsigned(one, other) >= 0 ? one : other;
  }

  private static byte[] earlier(byte[] one, byte[] other) {
    return Arrays.compareUnsigned(one, other) <= 0 ? one : other;
  }
}
