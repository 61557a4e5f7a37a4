package dev.varve.perf.peer;

import static java.util.Objects.requireNonNull;

import dev.varve.perf.server.AtLeastOne;
import dev.varve.perf.server.RespConnection;
import dev.varve.perf.server.ServerOptions;
import dev.varve.perf.server.ServerUnderTest;
import dev.varve.perf.server.Standstills;
import dev.varve.perf.server.Verdict;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sustained}: most of what the server can do, for long, while it flushes and merges. */
@Command(
    name = "sustained",
    description = "Loads the server for minutes, and looks for seconds that stand out.",
    mixinStandardHelpOptions = true)
public final class SustainedCommand implements Callable<Integer> {
  private static final int CONNECTIONS = 16;
  private static final int WINDOW = 8;
  private static final int PEAK_SECONDS = 15;
  private static final int QUIET_SECONDS = 10;

  /**
   * Generator and server compile anew what they run under this load: for some seconds two compilers
   * have the processors, and what is late then is late for both of them.
   */
  private static final int SETTLING_SECONDS = 15;

  /** Far from any limit: what is late then is late for another reason than load. */
  private static final double QUIET_PER_SECOND = 1000;

  private static final int MINUTE = 60;

  /** A server that does not tell when it is quiet is given so long. */
  private static final int REST_MILLIS = 5000;

  private static final String EVERY_SECOND = "everysec";
  private static final double WANTED_TAIL = 5;
  private static final double WANTED_LAST_OVER_FIRST = 0.9;

  @Mixin private ServerOptions server = new ServerOptions();

  @Option(
      names = "--minutes",
      converter = AtLeastOne.class,
      description = "of load (default ${DEFAULT-VALUE})")
  private int minutes = 10;

  @Option(names = "--share", description = "of the peak (default ${DEFAULT-VALUE})")
  private double share = 0.7;

  @Option(
      names = "--against",
      converter = PeerName.class,
      split = ",",
      description =
          "loaded likewise, afterwards: \"redis\" starts one, host:port names one that runs")
  private List<String> against = new ArrayList<>();

  @Spec private @Nullable CommandSpec spec;

  private final PrintStream out = System.out;

  /** Lets a server come to rest. */
  private interface Rest {
    void await() throws IOException;
  }

  /** For picocli. */
  public SustainedCommand() {}

  @Override
  public Integer call() throws IOException {
    if (!(share > 0)) {
      throw new ParameterException(requireNonNull(spec).commandLine(), "--share is more than 0");
    }
    try (ServerUnderTest started = server.start(out);
        RespConnection control = started.connect()) {
      load(new VarvePeer(started), () -> started.awaitQuiet(control));
      started.printMemory(out, control);
    }
    for (String each : against) {
      try (Peer peer = Peer.named(each, server.parent(), EVERY_SECOND)) {
        load(peer, () -> ServerUnderTest.sleepMillis(REST_MILLIS));
      }
    }
    return 0;
  }

  private void load(Peer peer, Rest rest) throws IOException {
    double peak;
    Histogram quiet;
    try (GeneratedLoad load = new GeneratedLoad(peer, CONNECTIONS)) {
      load.saturate(Mix.STORE, WINDOW, PEAK_SECONDS);
      peak = load.saturate(Mix.STORE, WINDOW, PEAK_SECONDS).perSecond();
      rest.await();
      quiet = load.pace(Mix.STORE, WINDOW, QUIET_PER_SECOND, QUIET_SECONDS);
    }
    out.printf(
        Locale.ROOT,
        "%s: peak %,.0f/s; quiet server: p50 %.2f ms, p99 %.2f ms%n",
        peer.name(),
        peak,
        millis(quiet, 50),
        millis(quiet, 99));
    List<Long> perSecond = new ArrayList<>();
    List<Double> p99PerSecond = new ArrayList<>();
    Histogram loaded;
    try (GeneratedLoad load = new GeneratedLoad(peer, CONNECTIONS);
        Standstills machine = new Standstills()) {
      Histogram settling = load.pace(Mix.STORE, WINDOW, share * peak, SETTLING_SECONDS);
      out.printf(
          Locale.ROOT,
          "the first %d s of the load do not count: p99 %.2f ms, longest %.2f ms%n",
          SETTLING_SECONDS,
          millis(settling, 99),
          millis(settling, 100));
      loaded =
          load.pace(
              Mix.STORE,
              WINDOW,
              share * peak,
              (long) minutes * MINUTE,
              second -> {
                perSecond.add(second.getTotalCount());
                p99PerSecond.add(millis(second, 99));
                if (perSecond.size() % MINUTE == 0) {
                  out.printf(
                      Locale.ROOT,
                      "minute %d: %,d/s, p99 of its last second %.2f ms%n",
                      perSecond.size() / MINUTE,
                      second.getTotalCount(),
                      millis(second, 99));
                }
              });
      machine.print(out);
    }
    print(perSecond, loaded, millis(quiet, 99));
    printSlowSeconds(p99PerSecond, WANTED_TAIL * millis(quiet, 99));
  }

  private void print(List<Long> perSecond, Histogram loaded, double quietP99) {
    out.printf(
        Locale.ROOT,
        "loaded: p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, longest %.2f ms%n",
        millis(loaded, 50),
        millis(loaded, 99),
        millis(loaded, 99.9),
        loaded.getMaxValue() / 1e6);
    Verdict.atMost(
            "p99.9 under load over p99 of the quiet server",
            millis(loaded, 99.9) / quietP99,
            WANTED_TAIL)
        .print(out);
    Verdict.atMost(
            "seconds without progress", perSecond.stream().filter(each -> each == 0).count(), 0)
        .print(out);
    int span = Math.min(MINUTE, perSecond.size() / 2);
    double first = sum(perSecond.subList(0, span));
    double last = sum(perSecond.subList(perSecond.size() - span, perSecond.size()));
    Verdict.atLeast(
            "throughput of the last minute over the first", last / first, WANTED_LAST_OVER_FIRST)
        .print(out);
  }

  /** In which minutes the seconds were that stood out. */
  private void printSlowSeconds(List<Double> p99PerSecond, double limitMillis) {
    List<Long> perMinute = new ArrayList<>();
    for (int from = 0; from < p99PerSecond.size(); from += MINUTE) {
      List<Double> minute =
          p99PerSecond.subList(from, Math.min(p99PerSecond.size(), from + MINUTE));
      perMinute.add(minute.stream().filter(each -> each > limitMillis).count());
    }
    out.printf(
        Locale.ROOT,
        "  seconds of each minute with a p99 over %.2f ms: %s; longest p99 %.0f ms, middle %.2f%n",
        limitMillis,
        perMinute,
        p99PerSecond.stream().mapToDouble(each -> each).max().orElse(0),
        Row.middle(p99PerSecond));
  }

  private static double sum(List<Long> counts) {
    return counts.stream().mapToLong(each -> each).sum();
  }

  private static double millis(Histogram nanos, double percentile) {
    return nanos.getValueAtPercentile(percentile) / 1e6;
  }
}
