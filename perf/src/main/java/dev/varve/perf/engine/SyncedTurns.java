package dev.varve.perf.engine;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * {@link EngineWorkload#FILLSYNC} on all engines at once, which take turns of a few puts: what a
 * device needs for a sync changes tenfold from one second to the next, and is to hit all alike. For
 * one thread.
 */
final class SyncedTurns {
  private static final EngineWorkload WORKLOAD = EngineWorkload.FILLSYNC;
  private static final int PUTS_PER_TURN = 100;

  private SyncedTurns() {}

  /** One engine with what it has done. */
  private static final class Player implements Closeable {
    final EngineKind kind;
    final WorkDirectory directory;
    final EngineUnderTest engine;
    final EngineRun run;
    Costs costs = Costs.NONE;
    long nanos;

    Player(EngineKind kind, RoundPlan plan, int round, Progress progress) throws IOException {
      this.kind = kind;
      this.directory = new WorkDirectory(plan.parent());
      this.engine = kind.open(directory.path(), EngineOptions.withCache(plan.smallCacheBytes()));
      this.run = new EngineRun(engine, plan.data(), new BitSet(), round, progress);
    }

    void play(CostMeter meter, long puts) throws IOException {
      meter.start();
      long start = System.nanoTime();
      long last = start;
      for (long i = 0; i < puts; i++) {
        WORKLOAD.step(run, i);
        long now = System.nanoTime();
        run.latencies.recordValue(Math.min(EngineRun.TRACKED_NANOS_MAX, now - last));
        last = now;
      }
      nanos += last - start;
      costs = costs.plus(meter.stop(engine, run.liveBytes()));
    }

    Measurement measurement() {
      double put = (double) WORKLOAD.operations(run.data) * run.data.pairBytes();
      return new Measurement(
          WORKLOAD.label(),
          kind.label(),
          WORKLOAD.operations(run.data),
          nanos,
          run.latencies,
          run.found,
          costs,
          Map.of(
              Figure.SPACE_AMPLIFICATION,
              costs.spaceAmplification(),
              Figure.WRITE_AMPLIFICATION,
              costs.io().writtenBytes() / put));
    }

    @Override
    public void close() throws IOException {
      try {
        engine.close();
      } finally {
        directory.close();
      }
    }
  }

  static void run(
      List<EngineKind> kinds,
      RoundPlan plan,
      int round,
      GcPauses pauses,
      Progress progress,
      Consumer<Measurement> sink)
      throws IOException {
    List<Player> players = new ArrayList<>();
    try {
      for (EngineKind kind : kinds) {
        players.add(new Player(kind, plan, round, progress));
      }
      progress.step(WORKLOAD.label());
      CostMeter meter = new CostMeter(pauses);
      long operations = WORKLOAD.operations(plan.data());
      progress.begin(operations);
      for (long done = 0; done < operations; done += PUTS_PER_TURN) {
        for (Player player : players) {
          player.play(meter, Math.min(PUTS_PER_TURN, operations - done));
        }
        progress.at(done);
      }
      for (Player player : players) {
        sink.accept(player.measurement());
      }
    } finally {
      for (Player player : players) {
        player.close();
      }
    }
  }
}
