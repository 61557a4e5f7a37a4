package dev.varve.wal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The read side of the log: hands out the records of all segments in order, up to the first one
 * that is not whole.
 *
 * <p>Belongs to one thread; nothing else uses the log meanwhile.
 */
public final class LogReader {
  /*
   * The good records form a chain of positions through all segments. Where the chain breaks, be it
   * inside a segment or because one segment's records do not begin where those of the one before
   * end, the rest is not replayed: a suffix may be lost, never a hole. Whether it may be lost is
   * told by the records behind the break that are still whole: each carries the synced point of
   * its time, and if one of them lies behind the break, then bytes that were durable are damaged.
   */

  private final StorageDirectory directory;
  private final OffHeap memory;
  private final SyncedPoint durable;
  private final LogRecordHandler handler;
  private final List<LogReplay.Kept> kept = new ArrayList<>();
  private final List<Long> dropped = new ArrayList<>();
  private long recordCount;
  private long endPosition;
  private long cutBytes;
  private @Nullable SyncedPoint torn;
  private SyncedPoint tailSynced;
  private boolean endGuarded = true;

  private LogReader(
      StorageDirectory directory, OffHeap memory, SyncedPoint durable, LogRecordHandler handler) {
    this.directory = directory;
    this.memory = memory;
    this.durable = durable;
    this.tailSynced = durable;
    this.handler = handler;
  }

  /**
   * Replays the log from segment {@code fromSegment} on, ignoring older ones. Changes nothing on
   * disk: call {@link LogReplay#settle} before anything is appended. No segment at all is an empty
   * log.
   *
   * @throws CorruptionException naming file and offset, when something that was durable cannot be
   *     read. The handler may have got records before; its owner throws away what it made of them.
   * @throws FormatTooNewException when a later release wrote a segment
   */
  public static LogReplay replay(
      StorageDirectory directory, OffHeap memory, long fromSegment, LogRecordHandler handler)
      throws IOException {
    return replay(directory, memory, fromSegment, SyncedPoint.NONE, handler);
  }

  /**
   * The same, knowing that all before {@code durable} was on the device once, as {@link Log#end}
   * said.
   */
  public static LogReplay replay(
      StorageDirectory directory,
      OffHeap memory,
      long fromSegment,
      SyncedPoint durable,
      LogRecordHandler handler)
      throws IOException {
    return new LogReader(directory, memory, durable, handler).replay(fromSegment);
  }

  private LogReplay replay(long fromSegment) throws IOException {
    List<Long> numbers = segmentsFrom(fromSegment);
    for (int i = 0; i < numbers.size(); i++) {
      if (numbers.get(i) != fromSegment + i) {
        throw new CorruptionException(
            LogFormat.fileName(fromSegment + i), 0, "this segment of the log is missing");
      }
      readSegment(numbers.get(i), i == numbers.size() - 1);
    }
    SyncedPoint tear = torn;
    String tornFile = tear == null ? null : LogFormat.fileName(tear.file());
    long tornOffset = tear == null ? 0 : tear.offset();
    if (tear != null && tornFile != null && wasSynced(tear)) {
      throw new CorruptionException(
          tornFile, tornOffset, "a record of the log that was synced cannot be read");
    }
    requireDurable(fromSegment);
    return new LogReplay(
        fromSegment,
        kept,
        dropped,
        recordCount,
        endPosition,
        cutBytes,
        tornFile,
        tornOffset,
        endGuarded);
  }

  /** A log that ends too early without a tear: its end is gone altogether. */
  private void requireDurable(long fromSegment) throws CorruptionException {
    LogReplay.Kept last = kept.isEmpty() ? null : kept.get(kept.size() - 1);
    SyncedPoint end =
        last == null
            ? new SyncedPoint(fromSegment, 0)
            : new SyncedPoint(last.number(), last.endOffset());
    if (durable.file() >= fromSegment && end.compareTo(durable) < 0) {
      throw new CorruptionException(
          LogFormat.fileName(end.file()),
          end.offset(),
          "the log ends here, but "
              + LogFormat.fileName(durable.file())
              + " was synced up to offset "
              + durable.offset());
    }
  }

  private boolean wasSynced(SyncedPoint missing) {
    if (tailSynced.compareTo(missing) > 0) {
      return true;
    }
    // The break may have begun at the end of the segment before, if nothing of this one is left.
    LogReplay.Kept last = kept.isEmpty() ? null : kept.get(kept.size() - 1);
    return last != null
        && tailSynced.file() == last.number()
        && tailSynced.offset() > last.endOffset();
  }

  private List<Long> segmentsFrom(long fromSegment) throws IOException {
    List<Long> numbers = new ArrayList<>();
    for (String name : directory.list()) {
      OptionalLong number = LogFormat.segmentNumber(name);
      if (number.isPresent() && number.getAsLong() >= fromSegment) {
        numbers.add(number.getAsLong());
      }
    }
    numbers.sort(null);
    return numbers;
  }

  private void readSegment(long number, boolean last) throws IOException {
    String name = LogFormat.fileName(number);
    try (RecordFileReader reader =
        RecordFileReader.openUnlessUnused(directory, name, LogFormat.KIND, number, memory)) {
      if (reader == null) {
        // A segment's header is durable before the next one is created.
        if (!last) {
          throw new CorruptionException(name, 0, "a segment of the log has lost its header");
        }
        dropped.add(number);
      } else if (torn != null) {
        drop(number, reader.scanAll());
      } else {
        readRecords(number, last, reader);
      }
    }
  }

  private void readRecords(long number, boolean last, RecordFileReader reader) throws IOException {
    boolean found = reader.nextUnjudged();
    long base = reader.knownBasePosition();
    if (!kept.isEmpty() && base != RecordFileReader.UNKNOWN && base != endPosition) {
      LogReplay.Kept before = kept.get(kept.size() - 1);
      torn = new SyncedPoint(before.number(), before.endOffset());
      drop(number, reader.scanAll());
      return;
    }
    while (found) {
      recordCount++;
      handler.record(number, reader.recordOffset(), reader.payload());
      found = reader.nextUnjudged();
    }
    boolean empty = reader.endOffset() == RecordFileFormat.HEADER_BYTES;
    if (reader.cutBytes() > 0 || (empty && !last)) {
      torn = new SyncedPoint(number, reader.endOffset());
      cutBytes += reader.cutBytes();
      tailSynced = tailSynced.max(reader.tailSynced());
    }
    if (empty) {
      dropped.add(number);
    } else {
      endPosition = reader.endPosition();
      endGuarded = reader.isEndGuarded();
      kept.add(new LogReplay.Kept(number, reader.endOffset(), reader.length()));
    }
  }

  private void drop(long number, RecordScan scan) {
    dropped.add(number);
    cutBytes += scan.contentEnd() - RecordFileFormat.HEADER_BYTES;
    tailSynced = tailSynced.max(scan.synced());
  }
}
