package dev.varve.server.engine;

import dev.varve.compaction.CompactionStatistics;
import dev.varve.lsm.TreeStats;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What INFO says of the engine, by name and in order. For one thread. */
final class TreeFigures {
  private final Map<String, String> figures = new LinkedHashMap<>();

  void add(String name, long value) {
    figures.put(name, Long.toString(value));
  }

  void add(TreeStats tree, WriterCaches caches) {
    for (int level = 0; level < tree.levels().size(); level++) {
      TreeStats.Level at = tree.levels().get(level);
      if (at.tables() > 0) {
        figures.put("level" + level, "tables=" + at.tables() + ",bytes=" + at.fileBytes());
      }
    }
    add("table_bytes", tree.tableBytes());
    add("table_raw_bytes", tree.rawBytes());
    add("memtable_bytes", tree.activeMemtableBytes() + tree.immutableMemtableBytes());
    add("immutable_memtables", tree.immutableMemtables());
    add("block_cache_hits", tree.cacheHits());
    add("block_cache_misses", tree.cacheMisses());
    add("row_cache_hits", caches.rows().hits());
    add("row_cache_misses", caches.rows().misses());
    add("row_cache_bytes", caches.rows().heldBytes());
    add("walk_cache_bytes", caches.walks().heldBytes());
    add("resident_rows_bytes", caches.residents().heldBytes());
    add("corrupt_blocks", tree.corruptBlocks());
    add("flushed_bytes_total", tree.flushedBytes());
  }

  void add(CompactionStatistics compaction, WalkRelief walkRelief) {
    add("compaction_running", compaction.runningPlans());
    add("compaction_merges_total", compaction.merges());
    add("compaction_deletions_total", compaction.deletions());
    add("compaction_failures_total", compaction.failures());
    add("compaction_read_bytes_total", compaction.bytesRead());
    add("compaction_written_bytes_total", compaction.bytesWritten());
    figures.put("compaction_pressure", String.format(Locale.ROOT, "%.2f", compaction.pressure()));
    add("compaction_freed_bytes_total", compaction.bytesFreed());
    add("compaction_walk_requests_total", walkRelief.requests());
    add("garbage_pending_records", compaction.garbage().pendingDeaths());
    add("garbage_pending_table_bytes", compaction.garbage().deadBytes());
  }

  /** What flushes and merges together have dropped. */
  void addReclaimed(TreeStats tree, CompactionStatistics compaction) {
    add("garbage_reclaimed_entries_total", compaction.deadEntries() + tree.flushDroppedEntries());
    add("garbage_reclaimed_bytes_total", compaction.deadRawBytes() + tree.flushDroppedRawBytes());
  }

  Map<String, String> all() {
    return figures;
  }
}
