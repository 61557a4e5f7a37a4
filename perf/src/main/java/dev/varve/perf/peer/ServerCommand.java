package dev.varve.perf.peer;

import static java.util.Objects.requireNonNull;

import dev.varve.perf.engine.OutputFile;
import dev.varve.perf.peer.PeerResults.Line;
import dev.varve.perf.server.AtLeastOne;
import dev.varve.perf.server.ProcessFigures;
import dev.varve.perf.server.ServerOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code server}: Varve beside Redis and others, the same load on each in turn. */
@Command(
    name = "server",
    description = "Drives Varve and other RESP servers with the same load, in turn.",
    mixinStandardHelpOptions = true)
public final class ServerCommand implements Callable<Integer> {
  /** As the README's example for speed. */
  static final int HEAP_MEBIBYTES = 1024;

  /** What is written by a run whose speed is not known yet. */
  private static final long FIRST_BYTES = 10_000_000;

  /** And by each run, at least. */
  private static final long BYTES_MIN = 2_000_000;

  private static final long REQUESTS_MIN = 1_000;

  /** What sends single commands; a mix always comes from our own. */
  enum Generator {
    REDIS_BENCHMARK("redis-benchmark"),
    OWN("own");

    private final String label;

    Generator(String label) {
      this.label = label;
    }

    @Override
    public String toString() {
      return label;
    }
  }

  private static final int MIX_CONNECTIONS = 16;
  private static final int MIX_WINDOW = 4;

  @Mixin private ServerOptions server = new ServerOptions();

  @Option(
      names = "--against",
      converter = PeerName.class,
      split = ",",
      description =
          "\"redis\" starts one, host:port names one that runs (default ${DEFAULT-VALUE})")
  private List<String> against = new ArrayList<>(List.of(Peer.REDIS));

  @Option(
      names = "--workloads",
      split = ",",
      description =
          "some of set, get, … mix_cache, … as the table names them (default: all of these), and of"
              + " hgetall_5000, smembers_5000, zrange_5000, lrange_5000")
  private List<String> workloads = new ArrayList<>();

  @Option(
      names = "--pipelines",
      converter = AtLeastOne.class,
      split = ",",
      description = "requests under way per connection (default ${DEFAULT-VALUE})")
  private List<Integer> pipelines = new ArrayList<>(List.of(1, 16));

  @Option(
      names = "--clients",
      converter = AtLeastOne.class,
      description = "connections (default ${DEFAULT-VALUE})")
  private int clients = 50;

  @Option(
      names = "--threads",
      converter = AtLeastOne.class,
      description = "of redis-benchmark (default ${DEFAULT-VALUE})")
  private int threads = 1;

  @Option(
      names = "--generator",
      description =
          "what sends commands: ${COMPLETION-CANDIDATES}. The harness's own tells p99.9, of an open"
              + " load (default ${DEFAULT-VALUE} where that is installed)")
  private Generator generator = Generator.REDIS_BENCHMARK;

  @Option(
      names = "--keys",
      converter = AtLeastOne.Wide.class,
      description = "different keys or members (default ${DEFAULT-VALUE})")
  private long keys = 100_000;

  @Option(
      names = "--value-bytes",
      description =
          "of what is set and pushed, at most "
              + Workload.VALUE_BYTES_MAX
              + " (default ${DEFAULT-VALUE}); with long ones take fewer --keys")
  private int valueBytes = Workload.VALUE_BYTES;

  @Option(
      names = "--warm-up",
      description =
          "rounds that do not count, one of which only tells how fast each server is (default"
              + " ${DEFAULT-VALUE})")
  private int warmUpRounds = 4;

  @Option(
      names = "--rounds",
      converter = AtLeastOne.class,
      description = "that count (default ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(
      names = "--seconds",
      converter = AtLeastOne.class,
      description = "of each run (default ${DEFAULT-VALUE})")
  private int seconds = 4;

  @Option(names = "--appendfsync", description = "of both servers (default ${DEFAULT-VALUE})")
  private String appendfsync = "everysec";

