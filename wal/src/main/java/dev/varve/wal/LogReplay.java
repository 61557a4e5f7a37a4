package dev.varve.wal;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a replay ended: where the good records end, and what lies behind them. Belongs to one thread.
 */
public final class LogReplay {

  /** A segment that stays, and where its good records end. */
  record Kept(long number, long endOffset, long length) {}

  private final long fromSegment;
  private final List<Kept> kept;
  private final List<Long> dropped;
  private final long recordCount;
  private final long endPosition;
  private final long cutBytes;
  private final @Nullable String tornFile;
  private final long tornOffset;

  LogReplay(
      long fromSegment,
      List<Kept> kept,
      List<Long> dropped,
      long recordCount,
      long endPosition,
      long cutBytes,
      @Nullable String tornFile,
      long tornOffset) {
    this.fromSegment = fromSegment;
    this.kept = kept;
    this.dropped = dropped;
    this.recordCount = recordCount;
    this.endPosition = endPosition;
    this.cutBytes = cutBytes;
    this.tornFile = tornFile;
    this.tornOffset = tornOffset;
  }

  /** How many segments have records. */
  public int segmentCount() {
    return kept.size();
  }

  /** How many records the handler got. */
  public long recordCount() {
    return recordCount;
  }

  /** The position after the last good record: the base position of the log that goes on. */
  public long endPosition() {
    return endPosition;
  }

  /** The segment that the log goes on with, after {@link #settle}. */
  public long nextSegmentNumber() {
    return kept.isEmpty() ? fromSegment : kept.get(kept.size() - 1).number() + 1;
  }

  /** How many bytes behind the last good record are no part of the log; 0 after a clean end. */
  public long cutBytes() {
    return cutBytes;
  }

  /** The file that has the torn tail, or null after a clean end. */
  public @Nullable String tornFile() {
    return tornFile;
  }

  /** Where in {@link #tornFile} the tail begins; 0 after a clean end. */
  public long tornOffset() {
    return tornOffset;
  }

  /**
   * Makes what was replayed durable and what was not replayed unreadable for ever: cuts the torn
   * tail, deletes the segments behind it, syncs the rest. A crash in the middle changes nothing in
   * what the next replay finds. Where a log has no record at all its first segment stays, emptied,
   * for {@link Log#create} to replace: a log without any segment is a lost one.
   */
  public void settle(StorageDirectory directory) throws IOException {
    for (Kept segment : kept) {
      try (StorageFile file = directory.open(LogFormat.fileName(segment.number()))) {
        if (segment.length() > segment.endOffset()) {
          file.truncate(segment.endOffset());
        }
        // Also when nothing is cut: after a kill the records may be in the page cache only, and the
        // log that goes on will say that all before it is synced.
        file.sync();
      }
    }
    // From the last one down, each durable before the next: a gap would read as a lost segment.
    for (int i = dropped.size() - 1; i >= 0; i--) {
      String name = LogFormat.fileName(dropped.get(i));
      if (dropped.get(i) == fromSegment) {
        empty(directory, name);
      } else {
        directory.delete(name);
        directory.sync();
      }
    }
    directory.sync();
  }

  private static void empty(StorageDirectory directory, String name) throws IOException {
    try (StorageFile file = directory.open(name)) {
      if (file.length() > RecordFileFormat.HEADER_BYTES) {
        file.truncate(RecordFileFormat.HEADER_BYTES);
        file.sync();
      }
    }
  }
}
