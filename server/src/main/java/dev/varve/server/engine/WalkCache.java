package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the writer has walked over of late, in memory and in order: in front of the tree, always
 * equal to it.
 *
 * <p>Keyspace loop only, but for the figures.
 */
final class WalkCache {
  /*
   * A step of a cursor over the tree merges all its sources, and a rank, a range or a page of a list is
   * made of dozens of steps. So what is walked over is kept, in stretches: all rows from one place of a
   * collection to before another. What is written changes the stretch that it lies in.
   *
   * Walks record and do not read ahead: nobody but the caller knows how far a walk may go before it meets
   * the tombstones of what a queue has popped.
   */

  /** A walk records no further, or a single one would leave room for nothing else. */
  static final int ROWS_RECORDED_MAX = 4096;

  /** Longer rows are left to the blocks: copying them in would cost what it saves. */
  private static final int ROW_BYTES_MAX = 1024;

  /** What a row takes, about, if its member is not long. */
  private static final long ROW_BYTES_USUAL = 64;

  /** Walks begin a new stretch when one has so many rows. */
  static final int ROWS_WALKED_MAX = 64;

  /** A stretch that is left with so few is joined with the next one, if both are small. */
  private static final int ROWS_LEFT_FEW = ROWS_WALKED_MAX / 4;

  /** A stretch that writes have brought beyond this is divided. */
  private static final int ROWS_MAX = 4 * ROWS_WALKED_MAX;

  /**
   * Members that are written so often and not walked over cost more here than they save. The
   * buckets that count them are read with every write.
   */
  private static final int WRITES_UNREAD_MAX = 16;

  private static final long BYTES_MAX = 64L << 20;
  private static final int HEAP_SHARE = 16;

  private final WalkedKeyspaces keyspaces = new WalkedKeyspaces();
  private final StretchQueue oldestFirst = new StretchQueue();

  private final long bytesMax;
  private long heldBytes;
  private int changes;

  /** What a cache may take where the heap is {@code heapBytes}. */
  static long bytesFor(long heapBytes) {
    return Math.min(BYTES_MAX, heapBytes / HEAP_SHARE);
  }

