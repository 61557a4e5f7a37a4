package dev.varve.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a replay ended: where the good records end, and what lies behind them. Belongs to one thread.
 */
public final class LogReplay {

  /** A segment that stays, and where its good records end. */
  record Kept(long number, long endOffset, long length) {}

  private static final int PIECE_BYTES = 1 << 20;

  private final long fromSegment;
  private final List<Kept> kept;
  private final List<Long> dropped;
  private final SyncedPoint synced;
  private final long recordCount;
  private final long endPosition;
  private final long cutBytes;
  private final @Nullable String tornFile;
  private final long tornOffset;

  LogReplay(
      long fromSegment,
      List<Kept> kept,
      List<Long> dropped,
      SyncedPoint synced,
      long recordCount,
      long endPosition,
      long cutBytes,
      @Nullable String tornFile,
      long tornOffset) {
    this.fromSegment = fromSegment;
    this.kept = kept;
    this.dropped = dropped;
    this.synced = synced;
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
   * tail, deletes the segments behind it, writes again what may never have been synced, and syncs
   * the rest. A crash in the middle changes nothing in what the next replay finds. Where a log has
   * no record at all its first segment stays, emptied, for {@link Log#create} to replace: a log
   * without any segment is a lost one.
   */
  public void settle(StorageDirectory directory) throws IOException {
    for (Kept segment : kept) {
      try (StorageFile file = directory.open(LogFormat.fileName(segment.number()))) {
        if (segment.length() > segment.endOffset()) {
          file.truncate(segment.endOffset());
        }
        writeAgain(directory, file, firstUnsynced(segment.number()), segment.endOffset());
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

  private long firstUnsynced(long number) {
    if (number != synced.file()) {
      return number < synced.file() ? Long.MAX_VALUE : RecordFileFormat.HEADER_BYTES;
    }
    return Math.max(synced.offset(), RecordFileFormat.HEADER_BYTES);
  }

  /*
   * A process before this one may have met a sync that failed. Its system shows what was written
   * then as if all were well, and calls it synced from then on, although the device does not have
   * it: only what is written anew gets there. Whether that was so nobody knows, so this is done with
   * whatever no record vouches for. The bytes stay what they are, wherever a crash ends it.
   */
  private static void writeAgain(StorageDirectory directory, StorageFile file, long from, long end)
      throws IOException {
    ByteBuffer piece = ByteBuffer.allocate((int) Math.max(0, Math.min(PIECE_BYTES, end - from)));
    for (long offset = from; offset < end; offset += piece.limit()) {
      piece.clear().limit((int) Math.min(PIECE_BYTES, end - offset));
      file.readFully(piece, offset);
      try {
        file.writeFully(piece.flip(), offset);
      } catch (IOException failure) {
        if (directory.usableBytes() >= PIECE_BYTES) {
          throw failure;
        }
        // Some file systems need room for it. A full disk alone must not keep anybody from
        // starting.
        return;
      }
    }
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
