package dev.varve.perf.peer;

import dev.varve.perf.peer.GeneratedLoad.Speed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Runs of a generator of our own on all peers in turn: a closed load says how fast each is, then an
 * open one how long each takes, at a rate that all of them keep up with. Used by one thread.
 */
final class GeneratedRuns {

  /** The open load runs at this part of what the slowest peer can do. */
  private static final double OPEN_SHARE = 0.5;

  private final List<Peer> peers;
  private final int connections;
  private final int window;

  @FunctionalInterface
  private interface ClosedLoad {
    Speed on(GeneratedLoad load) throws IOException;
  }

  @FunctionalInterface
  private interface OpenLoad {
    Histogram on(GeneratedLoad load, double perSecond) throws IOException;
  }

  /**
   * @param connections to each peer
   * @param window steps that each has under way
   */
  GeneratedRuns(List<Peer> peers, int connections, int window) {
    this.peers = peers;
    this.connections = connections;
    this.window = window;
  }

  /** Both loads for so long. */
  void lasting(int seconds, String name, Steps steps, Consumer<Row> rows) throws IOException {
    run(
        name,
        load -> load.saturate(steps, window, seconds),
        (load, perSecond) -> load.pace(steps, window, perSecond, seconds),
        rows);
  }

  /** How many steps {@link #counted} takes, in both loads. */
  static long stepsOf(long count) {
    return count + openSteps(count);
  }

  private static long openSteps(long count) {
    return (long) Math.ceil(OPEN_SHARE * count);
  }

  /** So many steps, and then part of them in the open load: all peers end with the same data. */
  void counted(long count, String name, Steps steps, Consumer<Row> rows) throws IOException {
    run(
        name,
        load -> load.repeat(steps, window, count),
        (load, perSecond) -> load.paceSome(steps, window, perSecond, openSteps(count)),
        rows);
  }

  private void run(String name, ClosedLoad closed, OpenLoad open, Consumer<Row> rows)
      throws IOException {
    List<Double> speeds = new ArrayList<>();
    List<Double> cpuMicros = new ArrayList<>();
    for (Peer peer : peers) {
      try (GeneratedLoad load = new GeneratedLoad(peer, connections)) {
        double cpuBefore = peer.process().cpuSeconds();
        Speed speed = closed.on(load);
        Rest.await(peer);
        speeds.add(speed.perSecond());
        cpuMicros.add((peer.process().cpuSeconds() - cpuBefore) * 1e6 / speed.steps());
      }
    }
    double rate = OPEN_SHARE * speeds.stream().mapToDouble(each -> each).min().orElse(0);
    for (int i = 0; i < peers.size(); i++) {
      try (GeneratedLoad load = new GeneratedLoad(peers.get(i), connections)) {
        Histogram nanos = open.on(load, rate);
        Rest.await(peers.get(i));
        rows.accept(
            new Row(
                name,
                peers.get(i).name(),
                window,
                speeds.get(i),
                nanos.getValueAtPercentile(50) / 1e6,
                nanos.getValueAtPercentile(99) / 1e6,
                nanos.getValueAtPercentile(99.9) / 1e6,
                cpuMicros.get(i)));
      }
    }
  }
}
