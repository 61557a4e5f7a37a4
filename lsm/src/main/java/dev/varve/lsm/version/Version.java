package dev.varve.lsm.version;

import dev.varve.lsm.entry.KeyComparator;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * An immutable picture of the tree's tables, level by level. Safe for use by several threads.
 *
 * <p>Level 0 is ordered newest first and may overlap; deeper levels are disjoint and ordered by
 * key.
 */
public final class Version {

  /** Levels 0 to 6, as RocksDB's default: six times a fan-out of ten is beyond any disk. */
  public static final int LEVELS = 7;

  private final KeyComparator order;
  private final List<List<TableMeta>> levels;
  private final List<List<TableMeta>> levelZeroRuns;

  private Version(KeyComparator order, List<List<TableMeta>> levels) {
    this.order = order;
    this.levels = levels;
    this.levelZeroRuns = runs(levels.get(0));
  }

  /** A tree without tables. */
  public static Version empty(KeyComparator order) {
    List<List<TableMeta>> levels = new ArrayList<>();
    for (int i = 0; i < LEVELS; i++) {
      levels.add(List.of());
    }
    return new Version(order, List.copyOf(levels));
  }

  public KeyComparator order() {
    return order;
  }

  /** The tables of a level, in the level's order. Unmodifiable. */
  public List<TableMeta> level(int level) {
    return levels.get(level);
  }

  /** Bytes of the files of a level. */
  public long levelBytes(int level) {
    long sum = 0;
    for (TableMeta table : levels.get(level)) {
      sum += table.fileBytes();
    }
    return sum;
  }

  /**
   * The tables of level 0 in as few runs as can be: those of one are disjoint and ordered by key,
   * as at a deeper level. A reader of one key has to ask at most one table of each.
   */
  public List<List<TableMeta>> levelZeroRuns() {
    return levelZeroRuns;
  }

  /** Any tables in as few runs of disjoint ones as can be. */
  public List<List<TableMeta>> runs(List<TableMeta> tables) {
    List<TableMeta> left = new ArrayList<>(tables);
    left.sort(byKey());
    // Each joins the run that has ended first, if it has: no more runs than tables at one key.
    PriorityQueue<List<TableMeta>> byEnd =
        new PriorityQueue<>((a, b) -> order.compare(end(a), end(b)));
    for (TableMeta table : left) {
      List<TableMeta> first = byEnd.peek();
      boolean hasEnded = first != null && order.compare(end(first), table.smallestKey()) < 0;
      List<TableMeta> run = hasEnded ? byEnd.remove() : new ArrayList<>();
      run.add(table);
      byEnd.add(run);
    }
    return List.copyOf(byEnd);
  }

  private static byte[] end(List<TableMeta> run) {
    return run.get(run.size() - 1).largestKey();
  }

  /** The tables of all levels, level 0 first, each in its level's order. */
  public List<TableMeta> tables() {
    return levels.stream().flatMap(List::stream).toList();
  }

  /** Number of tables at all levels. */
  public int tableCount() {
    int sum = 0;
    for (List<TableMeta> level : levels) {
      sum += level.size();
    }
    return sum;
  }

  /**
   * The tables of a level whose key range meets [from, to], both inclusive; in the level's order.
   */
  public List<TableMeta> overlapping(int level, byte[] from, byte[] to) {
    List<TableMeta> found = new ArrayList<>();
    for (TableMeta table : levels.get(level)) {
      if (order.compare(table.largestKey(), from) >= 0
          && order.compare(table.smallestKey(), to) <= 0) {
        found.add(table);
      }
    }
    return found;
  }

  /**
   * Index of the first table of a level (1 or deeper) whose largest key is not before the key, or
   * the level's size.
   */
  public int firstNotBefore(int level, byte[] key, int keyLength) {
    return firstNotBefore(levels.get(level), key, 0, keyLength);
  }

  /** The same for the tables of any run. */
  public int firstNotBefore(List<TableMeta> tables, byte[] key, int offset, int length) {
    int low = 0;
    int high = tables.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      byte[] largest = tables.get(middle).largestKey();
      if (order.compare(largest, 0, largest.length, key, offset, length) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * The version after {@code edit}.
   *
   * @throws IllegalArgumentException when the edit deletes a table that is not there, adds one
   *     twice, or would make tables of a deeper level overlap
   */
  public Version apply(VersionEdit edit) {
    List<List<TableMeta>> next = new ArrayList<>();
    for (int level = 0; level < LEVELS; level++) {
      List<TableMeta> tables = new ArrayList<>(levels.get(level));
      Set<Long> gone = new HashSet<>(edit.deletedTables(level));
      tables.removeIf(table -> gone.remove(table.number()));
      if (!gone.isEmpty()) {
        throw new IllegalArgumentException(
            "edit deletes unknown tables " + gone + " of level " + level);
      }
      tables.addAll(edit.addedTables(level));
      tables.sort(level == 0 ? NEWEST_FIRST : byKey());
      requireSound(level, tables);
      next.add(List.copyOf(tables));
    }
    return new Version(order, List.copyOf(next));
  }

  private static final Comparator<TableMeta> NEWEST_FIRST =
      Comparator.comparingLong(TableMeta::largestSequence)
          .thenComparingLong(TableMeta::number)
          .reversed();

  private Comparator<TableMeta> byKey() {
    return (a, b) -> order.compare(a.smallestKey(), b.smallestKey());
  }

  private void requireSound(int level, List<TableMeta> tables) {
    for (int i = 1; i < tables.size(); i++) {
      TableMeta left = tables.get(i - 1);
      TableMeta right = tables.get(i);
      boolean sound =
          level == 0
              ? left.number() != right.number()
              : order.compare(left.largestKey(), right.smallestKey()) < 0;
      if (!sound) {
        throw new IllegalArgumentException(
            "tables " + left + " and " + right + " cannot both stand at level " + level);
      }
    }
  }
}
