package dev.varve.server.command.admin;

import dev.varve.server.command.observe.LatencyEvents;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * How long an event took of late, as a picture in ASCII: a bar for each second in which it was
 * slow, the newest at the right.
 *
 * <p>Pure functions, for any thread.
 */
final class LatencyGraph {
  /** What fits in a terminal beside the scale. */
  static final int BARS_MAX = 64;

  private static final int ROWS = 8;
  private static final char FULL = '#';

  /** A row that a bar fills by half or less. */
  private static final char HALF = '.';

  private LatencyGraph() {}

  /** The picture of a series, which has one sample at least. */
  static String of(LatencyEvents.Series series) {
    int from = Math.max(0, series.samples().size() - BARS_MAX);
    List<LatencyEvents.Sample> shown = series.samples().subList(from, series.samples().size());
    long high = 1;
    for (LatencyEvents.Sample sample : shown) {
      high = Math.max(high, sample.millis());
    }
    int width = Long.toString(high).length();
    StringBuilder text = new StringBuilder(series.event());
    text.append(": at most ").append(series.maxMillis()).append(" ms since it is noted\n\n");
    for (int row = ROWS - 1; row >= 0; row--) {
      StringBuilder line = new StringBuilder(scale(row, high, width)).append(" | ");
      for (LatencyEvents.Sample sample : shown) {
        line.append(cell(row, sample.millis(), high));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    text.append(" ".repeat(width + 3)).append(" +-").append("-".repeat(shown.size())).append('\n');
    return text.append(Instant.ofEpochSecond(shown.get(0).seconds()))
        .append(" to ")
        .append(Instant.ofEpochSecond(series.last().seconds()))
        .append('\n')
        .toString();
  }

  /** The highest and the lowest row say what they stand for. */
  private static String scale(int row, long high, int width) {
    if (row > 0 && row < ROWS - 1) {
      return " ".repeat(width + 3);
    }
    return String.format(Locale.ROOT, "%" + width + "d ms", row == 0 ? 0 : high);
  }

  private static char cell(int row, long millis, long high) {
    double rows = (double) millis * ROWS / high - row;
    if (rows <= 0) {
      return ' ';
    }
    return rows <= 0.5 ? HALF : FULL;
  }
}
