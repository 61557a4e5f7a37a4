package dev.varve.perf.server;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code expire}: a multitude of keys is due in the same millisecond. */
@Command(
    name = "expire",
    description = "Lets many keys expire at once and looks who notices.",
    mixinStandardHelpOptions = true)
public final class ExpireCommand implements Callable<Integer> {
  private static final int PIPELINE = 500;
  private static final int PROBES = 1_000;
  private static final String VALUE = "v".repeat(50);

  /** A slow machine still loads so many keys in a second; those that do not are told so. */
  private static final long KEYS_PER_SECOND_MIN = 15_000;

  private static final long LEAD_MILLIS_MIN = 15_000;

  /** Measured idle before the deadline; the load must have ended before. */
  private static final long IDLE_MILLIS = 5_000;

  /** Before the deadline, where every key still has to be there. */
  private static final long ALIVE_MILLIS = 1_000;

  /** Expire before it counts, so that the code is compiled. */
  private static final int WARM_UP_KEYS = 200_000;

  private static final long WARM_UP_MILLIS = 10_000;

  private static final long WATCHED_MILLIS_MIN = 2_000;
  private static final long WATCHED_MILLIS_MAX = 60_000;
  private static final long SAMPLE_MILLIS = 500;
  private static final double WANTED_PING_MILLIS = 10;
  private static final double WANTED_EXACT_SECONDS = 2;

  @Mixin private ServerOptions server = new ServerOptions();

  @Option(
      names = "--keys",
      converter = AtLeastOne.class,
      description = "keys that expire (default ${DEFAULT-VALUE})")
  private int keys = 1_000_000;

  @Option(
      names = "--load",
      converter = AtLeastOne.class,
      description = "PINGs per second, and as many GETs and SETs (default ${DEFAULT-VALUE})")
  private int loadPerSecond = 500;

  @Option(
      names = "--lead-seconds",
      description = "time to load the keys (default: enough for 15,000 a second)")
  private long leadSeconds;

  /** For picocli. */
  public ExpireCommand() {}

  @Override
  public Integer call() throws IOException {
    PrintStream out = System.out;
    try (ServerUnderTest started = server.start(out);
        RespConnection control = started.connect()) {
      SteadyLoad.fill(control);
      measure(started, control, out);
      started.printMemory(out, control);
    }
    return 0;
  }