  /**
   * An empty cache.
   *
   * @param bytesMax about what all rows may take
   */
  WalkCache(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** Whether a row is short enough. */
  static boolean fits(byte[] key, byte[] value) {
    return key.length + value.length <= ROW_BYTES_MAX;
  }

  /** Whether so many rows are not more than it has room for, if they are not long. */
  boolean mayHold(long rows) {
    return rows <= bytesMax / ROW_BYTES_USUAL;
  }

  /** The keyspace of its collection that {@code key} is in, or null if nothing is known of it. */
  @Nullable WalkedKeyspace find(byte[] key) {
    return keyspaces.find(key);
  }

  /** The same, but for one that is new and empty if nothing is known. */
  WalkedKeyspace findOrCreate(byte[] key) {
    return keyspaces.findOrCreate(key);
  }

  /** The value of {@code key}, or null if it is not here, which says nothing of it. */
  byte @Nullable [] get(byte[] key) {
    WalkedKeyspace its = find(key);
    if (its == null) {
      return null;
    }
    Stretch stretch = its.around(key);
    if (stretch == null) {
      return null;
    }
    stretch.use();
    int offset = its.prefix().length;
    int row = stretch.rowFrom(key, offset);
    return stretch.isAt(row, key, offset) ? stretch.value(row) : null;
  }

  /** A new stretch with the row of {@code key}, between bounds that no other stretch is in. */
  Stretch keep(
      WalkedKeyspace keyspace, byte[] key, byte[] value, byte[] from, byte @Nullable [] to) {
    Stretch stretch = new Stretch(keyspace, from, to);
    stretch.append(key, keyspace.prefix().length, value);
    add(keyspace, stretch);
    return stretch;
  }

  private void add(WalkedKeyspace keyspace, Stretch stretch) {
    changes++;
    keyspace.add(stretch);
    keyspace.count(stretch.rows(), stretch);
    oldestFirst.add(stretch);
    heldBytes += stretch.heldBytes();
    while (heldBytes > bytesMax && oldestFirst.size() > 1) {
      Stretch oldest = oldestFirst.first();
      if (oldest.takeUse()) {
        oldestFirst.renew(oldest);
      } else {
        drop(oldest.keyspace(), oldest);
      }
    }
  }

  private void drop(WalkedKeyspace keyspace, Stretch stretch) {
    changes++;
    stretch.leave();
    oldestFirst.remove(stretch);
    keyspace.remove(stretch);
    keyspace.count(-stretch.rows(), stretch);
    heldBytes -= stretch.heldBytes();
    if (keyspace.isEmpty()) {
      keyspaces.remove(keyspace);
    }
  }

  /** Moves on whenever stretches come or go. */
  int changes() {
    return changes;
  }

  /** Whether a walk may add one more row to {@code stretch}. */
  static boolean hasRoom(Stretch stretch) {
    return stretch.isKept() && stretch.rows() < ROWS_WALKED_MAX;
  }

  /** Lets a stretch that a walk has begun have room for so many rows that it is to come to. */
  void expect(Stretch stretch, int rows, boolean isForward) {
    if (!stretch.isKept()) {
      return;
    }
    int before = stretch.heldBytes();
    stretch.expect(Math.min(rows, ROWS_WALKED_MAX - stretch.rows()), isForward);
    heldBytes += stretch.heldBytes() - before;
  }

  /** Adds the row of {@code key}, the next one behind the last. */
  void append(WalkedKeyspace keyspace, Stretch stretch, byte[] key, byte[] value) {
    int before = stretch.heldBytes();
    int offset = keyspace.prefix().length;
    stretch.append(key, offset, value);
    stretch.setTo(justAfter(key, offset));
    keyspace.count(1, stretch);
    heldBytes += stretch.heldBytes() - before;
  }

  /** Adds the row of {@code key}, the next one before the first. */
  void prepend(WalkedKeyspace keyspace, Stretch stretch, byte[] key, byte[] value) {
    int before = stretch.heldBytes();
    int offset = keyspace.prefix().length;
    stretch.prepend(key, offset, value);
    keyspace.moveStart(stretch, WalkedKeyspace.suffix(key, offset));
    keyspace.count(1, stretch);
    heldBytes += stretch.heldBytes() - before;
  }

  /** What is after the suffix of {@code key}. */
  static byte[] justAfter(byte[] key, int offset) {
    return Arrays.copyOfRange(key, offset, key.length + 1);
  }

  /**
   * Notes that no row is between two stretches. Returns the one that then has the rows of the
   * second: small ones become one.
   */
  Stretch join(WalkedKeyspace keyspace, Stretch first, Stretch second) {
    first.setTo(second.from());
    // What has left the cache is in nobody's count, and must not leave it again.
    boolean areKept = first.isKept() && second.isKept();
    if (!areKept || first.rows() + second.rows() > ROWS_WALKED_MAX) {
      return second;
    }
    int before = first.heldBytes();
    first.appendAll(second);
    keyspace.count(second.rows(), first);
    heldBytes += first.heldBytes() - before;
    drop(keyspace, second);
    return first;
  }

  /** Where most has been taken away, a walk would come to another stretch every few rows. */
  private void joinFollowing(WalkedKeyspace keyspace, Stretch stretch) {
    byte[] end = stretch.to();
    Stretch next = end == null ? null : keyspace.around(keyspace.key(end));
    if (next != null && Arrays.equals(next.from(), end)) {
      join(keyspace, stretch, next);
    }
  }

  /** From now on the tree has {@code value} under {@code key}, or nothing if that is null. */
  void written(byte[] key, byte @Nullable [] value) {
    WalkedKeyspace walked = find(key);
    if (walked == null) {
      return;
    }
    Stretch stretch = walked.around(key);
    if (stretch == null) {
      return;
    }
    boolean isUnread = key[0] != KeyFormat.RANK && stretch.writesUnread() >= WRITES_UNREAD_MAX;
    if (isUnread || (value != null && !fits(key, value))) {
      drop(walked, stretch);
      return;
    }
    int before = stretch.heldBytes();
    int rowsBefore = stretch.rows();
    stretch.written(key, walked.prefix().length, value);
    walked.count(stretch.rows() - rowsBefore, stretch);
    heldBytes += stretch.heldBytes() - before;
    if (stretch.rows() == 0) {
      drop(walked, stretch);
    } else if (value == null && stretch.rows() == ROWS_LEFT_FEW) {
      joinFollowing(walked, stretch);
    } else if (stretch.rows() > ROWS_MAX) {
      int whole = stretch.heldBytes();
      Stretch rest = stretch.splitOff();
      walked.count(-rest.rows(), stretch);
      heldBytes += stretch.heldBytes() - whole;
      add(walked, rest);
    }
  }

  /** Forgets all rows under the prefix of a keyspace. */
  void forget(byte[] prefix) {
    WalkedKeyspace its = find(prefix);
    while (its != null && !its.isEmpty()) {
      drop(its, its.last());
    }
  }

  /** Forgets all. */
  void clear() {
    changes++;
    keyspaces.clear();
    while (oldestFirst.size() > 0) {
      Stretch its = oldestFirst.first();
      its.leave();
      oldestFirst.remove(its);
    }
    heldBytes = 0;
  }

  /** How many stretches are kept. */
  int stretches() {
    return oldestFirst.size();
  }

  /** Bytes of heap that rows take. Any thread, and may be a moment behind. */
  long heldBytes() {
    return heldBytes;
  }
}
