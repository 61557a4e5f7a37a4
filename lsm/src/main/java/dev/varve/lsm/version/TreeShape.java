package dev.varve.lsm.version;

import java.util.Map;
import java.util.TreeMap;

/**
 * All that the manifest knows of a tree: the version and the marks beside it. Immutable.
 *
 * @param version which tables stand where
 * @param nextTableNumber larger than any table number ever used
 * @param nextSequence larger than any sequence number in the tables, and than any that a pass over
 *     them has looked at: a number that power loss took from the log must not come again and be
 *     taken for one from before the pass
 * @param flushedThroughSequence entries up to here are in tables
 * @param oldestLogSegment the first log segment that recovery still needs
 * @param counters the named sums as of {@code flushedThroughSequence}
 */
public record TreeShape(
    Version version,
    long nextTableNumber,
    long nextSequence,
    long flushedThroughSequence,
    long oldestLogSegment,
    Map<Long, Long> counters) {

  /** The state after {@code edit}. */
  public TreeShape apply(VersionEdit edit) {
    Map<Long, Long> sums = new TreeMap<>(counters);
    edit.counterDeltas().forEach((counter, delta) -> sums.merge(counter, delta, Long::sum));
    sums.values().removeIf(sum -> sum == 0);
    long highestTable = nextTableNumber - 1;
    long highestSequence = Math.max(nextSequence - 1, edit.flushedThroughSequence());
    for (int level = 0; level < Version.LEVELS; level++) {
      for (TableMeta table : edit.addedTables(level)) {
        highestTable = Math.max(highestTable, table.number());
        highestSequence = Math.max(highestSequence, table.largestSequence());
        highestSequence = Math.max(highestSequence, table.deadThrough());
      }
    }
    return new TreeShape(
        version.apply(edit),
        highestTable + 1,
        highestSequence + 1,
        Math.max(flushedThroughSequence, edit.flushedThroughSequence()),
        Math.max(oldestLogSegment, edit.oldestLogSegment()),
        sums);
  }
}