  @Option(names = "--json", converter = OutputFile.class, description = "a file for the rows")
  private @Nullable Path json;

  @Option(
      names = "--markdown",
      converter = OutputFile.class,
      description = "a file for the tables, as a page shows them")
  private @Nullable Path markdown;

  @Spec private @Nullable CommandSpec spec;

  private final PrintStream out = System.out;

  /** For picocli. */
  public ServerCommand() {}

  @Override
  public Integer call() throws IOException {
    checkOptions();
    List<Peer> peers = new ArrayList<>();
    try {
      peers.add(
          new VarvePeer(
              server.start(
                  HEAP_MEBIBYTES, out, "--appendfsync", appendfsync, "--maxclients", "12000")));
      for (String each : against) {
        peers.add(Peer.named(each, server.parent(), appendfsync));
      }
      PeerResults results = new PeerResults(peers.stream().map(Peer::name).toList());
      compare(peers, results);
      PeerTable table = new PeerTable(results, new Promise(threads, appendfsync.equals("always")));
      table.print(out);
      printSizes(peers);
      if (json != null) {
        PeerJson.write(results, json);
      }
      if (markdown != null) {
        try (PrintStream page = new PrintStream(markdown.toFile(), StandardCharsets.UTF_8)) {
          table.writeMarkdown(page);
        }
      }
      return 0;
    } finally {
      for (Peer peer : peers) {
        peer.close();
      }
    }
  }

  /** Refuses before anything runs what would make the run worthless in the end. */
  private void checkOptions() {
    if (valueBytes < 1 || valueBytes > Workload.VALUE_BYTES_MAX) {
      throw wrong("--value-bytes is 1 to " + Workload.VALUE_BYTES_MAX);
    }
    if (warmUpRounds < 0) {
      throw wrong("--warm-up is at least 0");
    }
    List<String> names = names();
    for (String each : workloads) {
      if (!names.contains(each)) {
        throw wrong("no workload is called " + each + "; there are " + names);
      }
    }
    // Rows are told apart by the names of the servers.
    if (Set.copyOf(against).size() < against.size()) {
      throw wrong("--against names a server twice");
    }
  }

  /** All names that {@code --workloads} may have. */
  private static List<String> names() {
    return Stream.of(
            Workload.all(Workload.VALUE_BYTES).stream().map(Workload::name),
            Stream.of(Mix.values()).map(Mix::label),
            Workload.large().stream().map(Workload::name))
        .flatMap(each -> each)
        .toList();
  }

  private ParameterException wrong(String why) {
    return new ParameterException(requireNonNull(spec).commandLine(), why);
  }

