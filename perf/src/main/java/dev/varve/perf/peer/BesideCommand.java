package dev.varve.perf.peer;

import dev.varve.perf.server.AtLeastOne;
import dev.varve.perf.server.RespConnection;
import dev.varve.perf.server.ServerOptions;
import dev.varve.perf.server.ServerUnderTest;
import dev.varve.perf.server.SteadyLoad;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code beside}: what becomes of small reads while somebody reads or writes what is large. */
@Command(
    name = "beside",
    description =
        "Gets keys at a fixed rate while another client reads or writes all of something large.",
    mixinStandardHelpOptions = true)
public final class BesideCommand implements Callable<Integer> {
  private static final String EVERY_SECOND = "everysec";
  private static final int SECOND_MILLIS = 1000;

  private static final String TARGET = "target";

  /** What one client asks for again and again; the first is nothing. */
  private enum LongRequest {
    NOTHING,
    KEYS("KEYS", "*nothing*"),
    SCAN("SCAN", "0", "MATCH", "*nothing*", "COUNT", "100000000"),
    SINTERCARD("SINTERCARD", "2", DataSets.WHOLE_SET, DataSets.WHOLE_OTHER_SET),
    ZINTERCARD("ZINTERCARD", "2", DataSets.WHOLE_ZSET, DataSets.WHOLE_SET),
    SORT("SORT", DataSets.WHOLE_LIST, "ALPHA", "LIMIT", "0", "10"),
    HGETALL("HGETALL", DataSets.WHOLE_HASH),
    SINTERSTORE("SINTERSTORE", TARGET, DataSets.WHOLE_SET, DataSets.WHOLE_OTHER_SET),
    SUNIONSTORE("SUNIONSTORE", TARGET, DataSets.WHOLE_SET),
    ZUNIONSTORE("ZUNIONSTORE", TARGET, "1", DataSets.WHOLE_ZSET),
    COPY("COPY", DataSets.WHOLE_HASH, TARGET, "REPLACE");

    private final String[] words;

    LongRequest(String... words) {
      this.words = words;
    }
  }

  @Mixin private ServerOptions server = new ServerOptions();

  @Option(
      names = "--against",
      converter = PeerName.class,
      split = ",",
      description = "asked likewise: \"redis\" starts one, host:port names one that runs")
  private List<String> against = new ArrayList<>();

  @Option(
      names = "--members",
      converter = AtLeastOne.class,
      description = "of each collection, and keys beside (default ${DEFAULT-VALUE})")
  private int members = 1_000_000;

  @Option(
      names = "--per-second",
      converter = AtLeastOne.class,
      description = "GETs (default ${DEFAULT-VALUE})")
  private int perSecond = 1_000;

  @Option(
      names = "--requests",
      split = ",",
      description = "beside which, of ${COMPLETION-CANDIDATES} (default: all)")
  private List<LongRequest> requests = List.of(LongRequest.values());

  @Option(
      names = "--seconds",
      converter = AtLeastOne.class,
      description = "of each request (default ${DEFAULT-VALUE})")
  private int seconds = 5;

  private final PrintStream out = System.out;

  /** For picocli. */
  public BesideCommand() {}

  @Override
  public Integer call() throws IOException {
    List<Peer> peers = new ArrayList<>();
    try {
      peers.add(new VarvePeer(server.start(ServerCommand.HEAP_MEBIBYTES, out)));
      for (String each : against) {
        peers.add(Peer.named(each, server.parent(), EVERY_SECOND));
      }
      for (Peer peer : peers) {
        DataSets.writeWhole(peer, members);
        try (RespConnection connection = new RespConnection(peer.host(), peer.port())) {
          SteadyLoad.fill(connection);
        }
      }
      out.printf(
          "%n%,d members, %,d GETs a second%n%-12s %-12s %8s %12s %10s %10s %10s%n",
          members,
          perSecond,
          "beside",
          "server",
          "requests",
          "ms each",
          "GET p50 ms",
          "p99",
          "max");
      // Once for the compiler, and caches.
      for (Peer peer : peers) {
        for (LongRequest request : requests) {
          ask(peer, request);
        }
      }
      for (LongRequest request : requests) {
        for (Peer peer : peers) {
          print(request, peer, ask(peer, request));
        }
      }
      return 0;
    } finally {
      for (Peer peer : peers) {
        peer.close();
      }
    }
  }

  /**
   * What came of it.
   *
   * @param millis how long each of the long requests took
   */
  private record Beside(List<Double> millis, Histogram gets) {}

  private Beside ask(Peer peer, LongRequest request) throws IOException {
    List<Double> millis = new ArrayList<>();
    try (RespConnection client = new RespConnection(peer.host(), peer.port());
        SteadyLoad gets =
            new SteadyLoad(
                new RespConnection(peer.host(), peer.port()), SteadyLoad.Mix.GET, perSecond)) {
      if (request == LongRequest.NOTHING) {
        ServerUnderTest.sleepMillis(seconds * SECOND_MILLIS);
        return new Beside(millis, gets.end());
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      for (long from = System.nanoTime(); from < end; ) {
        client.ask(request.words);
        long to = System.nanoTime();
        millis.add((to - from) / 1e6);
        from = to;
      }
      return new Beside(millis, gets.end());
    }
  }

  private void print(LongRequest request, Peer peer, Beside beside) {
    boolean isAny = request != LongRequest.NOTHING;
    out.printf(
        Locale.ROOT,
        "%-12s %-12s %8s %12s %10.2f %10.2f %10.2f%n",
        request.name().toLowerCase(Locale.ROOT),
        peer.name(),
        isAny ? Integer.toString(beside.millis.size()) : "-",
        isAny ? String.format(Locale.ROOT, "%.1f", Row.middle(beside.millis)) : "-",
        beside.gets.getValueAtPercentile(50) / 1e6,
        beside.gets.getValueAtPercentile(99) / 1e6,
        beside.gets.getMaxValue() / 1e6);
  }
}
