package dev.varve.perf.server;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Bytes on disk over time, from a death until its space is back. Single-threaded. */
final class DiskCurve {
  /** Promised: seconds for each GB of dead data; less than one counts as one. */
  private static final double WANTED_SECONDS_PER_GB = 30;

  /** A death stays in the counts until the memtable of its time is flushed: so long at most. */
  private static final long COUNTED_MILLIS = 40_000;

  private static final double GIGABYTE = 1e9;
  private static final double MEGABYTE = 1e6;

  /** What may be left of the dead: tables are cut in pieces of their own size. */
  private static final double REST = 0.05;

  /** And what the steady load may have added to the log; less dead data than this tells nothing. */
  private static final long REST_BYTES = 4 << 20;

  private static final long SAMPLE_MILLIS = 200;

  /** How much later the next line of the table is. */
  private static final double SHOWN_GROWTH = 1.4;

  /** A moment; {@code millis} since the death. */
  record Point(long millis, long directoryBytes, long tableBytes, long pendingBytes) {}

  private final List<Point> points = new ArrayList<>();
  private final Point empty;
  private final long deadBytes;

  /**
   * @param empty the server before the data came
   * @param full the server with it, all settled
   */
  DiskCurve(Point empty, Point full) {
    this.empty = empty;
    this.deadBytes = Math.max(0, full.directoryBytes - empty.directoryBytes);
    points.add(new Point(0, full.directoryBytes, full.tableBytes, full.pendingBytes));
  }

  /** The server now. */
  static Point point(ServerUnderTest server, RespConnection control, long startNanos)
      throws IOException {
    ServerFigures figures = ServerFigures.ask(control);
    return new Point(
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos),
        server.diskBytes(),
        figures.number("table_bytes"),
        figures.number("garbage_pending_bytes"));
  }

  /** Follows until the space is back, or for twice as long as it may take. */
  void followUntilBack(ServerUnderTest server, RespConnection control, long startNanos)
      throws IOException {
    follow(server, control, startNanos, this::isBack, 2 * wantedMillis());
  }

  /** Follows until so long after the death. */
  void followFor(ServerUnderTest server, RespConnection control, long startNanos, long millis)
      throws IOException {
    follow(server, control, startNanos, point -> point.millis >= millis, millis);
  }

  /** Follows until no garbage is counted, or for twice as long as it may take. */
  void followUntilCounted(ServerUnderTest server, RespConnection control, long startNanos)
      throws IOException {
    follow(server, control, startNanos, this::isCounted, 2 * countedMillis());
  }

  private void follow(
      ServerUnderTest server,
      RespConnection control,
      long startNanos,
      Predicate<Point> reached,
      long patienceMillis)
      throws IOException {
    Point last = points.get(points.size() - 1);
    while (last.millis == 0 || (!reached.test(last) && last.millis < patienceMillis)) {
      ServerUnderTest.sleepMillis(SAMPLE_MILLIS);
      last = sample(server, control, startNanos);
    }
  }

  /** Adds the server as it is now. */
  Point sample(ServerUnderTest server, RespConnection control, long startNanos) throws IOException {
    Point now = point(server, control, startNanos);
    points.add(now);
    return now;
  }

  private boolean isBack(Point point) {
    return point.directoryBytes <= empty.directoryBytes + REST * deadBytes + REST_BYTES;
  }

  private boolean isCounted(Point point) {
    return point.pendingBytes <= empty.pendingBytes;
  }

  private long wantedMillis() {
    return (long) (1000 * WANTED_SECONDS_PER_GB * Math.max(1, deadBytes / GIGABYTE));
  }

  private long countedMillis() {
    return wantedMillis() + COUNTED_MILLIS;
  }

  long deadBytes() {
    return deadBytes;
  }

  /** How much smaller the tables are now than before the death. */
  long freedTableBytes(ServerFigures now) {
    return points.get(0).tableBytes - now.number("table_bytes");
  }

  void print(PrintStream out) {
    out.printf("  %9s %14s %12s %12s%n", "after s", "directory MB", "tables MB", "pending MB");
    double next = 0;
    for (Point point : points) {
      boolean isLast = point == points.get(points.size() - 1);
      if (point.millis >= next || isLast) {
        print(out, point);
        next = point.millis * SHOWN_GROWTH;
      }
    }
  }

  private static void print(PrintStream out, Point point) {
    out.printf(
        Locale.ROOT,
        "  %9.1f %14.1f %12.1f %12.1f%n",
        point.millis / 1e3,
        point.directoryBytes / MEGABYTE,
        point.tableBytes / MEGABYTE,
        point.pendingBytes / MEGABYTE);
  }

  /** Prints whether the space was back in time, if there was enough of it, and the counters too. */
  void printVerdicts(PrintStream out) {
    if (deadBytes > 2 * REST_BYTES) {
      String what = String.format(Locale.ROOT, "%.1f MB back on disk, s", deadBytes / MEGABYTE);
      verdict(what, this::isBack, wantedMillis() / 1e3).print(out);
    }
    verdict("no garbage pending, s", this::isCounted, countedMillis() / 1e3).print(out);
  }

  private Verdict verdict(String what, Predicate<Point> reached, double wantedSeconds) {
    double seconds = Double.POSITIVE_INFINITY;
    for (Point point : points.subList(1, points.size())) {
      if (reached.test(point)) {
        seconds = point.millis / 1e3;
        break;
      }
    }
    return Verdict.atMost(what, seconds, wantedSeconds);
  }
}
