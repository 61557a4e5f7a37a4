package dev.varve.compaction;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.util.List;

/**
 * Says where a pass ends one table and starts the next: at the wanted size, or before a table would
 * overlap too much of the level below. For one pass and one thread.
 */
final class OutputCutter {
  private final Version version;
  private final List<TableMeta> grandparents;
  private final long tableBytesMax;
  private final long overlapBytesMax;
  private int grandparent;
  private long overlapBytes;

  OutputCutter(Version version, int outputLevel, CompactionOptions options) {
    boolean cuts = outputLevel > 0;
    this.version = version;
    this.grandparents =
        cuts && outputLevel < LevelTargets.DEEPEST ? version.level(outputLevel + 1) : List.of();
    // Level 0 is to hold few tables; each pass leaves one there.
    this.tableBytesMax = cuts ? options.tableBytes() : Long.MAX_VALUE;
    this.overlapBytesMax = options.grandparentOverlap() * options.tableBytes();
  }

  /** Whether the table of {@code fileBytes} so far ends before {@code entry}, a new key. */
  boolean cutsBefore(EntryCursor entry, long fileBytes) {
    while (grandparent < grandparents.size() && isBehind(entry)) {
      overlapBytes += grandparents.get(grandparent).fileBytes();
      grandparent++;
    }
    if (fileBytes < tableBytesMax && overlapBytes <= overlapBytesMax) {
      return false;
    }
    overlapBytes = 0;
    return true;
  }

  private boolean isBehind(EntryCursor entry) {
    byte[] largest = grandparents.get(grandparent).largestKey();
    return version
            .order()
            .compare(entry.keyBuffer(), 0, entry.keyLength(), largest, 0, largest.length)
        > 0;
  }
}