  /** Runs all that is wanted on {@code peers}, and adds what came of it to {@code results}. */
  void compare(List<Peer> peers, PeerResults results) throws IOException {
    List<Workload> commands =
        Stream.concat(
                Workload.all(valueBytes).stream().filter(each -> isWanted(each.name())),
                Workload.large().stream().filter(each -> workloads.contains(each.name())))
            .toList();
    List<Mix> mixes = Stream.of(Mix.values()).filter(each -> isWanted(each.label())).toList();
    Generator its = generator;
    if (its == Generator.REDIS_BENCHMARK && !commands.isEmpty() && !BenchmarkTool.isThere()) {
      out.println("redis-benchmark is not installed: the harness's own generator sends commands");
      its = Generator.OWN;
    }
    if (commands.stream().anyMatch(each -> DataSets.isWrittenOnce(each.data()))) {
      for (Peer peer : peers) {
        DataSets.write(peer);
      }
    }
    if (commands.stream().anyMatch(each -> each.data() == Workload.Data.LARGE)) {
      for (Peer peer : peers) {
        DataSets.writeLarge(peer);
      }
    }
    for (Workload each : commands) {
      String writer = each.writer();
      if (writer != null && each.data() != Workload.Data.QUEUE && !isWanted(writer)) {
        for (Peer peer : peers) {
          DataSets.writeLeft(peer, each.data(), range(each), valueBytes);
        }
      }
    }
    for (int round = 1 - warmUpRounds; round <= rounds; round++) {
      boolean counts = round > 0;
      out.println(counts ? "round " + round + " of " + rounds : "warming up");
      Consumer<Row> rows = counts ? results::add : results::addWarmUp;
      for (int pipeline : pipelines) {
        long pushed = 0;
        for (Workload workload : commands) {
          // Who pops does not pop more than was pushed: the others would find nothing.
          boolean isPushed = workload.data() == Workload.Data.QUEUE && pushed > 0;
          long requests =
              isPushed
                  ? pushed
                  : requests(
                      results, new Line(workload.name(), pipeline), workload.bytes(valueBytes));
          if (workload.name().equals(Workload.PUSHES)) {
            pushed = requests;
          }
          long all = its == Generator.OWN ? GeneratedRuns.stepsOf(requests) : requests;
          for (Peer peer : peers) {
            DataSets.fillToPop(peer, workload.data(), all);
            if (workload.data() == Workload.Data.QUEUE && !isPushed) {
              DataSets.writeQueue(peer, all + clients * (long) pipeline, valueBytes);
            }
          }
          for (Peer peer : peers) {
            Rest.await(peer);
          }
          switch (its) {
            case REDIS_BENCHMARK -> run(peers, workload, pipeline, requests, rows);
            case OWN ->
                new GeneratedRuns(peers, clients, pipeline)
                    .counted(requests, workload.name(), workload.steps(range(workload)), rows);
          }
        }
      }
      for (Mix mix : mixes) {
        if (round >= 0) {
          new GeneratedRuns(peers, MIX_CONNECTIONS, MIX_WINDOW)
              .lasting(seconds, mix.label(), mix, rows);
        }
      }
    }
  }

  private boolean isWanted(String name) {
    return workloads.isEmpty() || workloads.contains(name);
  }

  private long range(Workload workload) {
    return switch (workload.data()) {
      case BOARD -> DataSets.BOARD_MEMBERS;
      case LARGE -> DataSets.COLLECTIONS;
      case NONE, KEYS, FIELDS, QUEUE, LIST, SET_TO_POP, ZSET_TO_POP -> keys;
    };
  }

  private void run(
      List<Peer> peers, Workload workload, int pipeline, long requests, Consumer<Row> rows)
      throws IOException {
    BenchmarkTool.Shape shape =
        new BenchmarkTool.Shape(clients, pipeline, threads, range(workload));
    for (Peer peer : peers) {
      double cpuBefore = peer.process().cpuSeconds();
      BenchmarkTool.Run run = BenchmarkTool.run(peer, workload, shape, requests);
      Rest.await(peer);
      double cpuMicros = (peer.process().cpuSeconds() - cpuBefore) * 1e6 / requests;
      rows.accept(
          new Row(
              workload.name(),
              peer.name(),
              pipeline,
              run.operationsPerSecond(),
              run.p50Millis(),
              run.p99Millis(),
              Double.NaN,
              cpuMicros));
    }
  }

  /** The same for all peers, so that they end with the same data: what one does on average. */
  private long requests(PeerResults results, Line line, int bytes) {
    double speed =
        results.servers().stream()
            .mapToDouble(server -> results.lastSpeed(line, server))
            .average()
            .orElse(0);
    return speed == 0
        ? Math.max(REQUESTS_MIN, FIRST_BYTES / bytes)
        : Math.max(Math.max(REQUESTS_MIN, BYTES_MIN / bytes), (long) (speed * seconds));
  }

  private void printSizes(List<Peer> peers) throws IOException {
    out.println();
    for (Peer peer : peers) {
      ProcessFigures process = peer.process();
      out.printf(
          Locale.ROOT,
          "%s: resident %,d MiB, disk %,d MB, memory by part, MiB: ",
          peer.name(),
          process.residentBytes() >> 20,
          peer.diskBytes() / 1_000_000);
      peer.memoryParts()
          .forEach((part, bytes) -> out.printf(Locale.ROOT, "%s %.1f  ", part, bytes / 0x1p20));
      out.println();
    }
  }
}
