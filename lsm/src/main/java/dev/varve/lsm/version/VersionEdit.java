package dev.varve.lsm.version;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A change of the tree's shape that takes effect whole or not at all. Built by one thread, not
 * changed afterwards.
 *
 * <p>Besides tables it may move the <em>flushed-through</em> marks (what of the log is in tables
 * now) and add to the tree's named counters.
 */
public final class VersionEdit {

  /**
   * A pass whose tables have first and last keys of so many bytes ends no more of them, and no more
   * are moved at once: all of an edit is one record, and stays in memory.
   */
  public static final long BORDER_BYTES_WANTED = 16 << 20;

  private final List<List<TableMeta>> added = new ArrayList<>();
  private final List<List<Long>> deleted = new ArrayList<>();
  private final Map<Long, Long> counterDeltas = new LinkedHashMap<>();
  private long flushedThroughSequence = -1;
  private long oldestLogSegment = -1;

  public VersionEdit() {
    for (int i = 0; i < Version.LEVELS; i++) {
      added.add(new ArrayList<>());
      deleted.add(new ArrayList<>());
    }
  }

  public VersionEdit add(int level, TableMeta table) {
    added.get(level).add(table);
    return this;
  }

  public VersionEdit delete(int level, long tableNumber) {
    deleted.get(level).add(tableNumber);
    return this;
  }

  /** All entries up to this sequence number are in tables; the log is not needed for them. */
  public VersionEdit flushedThrough(long sequence, long oldestLogSegment) {
    this.flushedThroughSequence = sequence;
    this.oldestLogSegment = oldestLogSegment;
    return this;
  }

  /** Adds {@code delta} to the named counter when the edit takes effect. */
  public VersionEdit addToCounter(long counter, long delta) {
    if (delta != 0) {
      counterDeltas.merge(counter, delta, Long::sum);
    }
    return this;
  }

  public List<TableMeta> addedTables(int level) {
    return added.get(level);
  }

  public List<Long> deletedTables(int level) {
    return deleted.get(level);
  }

  public Map<Long, Long> counterDeltas() {
    return counterDeltas;
  }

  /** The new mark, or -1 if the edit does not move it. */
  public long flushedThroughSequence() {
    return flushedThroughSequence;
  }

  /** The first log segment that recovery still needs, or -1 if the edit does not say. */
  public long oldestLogSegment() {
    return oldestLogSegment;
  }
}
