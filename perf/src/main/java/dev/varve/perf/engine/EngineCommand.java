package dev.varve.perf.engine;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code engine}: the workloads on the tree, and on its rivals in the same run. */
@Command(
    name = "engine",
    description = "Runs db_bench's workloads on the tree, and on rivals beside it.",
    mixinStandardHelpOptions = true)
public final class EngineCommand implements Callable<Integer> {
  private static final long MEBIBYTE = 1L << 20;
  private static final long LOG_BYTES = 256 * MEBIBYTE;
  private static final long COUNT = 500_000;
  private static final long QUICK_COUNT = 200_000;
  private static final long QUICK_REST_MILLIS = 2_000;

  @Option(
      names = "--against",
      split = ",",
      description = "rivals, of: rocksdb, lmdb, mvstore (default: none)")
  private List<String> against = new ArrayList<>();

  @Option(names = "--n", description = "how many keys (default 500000, with --quick 200000)")
  private @Nullable Long given;

  private long count;

  @Option(
      names = "--rounds",
      description = "rounds, engines alternating (default ${DEFAULT-VALUE})")
  private int rounds = 1;

  @Option(names = "--value-bytes", description = "length of a value (default ${DEFAULT-VALUE})")
  private int valueBytes = 100;

  @Option(names = "--cache-mib", description = "the small block cache (default ${DEFAULT-VALUE})")
  private long smallCacheMebibytes = 64;

  @Option(
      names = "--large-cache-mib",
      description = "the block cache of workloads called cached (default ${DEFAULT-VALUE})")
  private long largeCacheMebibytes = 1024;

  @Option(
      names = "--rest-seconds",
      description = "rest before a look at what was cleaned up (default ${DEFAULT-VALUE})")
  private int restSeconds = 10;

  @Option(
      names = "--quick",
      description = "200,000 keys, unless --n says how many, and short rests: under two minutes")
  private boolean quick;

  @Option(names = "--dir", description = "where to work (default: the system's temporary folder)")
  private @Nullable Path parent;

  @Option(names = "--workloads", split = ",", description = "some of them only, by their names")
  private List<String> only = new ArrayList<>();

  @Option(
      names = "--json",
      converter = OutputFile.class,
      description = "a file to write the results to, for machines")
  private @Nullable Path json;

  @Option(
      names = "--chart",
      converter = OutputFile.class,
      description = "an HTML file to write the results to, for people")
  private @Nullable Path chart;

  @Spec private @Nullable CommandSpec spec;

  private final Map<String, String> settings = new TreeMap<>();

  /** For picocli. */
  public EngineCommand() {}

  @Override
  public Integer call() throws IOException {
    Set<EngineKind> kinds = new LinkedHashSet<>(List.of(EngineKind.VARVE));
    for (String rival : against) {
      EngineKind kind = EngineKind.of(rival);
      if (kind == null) {
        throw wrong("no engine is called " + rival + "; there are " + EngineKind.labels());
      }
      kinds.add(kind);
    }
    for (String workload : only) {
      if (!RoundPlan.names().contains(workload)) {
        throw wrong("no workload is called " + workload + "; there are " + RoundPlan.names());
      }
    }
    count = keyCount(given, quick);
    if (count < 2 || count > Integer.MAX_VALUE || rounds < 1 || valueBytes < 2) {
      throw wrong("--n is 2 to 2147483647, --rounds at least 1, --value-bytes at least 2");
    }
    run(List.copyOf(kinds));
    return 0;
  }

  /** Whoever says how many means it, with {@code --quick} too. */
  static long keyCount(@Nullable Long given, boolean quick) {
    if (given != null) {
      return given;
    }
    return quick ? QUICK_COUNT : COUNT;
  }

  private ParameterException wrong(String why) {
    return new ParameterException(requireNonNull(spec).commandLine(), why);
  }

  private void run(List<EngineKind> kinds) throws IOException {
    RoundPlan plan = plan();
    describeRun();
    Results results = new Results(kinds.stream().map(EngineKind::label).toList());
    Progress progress = Progress.onTerminal(rounds * plan.steps(kinds.size()));
    GcPauses pauses = new GcPauses();
    for (int round = 1; round <= rounds; round++) {
      int current = round;
      Consumer<Measurement> sink =
          measurement -> {
            results.add(measurement);
            progress.clear();
            line(measurement, current);
          };
      for (EngineKind kind : kinds) {
        if (round == 1) {
          describeEngine(kind, plan);
        }
        new EngineRound(kind, plan, round, pauses, progress, sink).run();
      }
      if (plan.wants(EngineWorkload.FILLSYNC)) {
        SyncedTurns.run(kinds, plan, round, pauses, progress, sink);
      }
    }
    progress.clear();
    ResultTable.print(System.out, results, rounds);
    if (json != null) {
      try (Writer out = Files.newBufferedWriter(json)) {
        ResultJson.write(out, results, settings);
      }
    }
    if (chart != null) {
      Files.writeString(chart, ResultChart.html(results, settings));
    }
  }

  private RoundPlan plan() {
    Dataset data = new Dataset(count, valueBytes);
    return new RoundPlan(
        data,
        Set.copyOf(only),
        smallCacheMebibytes * MEBIBYTE,
        largeCacheMebibytes * MEBIBYTE,
        quick ? QUICK_REST_MILLIS : restSeconds * 1000L,
        Math.min(LOG_BYTES, data.rawBytes()),
        parent == null ? Path.of(System.getProperty("java.io.tmpdir")) : parent);
  }

  private void describeRun() {
    settings.put("keys", String.valueOf(count));
    settings.put("key bytes", String.valueOf(Dataset.KEY_BYTES));
    settings.put("value bytes", valueBytes + ", half compressible");
    settings.put("rounds", String.valueOf(rounds));
    settings.put("cores", String.valueOf(Runtime.getRuntime().availableProcessors()));
    settings.put("heap", Runtime.getRuntime().maxMemory() / MEBIBYTE + " MiB");
    settings.put("java", Runtime.version() + " on " + System.getProperty("os.name"));
    settings.forEach((name, value) -> System.out.printf("%s: %s%n", name, value));
  }

  /** Opens it once in an empty directory: only an open engine knows what it is set to. */
  private void describeEngine(EngineKind kind, RoundPlan plan) throws IOException {
    try (WorkDirectory directory = new WorkDirectory(plan.parent());
        EngineUnderTest engine =
            kind.open(directory.path(), EngineOptions.withCache(plan.smallCacheBytes()))) {
      settings.put("engine " + kind.label(), engine.settings());
      System.out.printf("%s: %s%n", kind.label(), engine.settings());
    }
  }

  private static void line(Measurement measurement, int round) {
    System.out.printf(
        Locale.ROOT,
        "round %d %-8s %-25s %,12.0f/s%n",
        round,
        measurement.engine(),
        measurement.workload(),
        measurement.operationsPerSecond());
  }
}
