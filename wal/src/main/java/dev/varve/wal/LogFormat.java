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
