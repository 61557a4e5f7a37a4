package dev.varve.perf.engine;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A bar that says how far a run is, on a terminal only. For one thread. */
final class Progress {
  private static final int WIDTH = 30;
  private static final int OPERATIONS_BETWEEN_LOOKS = 1 << 10;
  private static final long NANOS_BETWEEN_LINES = 200_000_000L;

  private final @Nullable PrintStream terminal;
  private final LongSupplier nanoClock;
  private final int steps;
  private int step = -1;
  private String what = "";
  private long operations;
  private long lastLine;

  /**
   * @param terminal where the bar is drawn; null for nowhere
   * @param steps how many {@link #step}s there will be
   */
  Progress(@Nullable PrintStream terminal, LongSupplier nanoClock, int steps) {
    this.terminal = terminal;
    this.nanoClock = nanoClock;
    this.steps = steps;
    this.lastLine = nanoClock.getAsLong();
  }

  /** Draws on standard error if somebody looks at it. */
  static Progress onTerminal(int steps) {
    return new Progress(System.console() == null ? null : System.err, System::nanoTime, steps);
  }

  /** The next step begins. */
  void step(String name) {
    step++;
    what = name;
    operations = 0;
    draw(0);
  }

  /** The operations of the current step that are worth showing begin. */
  void begin(long count) {
    operations = count;
  }

  /** So many of them are done. */
  void at(long operation) {
    if ((operation & OPERATIONS_BETWEEN_LOOKS - 1) == 0 && terminal != null) {
      long now = nanoClock.getAsLong();
      if (now - lastLine >= NANOS_BETWEEN_LINES) {
        lastLine = now;
        draw(operation);
      }
    }
  }

  /** Takes the bar away, so that something else can be printed. */
  void clear() {
    if (terminal != null) {
      terminal.print("\r\033[K");
      terminal.flush();
    }
  }

  private void draw(long operation) {
    if (terminal != null) {
      double share = (step + (operations == 0 ? 0 : (double) operation / operations)) / steps;
      terminal.print("\r\033[K" + line(Math.min(1, Math.max(0, share)), what));
      terminal.flush();
    }
  }

  static String line(double share, String what) {
    int full = (int) Math.round(share * WIDTH);
    return String.format(
        Locale.ROOT,
        "[%s%s] %3.0f%% %s",
        "#".repeat(full),
        ".".repeat(WIDTH - full),
        share * 100,
        what);
  }
}
