package dev.varve.lsm;

import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.util.ArrayList;
import java.util.List;

/**
 * Figures of a tree at one moment. Bytes throughout.
 *
 * @param levels tables and file bytes, level by level
 * @param rawBytes of all keys and values in tables, before compression
 * @param activeMemtableBytes off-heap bytes of the memtable that is written to
 * @param immutableMemtableBytes off-heap bytes of those that wait for their flush
 * @param immutableMemtables how many those are
 * @param cacheHits block reads that found their block in memory
 * @param cacheMisses block reads that went to the disk
 * @param flushedBytes file bytes that flushes have written since the start
 * @param flushDroppedEntries entries that flushes have dropped since the start by the dead-entry
 *     rule
 * @param flushDroppedRawBytes about how many bytes of keys and values those had
 * @param corruptBlocks damaged blocks that reads have met since the start, each once
 */
public record TreeStats(
    List<Level> levels,
    long rawBytes,
    long activeMemtableBytes,
    long immutableMemtableBytes,
    int immutableMemtables,
    long cacheHits,
    long cacheMisses,
    long flushedBytes,
    long flushDroppedEntries,
    long flushDroppedRawBytes,
    long corruptBlocks) {

  /** One level: number of tables and bytes of their files. */
  public record Level(int tables, long fileBytes) {}

  /** Bytes of all table files. */
  public long tableBytes() {
    return levels.stream().mapToLong(Level::fileBytes).sum();
  }

  /** The figures of this moment. */
  static TreeStats of(TreeTables tables, FlushTotals flushes) {
    TreeState state = tables.state();
    List<Level> levels = new ArrayList<>();
    long rawBytes = 0;
    for (int level = 0; level < Version.LEVELS; level++) {
      for (TableMeta table : state.version().level(level)) {
        rawBytes += table.rawBytes();
      }
      levels.add(new Level(state.version().level(level).size(), state.version().levelBytes(level)));
    }
    return new TreeStats(
        List.copyOf(levels),
        rawBytes,
        state.active().table().bytes(),
        state.immutables().stream().mapToLong(slot -> slot.table().bytes()).sum(),
        state.immutables().size(),
        tables.cache().hits(),
        tables.cache().misses(),
        flushes.fileBytes(),
        flushes.deadEntries(),
        flushes.deadRawBytes(),
        tables.corruptBlocks());
  }
}