  private void measure(ServerUnderTest started, RespConnection control, PrintStream out)
      throws IOException {
    long staying = control.ask("DBSIZE");
    warmUp(control, staying);
    started.awaitQuiet(control);
    DiskCurve.Point empty = DiskCurve.point(started, control, System.nanoTime());
    long leadMillis =
        leadSeconds > 0
            ? TimeUnit.SECONDS.toMillis(leadSeconds)
            : LEAD_MILLIS_MIN + 1000L * keys / KEYS_PER_SECOND_MIN;
    long deadlineMillis = System.currentTimeMillis() + leadMillis;
    out.printf(Locale.ROOT, "%n%,d keys due at %d ms%n", keys, deadlineMillis);
    fill(control, "due:", keys, deadlineMillis);
    long left = deadlineMillis - System.currentTimeMillis();
    if (left < IDLE_MILLIS + ALIVE_MILLIS) {
      throw new IOException("loading took too long: say --lead-seconds " + leadMillis / 500);
    }
    out.printf(Locale.ROOT, "  loaded %.1f s before%n", left / 1e3);
    sleepUntil(deadlineMillis - IDLE_MILLIS - ALIVE_MILLIS);
    DiskCurve curve = new DiskCurve(empty, DiskCurve.point(started, control, System.nanoTime()));
    try (SteadyLoad pings = new SteadyLoad(started, SteadyLoad.Mix.PING, loadPerSecond);
        SteadyLoad others = new SteadyLoad(started, SteadyLoad.Mix.GET_SET, loadPerSecond)) {
      ServerUnderTest.sleepMillis(IDLE_MILLIS / 10);
      pings.latencies();
      others.latencies();
      sleepUntil(deadlineMillis - ALIVE_MILLIS);
      check("alive just before", alive(control), PROBES, out);
      sleepUntil(deadlineMillis);
      printLatencies("PING before", pings.latencies(), out);
      printLatencies("others before", others.latencies(), out);
      check("alive at the deadline", alive(control), 0, out);
      long startNanos =
          System.nanoTime()
              - TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis() - deadlineMillis);
      double cpuBefore = ServerFigures.ask(control).cpuSeconds();
      long exactMillis = awaitSize(started, control, staying, curve, startNanos);
      double cpuAfter = ServerFigures.ask(control).cpuSeconds();
      sleepUntil(deadlineMillis + WATCHED_MILLIS_MIN);
      Histogram pinged = pings.latencies();
      printLatencies("PING during", pinged, out);
      printLatencies("others during", others.latencies(), out);
      curve.followUntilBack(started, control, startNanos);
      printLatencies("PING after", pings.latencies(), out);
      printLatencies("others after", others.latencies(), out);
      curve.print(out);
      out.printf(
          Locale.ROOT, "  server CPU until DBSIZE was exact: %.2f s%n", cpuAfter - cpuBefore);
      Verdict.atMost("p99 of PING during, ms", millis(pinged, 99), WANTED_PING_MILLIS).print(out);
      Verdict.atMost("DBSIZE exact after, s", exactMillis / 1e3, WANTED_EXACT_SECONDS).print(out);
      curve.printVerdicts(out);
    }
  }

  private static void warmUp(RespConnection control, long staying) throws IOException {
    long deadlineMillis = System.currentTimeMillis() + WARM_UP_MILLIS;
    fill(control, "warm:", WARM_UP_KEYS, deadlineMillis);
    control.ask("SAVE");
    sleepUntil(deadlineMillis);
    for (int i = 0; control.ask("DBSIZE") != staying; i++) {
      if (i * SAMPLE_MILLIS > WATCHED_MILLIS_MAX) {
        throw new IOException("the keys of the warm-up do not go");
      }
      ServerUnderTest.sleepMillis(SAMPLE_MILLIS);
    }
  }

  private static void fill(RespConnection control, String prefix, int keys, long deadlineMillis)
      throws IOException {
    String deadline = Long.toString(deadlineMillis);
    for (int from = 0; from < keys; from += PIPELINE) {
      int count = Math.min(PIPELINE, keys - from);
      for (int i = from; i < from + count; i++) {
        control.send("SET", prefix + i, VALUE, "PXAT", deadline);
      }
      control.flush();
      control.skipReplies(count);
    }
  }

  /** How many of some keys, spread over all, a GET finds. */
  private int alive(RespConnection control) throws IOException {
    for (int i = 0; i < PROBES; i++) {
      control.send("GET", "due:" + (long) i * keys / PROBES);
    }
    control.flush();
    int found = 0;
    for (int i = 0; i < PROBES; i++) {
      found += control.reply() >= 0 ? 1 : 0;
    }
    return found;
  }

  private static void check(String what, int found, int expected, PrintStream out) {
    out.printf(
        "  %-6s %d of %d keys %s%n", found == expected ? "held" : "MISSED", found, PROBES, what);
  }

  /** Ms from the deadline until DBSIZE says {@code expected}; the disk is watched meanwhile. */
  private static long awaitSize(
      ServerUnderTest started,
      RespConnection control,
      long expected,
      DiskCurve curve,
      long startNanos)
      throws IOException {
    long sampledMillis = 0;
    while (true) {
      long size = control.ask("DBSIZE");
      long after = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
      if (size == expected) {
        return after;
      }
      if (after > WATCHED_MILLIS_MAX) {
        throw new IOException("DBSIZE is " + size + " instead of " + expected + " after a minute");
      }
      if (after >= sampledMillis + SAMPLE_MILLIS) {
        sampledMillis = after;
        curve.sample(started, control, startNanos);
      }
      ServerUnderTest.sleepMillis(20);
    }
  }

  private static void sleepUntil(long millis) {
    long left;
    while ((left = millis - System.currentTimeMillis()) > 0) {
      ServerUnderTest.sleepMillis(left);
    }
  }

  private static void printLatencies(String who, Histogram nanos, PrintStream out) {
    out.printf(
        Locale.ROOT,
        "  %-14s ms: p50 %.2f, p99 %.2f, max %.2f (%,d requests)%n",
        who,
        millis(nanos, 50),
        millis(nanos, 99),
        nanos.getMaxValue() / 1e6,
        nanos.getTotalCount());
  }

  private static double millis(Histogram nanos, double percentile) {
    return nanos.getValueAtPercentile(percentile) / 1e6;
  }
}
