package dev.varve.wal;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What was written to a log up to one moment, whichever segments the log deletes afterwards. Taken
 * by {@link Log#prefix}.
 *
 * <p>Belongs to one worker.
 */
public final class LogPrefix implements Closeable {
  /*
   * The files are open from the start: one that is deleted is there until it is closed. Segments
   * are copied, not linked: the last one is still written to, and a start on the copy cuts what it
   * does not need from the others.
   */

  private final Log log;
  private final List<StorageFile> segments = new ArrayList<>();
  private final long fromSegment;
  private final SyncedPoint rolledEnd;
  private final SyncedPoint written;

  private LogPrefix(Log log, long fromSegment, SyncedPoint rolledEnd, SyncedPoint written) {
    this.log = log;
    this.fromSegment = fromSegment;
    this.rolledEnd = rolledEnd;
    this.written = written;
  }

  /**
   * From {@code fromSegment} on, up to {@code written}, which ends a record.
   *
   * @param rolledEnd where the records of the segment before that one end
   */
  static LogPrefix open(
      Log log,
      StorageDirectory directory,
      long fromSegment,
      SyncedPoint rolledEnd,
      SyncedPoint written)
      throws IOException {
    LogPrefix prefix = new LogPrefix(log, fromSegment, rolledEnd, written);
    try {
      for (long number = fromSegment; number <= written.file(); number++) {
        prefix.segments.add(directory.openReadOnly(LogFormat.fileName(number)));
      }
      return prefix;
    } catch (IOException | RuntimeException | Error e) {
      prefix.close();
      throw e;
    }
  }

  /**
   * Copies it to a directory that has none of these files; synced, but for their names. Returns
   * what is known of the copy then, for {@link LogReader#replay}, as {@link Log#end} says it.
   *
   * @throws LogPoisonedException when a sync of the log has failed meanwhile: what was read may be
   *     something else than what was written
   */
  public SyncedPoint copyTo(StorageDirectory target) throws IOException {
    int closed = segments.size() - 1;
    for (StorageFile segment : segments.subList(0, closed)) {
      FileCopy.copy(segment, segment.length(), target);
    }
    FileCopy.copy(segments.get(closed), written.offset(), target);
    log.checkUsable();
    if (written.offset() > RecordFileFormat.HEADER_BYTES) {
      return written;
    }
    // A segment without any record cannot be vouched for by itself: its offset would say that it
    // was begun, with a mark. One before it says that the first one is there: where its records
    // end, and not its file, for a start cuts the zeroes behind them and may be ended right then.
    return closed > 0 ? rolledEnd : LogFormat.beginning(fromSegment - 1);
  }

  /** An error of closing a file that was only read says nothing, and is not reported. */
  @Override
  public void close() {
    for (StorageFile segment : segments) {
      try {
        segment.close();
      } catch (IOException e) {
        // The others are closed too.
      }
    }
  }
}
