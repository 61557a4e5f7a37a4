package dev.varve.perf.peer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rows of all rounds. What it answers is of the rounds that count. Used by one thread. */
final class PeerResults {

  /** A workload at a pipeline depth: what servers are compared on. */
  record Line(String workload, int pipeline) {
    static Line of(Row row) {
      return new Line(row.workload(), row.pipeline());
    }
  }

  private final List<String> servers;
  private final Rounds warmUp = new Rounds();
  private final Rounds counted = new Rounds();

  private static final class Rounds {
    private final Map<Line, Map<String, List<Row>>> rows = new LinkedHashMap<>();

    void add(Row row) {
      rows.computeIfAbsent(Line.of(row), line -> new LinkedHashMap<>())
          .computeIfAbsent(row.server(), server -> new ArrayList<>())
          .add(row);
    }

    List<Row> of(Line line, String server) {
      return rows.getOrDefault(line, Map.of()).getOrDefault(server, List.of());
    }
  }

  /**
   * @param servers names in the order of tables: the one in question, then the one whose speed is
   *     1, then others
   */
  PeerResults(List<String> servers) {
    this.servers = List.copyOf(servers);
  }

  /** Adds a row of a round that counts. */
  void add(Row row) {
    counted.add(row);
  }

  /** Adds a row of a round that does not count. */
  void addWarmUp(Row row) {
    warmUp.add(row);
  }

  List<String> servers() {
    return servers;
  }

  /** The one in question. */
  String subject() {
    return servers.get(0);
  }

  /** The one whose speed is 1. */
  String reference() {
    return servers.get(1);
  }

  /** In the order in which they ran first. */
  Set<Line> lines() {
    return counted.rows.keySet();
  }

  /** Median figures of a line; null if the server had none. */
  @Nullable Row median(Line line, String server) {
    List<Row> rows = counted.of(line, server);
    return rows.isEmpty() ? null : Row.median(rows);
  }

  /** The speed over that of the reference, both medians; NaN if one of them had none. */
  double ratio(Line line, String server) {
    Row row = median(line, server);
    Row one = median(line, reference());
    return row == null || one == null
        ? Double.NaN
        : row.operationsPerSecond() / one.operationsPerSecond();
  }

  /** The speed of each round over that of the reference, as far as both ran. */
  List<Double> ratios(Line line, String server) {
    List<Double> its = speeds(line, server);
    List<Double> ones = speeds(line, reference());
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < Math.min(its.size(), ones.size()); i++) {
      ratios.add(its.get(i) / ones.get(i));
    }
    return ratios;
  }

  /** Requests a second, round by round. */
  List<Double> speeds(Line line, String server) {
    return speeds(counted, line, server);
  }

  /** Requests a second of the rounds that do not count. */
  List<Double> warmUpSpeeds(Line line, String server) {
    return speeds(warmUp, line, server);
  }

  private static List<Double> speeds(Rounds rounds, Line line, String server) {
    return rounds.of(line, server).stream().map(Row::operationsPerSecond).toList();
  }

  /** Requests a second of the last run of that line, whether it counted or not; 0 if none was. */
  double lastSpeed(Line line, String server) {
    List<Double> speeds = speeds(line, server);
    if (speeds.isEmpty()) {
      speeds = warmUpSpeeds(line, server);
    }
    return speeds.isEmpty() ? 0 : speeds.get(speeds.size() - 1);
  }
}
