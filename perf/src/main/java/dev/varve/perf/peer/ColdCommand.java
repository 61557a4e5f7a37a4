package dev.varve.perf.peer;

import dev.varve.perf.server.AtLeastOne;
import dev.varve.perf.server.RespConnection;
import dev.varve.perf.server.ServerFigures;
import dev.varve.perf.server.ServerOptions;
import dev.varve.perf.server.ServerUnderTest;
import dev.varve.perf.server.Standstills;
import dev.varve.perf.server.SteadyLoad;
import dev.varve.perf.server.Verdict;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cold}: random reads of data that is ten times what memory may hold. */
@Command(
    name = "cold",
    description = "Reads data larger than memory at random, beside what the disk itself gives.",
    mixinStandardHelpOptions = true)
public final class ColdCommand implements Callable<Integer> {
  private static final int VALUE_BYTES = 1000;
  private static final int PIPELINE = 200;
  private static final int STEADY_PER_SECOND = 1000;
  private static final String BLOCKED = "event_loop_blocked_total";
  private static final String BLOCKED_ITSELF = "event_loop_blocked_itself_total";
  private static final String MISSES = "block_cache_misses";
  private static final double WANTED_OF_DISK = 0.8;
  private static final double WANTED_P99_MILLIS = 2;

  @Mixin private ServerOptions server = new ServerOptions();

  @Option(
      names = "--memory-mib",
      converter = AtLeastOne.class,
      description = "the server's budget (default ${DEFAULT-VALUE})")
  private int memoryMebibytes = 400;

  @Option(
      names = "--times",
      converter = AtLeastOne.class,
      description = "data over budget (default ${DEFAULT-VALUE})")
  private int times = 10;

  @Option(
      names = "--clients",
      converter = AtLeastOne.class,
      description = "and threads of the probe (default ${DEFAULT-VALUE})")
  private int clients = 50;

  @Option(
      names = "--pipelines",
      converter = AtLeastOne.class,
      split = ",",
      description = "requests under way per connection (default ${DEFAULT-VALUE})")
  private List<Integer> pipelines = new ArrayList<>(List.of(1, 16));

  @Option(
      names = "--seconds",
      converter = AtLeastOne.class,
      description = "of each run (default ${DEFAULT-VALUE})")
  private int seconds = 10;

  @Option(
      names = "--rounds",
      converter = AtLeastOne.class,
      description = "of probe and server in turn (default ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(
      names = "--direct-reads",
      description = "of the server, yes or no (default ${DEFAULT-VALUE})")
  private String directReads = "yes";

  private final PrintStream out = System.out;

  /** How often a loop was busy for long while random keys were asked for. */
  private double blocked;

  /** The same without what it waited for a processor. */
  private double blockedItself;

  /** For picocli. */
  public ColdCommand() {}

  @Override
  public Integer call() throws IOException {
    if (!BenchmarkTool.isThere()) {
      throw new IOException("this needs redis-benchmark");
    }
    try (ServerUnderTest started =
            server.startSparing(
                out,
                "--maxmemory",
                memoryMebibytes + "mb",
                "--direct-reads",
                directReads,
                "--event-loop-blocked-millis",
                "5");
        RespConnection control = started.connect()) {
      long keys = (long) memoryMebibytes * times * (1 << 20) / VALUE_BYTES;
      load(control, keys);
      SteadyLoad.fill(control);
      started.awaitQuiet(control);
      out.printf(Locale.ROOT, "%,d keys, %,d MB on disk%n", keys, started.diskBytes() / 1_000_000);
      for (int pipeline : pipelines) {
        compare(started, control, keys, pipeline);
      }
      started.printMemory(out, control);
      out.printf(
          Locale.ROOT,
          "  an event loop was busy for more than 5 ms %.0f times else: while it started, was"
              + " filled, and the disk was asked by others%n",
          ServerFigures.ask(control).number(BLOCKED) - blocked);
      Verdict.atMost(
              "times that an event loop was busy for more than 5 ms while it read", blocked, 0)
          .print(out);
      out.printf(
          Locale.ROOT,
          "  of them %.0f were so long without what the loop waited for a processor%n",
          blockedItself);
    }
    return 0;
  }

