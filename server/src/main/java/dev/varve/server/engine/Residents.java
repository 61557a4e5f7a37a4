package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.ResidentRows;
import dev.varve.codec.store.StoreCursor;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.table.KeyHash;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rows that the writer keeps in memory in forms of their own, in front of all else that it has:
 * those that are asked for again and again.
 *
 * <p>Keyspace loop only, but for the figure.
 */
final class Residents {
  /** Rows are made resident when they have been asked for so often. */
  static final int ASKED_MIN = 64;

  /** So often they are asked for in vain before that is tried again. */
  private static final int ASKED_AGAIN = 4096;

  /** Prefixes with equal hashes are counted together, which does no harm. */
  private static final int COUNTS = 256;

  private static final long BYTES_MAX = 16L << 20;
  private static final int HEAP_SHARE = 64;

  private final long bytesMax;
  private final Map<KeyPrefix, ResidentRows> leastUsedFirst = new LinkedHashMap<>(16, 0.75f, true);
  private final List<ResidentRows> changed = new ArrayList<>();
  private final int[] asked = new int[COUNTS];

  /** What was found last: commands come back to a collection. */
  private @Nullable ResidentRows last;

  private long heldBytes;

  /** What they may take where the heap is {@code heapBytes}. */
  static long bytesFor(long heapBytes) {
    return Math.min(BYTES_MAX, heapBytes / HEAP_SHARE);
  }

  /**
   * @param bytesMax about what all of them may take
   */
  Residents(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** The rows under a prefix, or null if they are not resident. */
  @Nullable ResidentRows find(byte[] prefix) {
    ResidentRows its = last;
    if (its != null && Arrays.equals(its.prefix(), prefix)) {
      return its;
    }
    its = leastUsedFirst.get(new KeyPrefix(prefix, prefix.length));
    if (its != null) {
      last = its;
    }
    return its;
  }

  /** Notes that rows were asked for that are not here; returns whether that is often by now. */
  boolean isWanted(byte[] prefix) {
    return ++asked[count(prefix)] >= ASKED_MIN;
  }

  private static int count(byte[] prefix) {
    return (int) KeyHash.hash(prefix, 0, prefix.length) & COUNTS - 1;
  }

  /**
   * Makes rows resident, and others not if there is no room; null if not all of them are in memory,
   * or they cannot be. Nothing is changed and not settled.
   *
   * @param opener opens a walk over the tree before a key
   */
  @Nullable ResidentRows load(
      byte[] prefix, ResidentRows.Loader loader, Function<byte[], StoreCursor> opener) {
    asked[count(prefix)] = ASKED_MIN - ASKED_AGAIN;
    ResidentRows rows;
    try (StoreCursor cursor = opener.apply(KeyFormat.successor(prefix))) {
      rows = loader.load(prefix, cursor);
    } catch (ColdBlockSignal | ReadFailure notHere) {
      // Nobody has asked for all of them.
      return null;
    }
    if (rows == null || rows.heldBytes() > bytesMax) {
      return null;
    }
    asked[count(prefix)] = 0;
    leastUsedFirst.put(new KeyPrefix(prefix, prefix.length), rows);
    last = rows;
    heldBytes += rows.heldBytes();
    makeRoom(rows);
    return rows;
  }

  private void makeRoom(ResidentRows latest) {
    Iterator<ResidentRows> each = leastUsedFirst.values().iterator();
    while (heldBytes > bytesMax && each.hasNext()) {
      ResidentRows oldest = each.next();
      // What it has not handed over yet it still does.
      if (oldest != latest || latest.heldBytes() > bytesMax) {
        heldBytes -= oldest.heldBytes();
        each.remove();
        if (oldest == last) {
          last = null;
        }
      }
    }
  }

  /** From now on the tree has {@code value} under {@code key}, or nothing if that is null. */
  void written(byte[] key, byte @Nullable [] value) {
    if (leastUsedFirst.isEmpty()) {
      return;
    }
    int length = KeyFormat.collectionPrefixBytes(key);
    ResidentRows its = length < 0 ? null : find(Arrays.copyOf(key, length));
    if (its != null) {
      long before = its.heldBytes();
      its.written(key, value);
      heldBytes += its.heldBytes() - before;
      makeRoom(its);
    }
  }

  /** Does what a batch does to resident rows. */
  void apply(ResidentRows.Change change) {
    ResidentRows its = change.rows();
    boolean isNoted = its.isChanged();
    change.apply();
    if (!isNoted && its.isChanged()) {
      changed.add(its);
    }
  }

  /** Whether rows have changed that the tree was not handed. */
  boolean areChanged() {
    return !changed.isEmpty();
  }

  /** Hands over all rows that have changed. */
  void settle(ResidentRows.RowVisitor visitor) {
    for (int i = 0; i < changed.size(); i++) {
      changed.get(i).settle(visitor);
    }
    changed.clear();
  }

  /** How many prefixes have resident rows. */
  int count() {
    return leastUsedFirst.size();
  }

  /** Forgets all. */
  void clear() {
    leastUsedFirst.clear();
    changed.clear();
    last = null;
    heldBytes = 0;
  }

  /** Bytes of heap that they take, about. Any thread, and may be a moment behind. */
  long heldBytes() {
    return heldBytes;
  }
}
