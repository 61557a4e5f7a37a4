package dev.varve.compaction;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.table.TableWriter;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import dev.varve.lsm.version.VersionEdit;
import java.util.Arrays;
import java.util.List;

/**
 * Says where a pass ends one table and starts the next: at the wanted size, before a table would
 * overlap too much of the level below, or its index would be too long. For one pass and one thread.
 */
final class OutputCutter {
  /** A level has so many tables, or more: a merge of a part of its keys need not rewrite all. */
  private static final int LEVEL_PARTS = 16;

  /** But none is smaller than such a part of a whole table. */
  private static final int TABLE_PARTS = 8;

  private final Version version;
  private final List<TableMeta> grandparents;
  private final long tableBytesMax;
  private final long overlapBytesMax;
  private int grandparent;
  private long overlapBytes;
  private long borderBytes;
  private byte[] first = {};

  OutputCutter(Version version, int outputLevel, CompactionOptions options) {
    boolean cuts = outputLevel > 0;
    this.version = version;
    this.grandparents =
        cuts && outputLevel < LevelTargets.DEEPEST ? version.level(outputLevel + 1) : List.of();
    // Level 0 is to hold few tables; each pass leaves one there.
    this.tableBytesMax =
        cuts ? tableBytes(version.levelBytes(outputLevel), options) : Long.MAX_VALUE;
    this.overlapBytesMax = options.grandparentOverlap() * options.tableBytes();
  }

  private static long tableBytes(long levelBytes, CompactionOptions options) {
    long whole = options.tableBytes();
    return Math.min(whole, Math.max(levelBytes / LEVEL_PARTS, whole / TABLE_PARTS));
  }

  /** A table begins with that entry. */
  void begins(EntryCursor entry) {
    first = Arrays.copyOf(entry.keyBuffer(), entry.keyLength());
    // The last key of the one before counts as much, not being known here.
    borderBytes += 2L * first.length;
  }

  /** Whether {@code output} ends before {@code entry}, a new key. */
  boolean cutsBefore(EntryCursor entry, PassOutput output) {
    while (grandparent < grandparents.size() && isBehind(entry)) {
      overlapBytes += grandparents.get(grandparent).fileBytes();
      grandparent++;
    }
    boolean isLast = borderBytes >= VersionEdit.BORDER_BYTES_WANTED;
    if (!output.isIndexLongerWith(entry, TableWriter.indexBytesMax(isLast))
        && (isLast || !isWhole(entry, output.fileBytes()))) {
      return false;
    }
    overlapBytes = 0;
    return true;
  }

  private boolean isWhole(EntryCursor entry, long fileBytes) {
    return fileBytes >= tableBytesMax
        || overlapBytes > overlapBytesMax
        || version.order().isApart(first, entry.keyBuffer(), 0, entry.keyLength());
  }

  private boolean isBehind(EntryCursor entry) {
    byte[] largest = grandparents.get(grandparent).largestKey();
    return version
            .order()
            .compare(entry.keyBuffer(), 0, entry.keyLength(), largest, 0, largest.length)
        > 0;
  }
}