  /** Reads a second that the disk itself gives so. Leaves nothing in the page cache. */
  private double probe(ServerUnderTest started, DiskProbe.Way way, int threads) throws IOException {
    double reads = DiskProbe.readsPerSecond(started.dataDirectory(), way, threads, seconds);
    DiskProbe.dropCaches();
    return reads;
  }

  /** Values that do not compress, so that data is as large on disk as it is said to be. */
  private void load(RespConnection connection, long keys) throws IOException {
    SplittableRandom random = new SplittableRandom(3);
    byte[] value = new byte[VALUE_BYTES];
    byte[] set = RespConnection.bytes("SET");
    for (long i = 0; i < keys; ) {
      int sent = 0;
      for (; sent < PIPELINE && i < keys; sent++, i++) {
        random.nextBytes(value);
        connection.send(set, RespConnection.bytes(key(i)), value);
      }
      connection.flush();
      connection.skipReplies(sent);
    }
  }

  private static String key(long number) {
    return String.format(Locale.ROOT, "cold:%012d", number);
  }

  private void compare(ServerUnderTest started, RespConnection control, long keys, int pipeline)
      throws IOException {
    List<Double> ratios = new ArrayList<>();
    List<Double> p99Millis = new ArrayList<>();
    VarvePeer peer = new VarvePeer(started);
    Workload get = new Workload("get", List.of("GET", "cold:__rand_int__"), Workload.Data.NONE);
    BenchmarkTool.Shape shape = new BenchmarkTool.Shape(clients, pipeline, 1, keys);
    out.printf(
        "%nGET of random keys, %d clients, pipeline %d%n  %12s %12s %12s %8s %18s %18s%n",
        clients,
        pipeline,
        "direct reads",
        "buffered/s",
        "GETs/s",
        "misses",
        "GET p50/p99 ms",
        "in memory p99 ms");
    for (int round = 0; round < rounds; round++) {
      boolean isCold = DiskProbe.dropCaches();
      int threads = clients * pipeline;
      double direct = probe(started, DiskProbe.Way.DIRECT, threads);
      double buffered = probe(started, DiskProbe.Way.BUFFERED, threads);
      double disk = Math.max(direct, buffered);
      ServerFigures before = ServerFigures.ask(control);
      try (Standstills machine = new Standstills();
          SteadyLoad steady = new SteadyLoad(started, SteadyLoad.Mix.GET, STEADY_PER_SECOND)) {
        BenchmarkTool.Run run = BenchmarkTool.run(peer, get, shape, (long) (disk * seconds));
        Histogram inMemory = steady.latencies();
        ServerFigures after = ServerFigures.ask(control);
        double misses = after.number(MISSES) - before.number(MISSES);
        blocked += after.number(BLOCKED) - before.number(BLOCKED);
        blockedItself += after.number(BLOCKED_ITSELF) - before.number(BLOCKED_ITSELF);
        double steadyP99 = inMemory.getValueAtPercentile(99) / 1e6;
        out.printf(
            Locale.ROOT,
            "  %,12.0f %,12.0f %,12.0f %8.2f %9.2f/%.2f %18.2f%s%n",
            direct,
            buffered,
            run.operationsPerSecond(),
            misses / (disk * seconds),
            run.p50Millis(),
            run.p99Millis(),
            steadyP99,
            isCold ? "" : "  (page cache not dropped: not root)");
        machine.print(out);
        ratios.add(run.operationsPerSecond() / disk);
        p99Millis.add(steadyP99);
      }
    }
    Verdict.atLeast("GETs over disk reads", Row.middle(ratios), WANTED_OF_DISK).print(out);
    Verdict.atMost(
            "p99 ms of GETs that hit memory meanwhile", Row.middle(p99Millis), WANTED_P99_MILLIS)
        .print(out);
  }
}
