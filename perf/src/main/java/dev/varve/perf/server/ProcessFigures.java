package dev.varve.perf.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the system says of a process at one moment. Immutable.
 *
 * @param cpuSeconds user and system time of all its threads; NaN where nobody tells
 * @param residentBytes -1 where nobody tells
 */
public record ProcessFigures(double cpuSeconds, long residentBytes) {
  /** Of a process that nobody here can look at. */
  public static final ProcessFigures UNKNOWN = new ProcessFigures(Double.NaN, -1);

  // Linux has shown times in hundredths of a second to all programs since 2.6, whatever its timer.
  private static final double TICKS_PER_SECOND = 100;
  private static final int USER_TICKS = 11;
  private static final int SYSTEM_TICKS = 12;
  private static final String RESIDENT = "VmRSS:";

  /** Of the process {@code pid}; unknown without a Linux {@code /proc}. */
  public static ProcessFigures of(long pid) throws IOException {
    Path process = Path.of("/proc", Long.toString(pid));
    if (!Files.isReadable(process.resolve("stat"))) {
      return UNKNOWN;
    }
    String stat = Files.readString(process.resolve("stat"));
    // The name in brackets may hold blanks: fields are counted from behind it.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    double ticks =
        Double.parseDouble(fields[USER_TICKS]) + Double.parseDouble(fields[SYSTEM_TICKS]);
    long resident = -1;
    for (String line : Files.readAllLines(process.resolve("status"))) {
      if (line.startsWith(RESIDENT)) {
        resident = Long.parseLong(line.replaceAll("\\D", "")) * 1024;
      }
    }
    return new ProcessFigures(ticks / TICKS_PER_SECOND, resident);
  }
}
