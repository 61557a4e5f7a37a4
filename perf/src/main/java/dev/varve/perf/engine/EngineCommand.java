package dev.varve.perf.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code engine}: the workloads on the tree, and on its rivals in the same run. */
@Command(
    name = "engine",
    description = "Runs db_bench's workloads on the tree, and on rivals beside it.",
    mixinStandardHelpOptions = true)
public final class EngineCommand implements Callable<Integer> {
  private static final long MEBIBYTE = 1L << 20;

  @Option(names = "--against", split = ",", description = "rivals: rocksdb")
  private List<String> against = new ArrayList<>();

  @Option(names = "--n", description = "how many keys (default ${DEFAULT-VALUE})")
  private long count = 500_000;

  @Option(
      names = "--rounds",
      description = "rounds, engines alternating (default ${DEFAULT-VALUE})")
  private int rounds = 1;

  @Option(names = "--value-bytes", description = "length of a value (default ${DEFAULT-VALUE})")
  private int valueBytes = 100;

  @Option(names = "--cache-mib", description = "block cache (default ${DEFAULT-VALUE})")
  private long cacheMebibytes = 64;

  @Option(names = "--dir", description = "where to work (default: the system's temporary folder)")
  private @Nullable Path parent;

  @Option(names = "--workloads", split = ",", description = "some of them only, by their names")
  private List<String> only = new ArrayList<>();

  /** For picocli. */
  public EngineCommand() {}

  @Override
  public Integer call() throws IOException {
    for (String rival : against) {
      if (!rival.equals("rocksdb")) {
        System.err.println("varve-perf: no engine is called " + rival + "; there is: rocksdb");
        return 1;
      }
    }
    Dataset data = new Dataset(count, valueBytes);
    Map<String, List<Measurement>> measured = new TreeMap<>();
    for (int round = 0; round < rounds; round++) {
      List<String> engines = new ArrayList<>(List.of("varve"));
      engines.addAll(against);
      for (String engine : engines) {
        runAll(engine, data, round, measured);
      }
    }
    ResultTable.print(System.out, measured, rounds);
    return 0;
  }

  private void runAll(String name, Dataset data, int round, Map<String, List<Measurement>> measured)
      throws IOException {
    Path base = parent == null ? Path.of(System.getProperty("java.io.tmpdir")) : parent;
    Path directory = Files.createTempDirectory(base, "varve-perf-");
    try (EngineUnderTest engine = open(name, directory)) {
      if (round == 0) {
        System.out.printf("%s: %s%n", engine.name(), engine.settings());
      }
      for (EngineWorkload workload : EngineWorkload.values()) {
        if (workload == EngineWorkload.FILLRANDOM || isWanted(workload)) {
          run(workload, engine, data, round, measured);
        }
      }
      System.out.printf(
          Locale.ROOT,
          "%s round %d: disk %d MiB for %d MiB raw, off heap %s%n",
          engine.name(),
          round + 1,
          engine.diskBytes() / MEBIBYTE,
          data.rawBytes() / MEBIBYTE,
          inMebibytes(engine.offHeapBytes()));
    } finally {
      DiskUse.delete(directory);
    }
  }

  private static void run(
      EngineWorkload workload,
      EngineUnderTest engine,
      Dataset data,
      int round,
      Map<String, List<Measurement>> measured)
      throws IOException {
    Measurement measurement = workload.run(engine, data, round + 1);
    measured
        .computeIfAbsent(workload.label() + "/" + engine.name(), key -> new ArrayList<>())
        .add(measurement);
    System.out.printf(
        Locale.ROOT,
        "%s round %d %-18s %,12.0f/s  found %d%n",
        engine.name(),
        round + 1,
        workload.label(),
        measurement.operationsPerSecond(),
        measurement.found());
    if (workload == EngineWorkload.FILLRANDOM) {
      engine.settle();
    }
  }

  private boolean isWanted(EngineWorkload workload) {
    return only.isEmpty() || only.contains(workload.label());
  }

  private EngineUnderTest open(String name, Path directory) throws IOException {
    long cacheBytes = cacheMebibytes * MEBIBYTE;
    return name.equals("varve")
        ? new VarveUnderTest(directory, cacheBytes)
        : new RocksUnderTest(directory, cacheBytes);
  }

  private static String inMebibytes(Map<String, Long> parts) {
    Map<String, String> shown = new TreeMap<>();
    parts.forEach((part, bytes) -> shown.put(part, bytes / MEBIBYTE + " MiB"));
    return shown.toString();
  }
}
