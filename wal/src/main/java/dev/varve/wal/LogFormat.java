package dev.varve.wal;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What makes a record file a segment of the log: its name and its kind. The bytes are those of
 * {@link RecordFileFormat}; the file number is the segment number.
 *
 * <p>Holds no state.
 */
public final class LogFormat {
  public static final RecordFileKind KIND = new RecordFileKind("VARVELOG", 1);

  private static final Pattern NAME = Pattern.compile("(\\d{16})\\.log");

  private LogFormat() {}

  /**
   * Where a log begins whose first segment has that number: behind the header. What {@link
   * Log#begin} returns, and nothing else, has this form: a log that was closed ends behind a mark.
   */
  static SyncedPoint beginning(long segmentNumber) {
    return new SyncedPoint(segmentNumber, RecordFileFormat.HEADER_BYTES);
  }

  /** Whether the point says where a log began, not where one ended. */
  static boolean isBeginning(SyncedPoint point) {
    return point.file() > 0 && point.offset() == RecordFileFormat.HEADER_BYTES;
  }

  /** {@code 0000000000000007.log} for segment 7: names sort as numbers do. */
  public static String fileName(long segmentNumber) {
    return String.format(Locale.ROOT, "%016d.log", segmentNumber);
  }

  /** The segment number in a file name; empty for a file that is no segment. */
  public static OptionalLong segmentNumber(String fileName) {
    Matcher matcher = NAME.matcher(fileName);
    return matcher.matches()
        ? OptionalLong.of(Long.parseLong(matcher.group(1)))
        : OptionalLong.empty();
  }
}
