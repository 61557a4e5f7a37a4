package dev.varve.wal;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What was written to a log up to one moment, in another directory. Made by {@link Log#copyTo}.
 *
 * <p>Belongs to one worker.
 */
public final class LogCopy implements Closeable {
  /*
   * Segments are copied, not linked: the last one is still written to, and a start on the copy cuts
   * what it does not need from the others. The files stay open until they are synced, for a file
   * that was closed and opened again may not tell of a failure in between.
   */

  private final List<StorageFile> segments = new ArrayList<>();
  private final long fromSegment;
  private final SyncedPoint written;

  private LogCopy(long fromSegment, SyncedPoint written) {
    this.fromSegment = fromSegment;
    this.written = written;
  }

  /** Copies the segments from {@code fromSegment} up to {@code written}, which ends a record. */
  static LogCopy of(
      StorageDirectory source, long fromSegment, SyncedPoint written, StorageDirectory target)
      throws IOException {
    LogCopy copy = new LogCopy(fromSegment, written);
    try {
      for (long number = fromSegment; number < written.file(); number++) {
        copy.segments.add(FileCopy.of(source, LogFormat.fileName(number), target));
      }
      String last = LogFormat.fileName(written.file());
      copy.segments.add(FileCopy.of(source, last, written.offset(), target));
      return copy;
    } catch (IOException e) {
      copy.closeAfter(e);
      throw e;
    }
  }

  /**
   * Makes the copied bytes survive power loss, once the directory is synced too. Returns what its
   * owner writes down for {@link LogReader#replay}, as {@link Log#end} does.
   */
  public SyncedPoint sync() throws IOException {
    for (StorageFile segment : segments) {
      segment.sync();
    }
    if (written.offset() > RecordFileFormat.HEADER_BYTES) {
      return written;
    }
    // A segment without any record cannot be vouched for by itself: its offset would say that it
    // was begun, with a mark. One before it says that the first one is there.
    return segments.size() > 1
        ? new SyncedPoint(written.file() - 1, segments.get(segments.size() - 2).length())
        : LogFormat.beginning(fromSegment - 1);
  }

  void closeAfter(IOException failure) {
    try {
      close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public void close() throws IOException {
    for (StorageFile segment : segments) {
      segment.close();
    }
  }
}
