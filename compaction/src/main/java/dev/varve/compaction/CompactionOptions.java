package dev.varve.compaction;

/**
 * The sizes that shape the tree. Immutable.
 *
 * @param levelZeroTables so many tables over each other at level 0 ask for a merge
 * @param levelZeroBytes so many bytes at level 0 ask for a merge; about {@code levelZeroTables}
 *     flushed memtables
 * @param fanout each level is at most this many times the one above
 * @param tableBytes about how large the tables a pass writes are, in a large tree
 * @param grandparentOverlap a table a pass writes overlaps at most this many times {@code
 *     tableBytes} of the level below it, so that moving it on stays cheap
 * @param passBytesMax inputs are not extended beyond this for the sake of fewer passes
 * @param reclaimShare a pass that would drop this share of what it reads pays for itself
 * @param reclaimShareQuiet the same while nothing is written, and for garbage that has waited long
 * @param upperShareQuiet while nothing is written, the levels above the deepest are merged down
 *     when they hold more than this share of it
 */
public record CompactionOptions(
    int levelZeroTables,
    long levelZeroBytes,
    double fanout,
    long tableBytes,
    int grandparentOverlap,
    long passBytesMax,
    double reclaimShare,
    double reclaimShareQuiet,
    double upperShareQuiet) {

  private static final long MEBIBYTE = 1 << 20;

  /** For memtables of 64 MiB. */
  public static final CompactionOptions DEFAULT = forMemtable(64 * MEBIBYTE);

  public CompactionOptions {
    require(levelZeroTables >= 2, "levelZeroTables", levelZeroTables);
    require(levelZeroBytes > 0, "levelZeroBytes", levelZeroBytes);
    require(fanout >= 2, "fanout", fanout);
    require(tableBytes > 0, "tableBytes", tableBytes);
    require(grandparentOverlap >= 1, "grandparentOverlap", grandparentOverlap);
    require(passBytesMax >= tableBytes, "passBytesMax", passBytesMax);
    require(reclaimShare > 0 && reclaimShare <= 1, "reclaimShare", reclaimShare);
    require(
        reclaimShareQuiet > 0 && reclaimShareQuiet <= reclaimShare,
        "reclaimShareQuiet",
        reclaimShareQuiet);
    require(upperShareQuiet > 0, "upperShareQuiet", upperShareQuiet);
  }

  /** The default shape for memtables of the given size: flushed, they are about half of it. */
  public static CompactionOptions forMemtable(long memtableBytes) {
    int tables = 4;
    long tableBytes = Math.max(1, memtableBytes);
    return new CompactionOptions(
        tables,
        Math.max(1, tables * memtableBytes / 2),
        10,
        tableBytes,
        10,
        8 * tableBytes,
        0.25,
        0.02,
        0.25);
  }

  private static void require(boolean holds, String name, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(name + " cannot be " + value);
    }
  }
}
