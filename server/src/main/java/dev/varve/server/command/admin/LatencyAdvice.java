package dev.varve.server.command.admin;

import dev.varve.server.command.observe.LatencyEvents;
import java.util.List;
import java.util.Locale;

/**
 * What LATENCY DOCTOR says: what took long, how often, and what to look at next.
 *
 * <p>Pure functions, for any thread.
 */
final class LatencyAdvice {
  private static final String OFF =
      "Nothing is noted: latency-monitor-threshold is 0. CONFIG SET latency-monitor-threshold 100"
          + " notes what takes 100 ms and more.\n";
  private static final String NOTHING = "Nothing has taken as long as latency-monitor-threshold.\n";

  private LatencyAdvice() {}

  /**
   * @param isOn whether anything is noted
   * @param blocks how often an event loop was busy for too long
   * @param blocksItself how often even without its waits for a processor
   * @param longestBlockMillis the longest of these times
   */
  static String of(
      List<LatencyEvents.Series> all,
      boolean isOn,
      long blocks,
      long blocksItself,
      long longestBlockMillis) {
    StringBuilder text = new StringBuilder();
    if (!isOn) {
      text.append(OFF);
    } else if (all.isEmpty()) {
      text.append(NOTHING);
    }
    for (LatencyEvents.Series series : all) {
      text.append(describe(series)).append(advice(series.event()));
    }
    if (blocks > 0) {
      text.append(
          String.format(
              Locale.ROOT,
              "Event loops were held up %d times, for %d ms at most; the log has a stack trace of"
                  + " each.%n",
              blocks,
              longestBlockMillis));
      if (blocksItself < blocks) {
        text.append(
            String.format(
                Locale.ROOT,
                "  For want of a processor alone: %d times. The machine has more to do than it can.%n",
                blocks - blocksItself));
      }
    }
    return text.toString();
  }

  private static String describe(LatencyEvents.Series series) {
    List<LatencyEvents.Sample> samples = series.samples();
    long sum = 0;
    for (LatencyEvents.Sample sample : samples) {
      sum += sample.millis();
    }
    return String.format(
        Locale.ROOT,
        "%s: slow in %d of the last %d seconds, for %d ms on average and %d ms at most.%n",
        series.event(),
        samples.size(),
        series.last().seconds() - samples.get(0).seconds() + 1,
        sum / samples.size(),
        series.maxMillis());
  }

  private static String advice(String event) {
    if (event.equals("fast-command")) {
      return "  These commands touch one key or little more, so it was not them: look for pauses of"
          + " the\n  collector (-Xlog:gc), for other processes that want the processor, and for"
          + " swapping.\n";
    }
    return "  SLOWLOG GET names the commands. What walks over much (KEYS, SMEMBERS, HGETALL, LRANGE"
        + " 0 -1,\n  SORT, long scripts) can be asked for in steps: SCAN, SSCAN, HSCAN, ZSCAN,"
        + " ranges.\n";
  }
}
