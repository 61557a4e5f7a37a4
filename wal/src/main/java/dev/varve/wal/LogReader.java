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
   *
   * Which segments there must be is told by what the log's owner has written down: all up to the
   * one that was durable. Where that is a log's beginning, then from there on no moment was without
   * a segment that the owner asks for: one is durable before its owner gives up those before it,
   * and settling a log leaves one. So the first one must be there, however far the owner is.
   */

  private final StorageDirectory directory;
  private final OffHeap memory;
  private final SyncedPoint durable;
  private final LogRecordHandler handler;
  private final List<LogReplay.Kept> kept = new ArrayList<>();
  private final List<Long> dropped = new ArrayList<>();
  private long lastKnown;
  private SyncedPoint reached = SyncedPoint.NONE;
  private long recordCount;
  private long endPosition;
  private long cutBytes;
  private @Nullable SyncedPoint torn;
  private SyncedPoint tailSynced;

  /** What is known to be on the device, by what was replayed or by what the owner has said. */
  private SyncedPoint synced;

  private LogReader(
      StorageDirectory directory, OffHeap memory, SyncedPoint durable, LogRecordHandler handler) {
    this.directory = directory;
    this.memory = memory;
    this.durable = durable;
    this.tailSynced = withFirstMark(durable);
    this.synced = withFirstMark(durable);
    this.handler = handler;
  }

  /**
   * Replays the log from segment {@code fromSegment} on, ignoring older ones. Changes nothing on
   * disk: call {@link LogReplay#settle} before anything is appended. No segment at all is an empty
   * log, for nothing is known of it.
   *
   * @throws CorruptionException naming file and offset, when something that was durable cannot be
   *     read. The handler may have got records before; its owner throws away what it made of them.
   * @throws FormatTooNewException when a later release wrote a segment
   */
  static LogReplay replay(
      StorageDirectory directory, OffHeap memory, long fromSegment, LogRecordHandler handler)
      throws IOException {
    return replay(directory, memory, fromSegment, SyncedPoint.NONE, handler);
  }

  /**
   * The same, knowing that all before {@code durable} was on the device once, as {@link Log#begin}
   * or {@link Log#end} said: a segment that must be there and is not is corruption too.
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
    requireSegments(fromSegment, numbers);
    reached = new SyncedPoint(fromSegment, 0);
    for (int i = 0; i < numbers.size(); i++) {
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
        synced,
        recordCount,
        endPosition,
        cutBytes,
        tornFile,
        tornOffset);
  }

  /** None is missing, neither before another one nor at the end. */
  private void requireSegments(long fromSegment, List<Long> numbers) throws CorruptionException {
    if (durable.file() >= fromSegment) {
      lastKnown = durable.file();
    } else if (LogFormat.isBeginning(durable)) {
      lastKnown = fromSegment;
    }
    long last = numbers.isEmpty() ? 0 : numbers.get(numbers.size() - 1);
    for (long number = fromSegment; number <= Math.max(last, lastKnown); number++) {
      long at = number - fromSegment;
      if (at >= numbers.size() || numbers.get((int) at) != number) {
        throw new CorruptionException(
            LogFormat.fileName(number),
            0,
            "this segment of the log is missing: it may hold what is in no table yet");
      }
    }
  }

  /** A log that ends too early without a tear: its end is gone altogether. */
  private void requireDurable(long fromSegment) throws CorruptionException {
    SyncedPoint known = withFirstMark(durable);
    if (known.file() >= fromSegment && reached.compareTo(known) < 0) {
      throw new CorruptionException(
          LogFormat.fileName(reached.file()),
          reached.offset(),
          "the log ends here, but "
              + LogFormat.fileName(known.file())
              + " was synced up to offset "
              + known.offset());
    }
  }

  /** A log begins with a mark, which is durable before anybody says where it began. */
  private static SyncedPoint withFirstMark(SyncedPoint durable) {
    return LogFormat.isBeginning(durable)
        ? new SyncedPoint(durable.file(), durable.offset() + RecordFileFormat.RECORD_HEADER_BYTES)
        : durable;
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
        if (!last || number <= lastKnown) {
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
    reached = new SyncedPoint(number, reader.endOffset());
    synced = synced.max(reader.synced());
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
      kept.add(new LogReplay.Kept(number, reader.endOffset(), reader.length()));
    }
  }

  private void drop(long number, RecordScan scan) {
    dropped.add(number);
    cutBytes += scan.contentEnd() - RecordFileFormat.HEADER_BYTES;
    tailSynced = tailSynced.max(scan.synced());
  }
}
