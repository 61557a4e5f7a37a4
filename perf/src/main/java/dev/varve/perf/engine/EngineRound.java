package dev.varve.perf.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;

/** All workloads of a plan that an engine runs alone, once, on one engine. For one thread. */
final class EngineRound {
  private final EngineKind kind;
  private final RoundPlan plan;
  private final int round;
  private final Progress progress;
  private final Consumer<Measurement> sink;
  private final CostMeter meter;
  private final EngineOptions small;

  /**
   * @param round decides the keys
   * @param sink is given each measurement at once
   */
  EngineRound(
      EngineKind kind,
      RoundPlan plan,
      int round,
      GcPauses pauses,
      Progress progress,
      Consumer<Measurement> sink) {
    this.kind = kind;
    this.plan = plan;
    this.round = round;
    this.progress = progress;
    this.sink = sink;
    this.meter = new CostMeter(pauses);
    this.small = EngineOptions.withCache(plan.smallCacheBytes());
  }

  private interface Work {
    void in(Path directory) throws IOException;
  }

  void run() throws IOException {
    if (plan.wants(EngineWorkload.FILLSEQ)) {
      if (round == 1) {
        // No database starts with code that was never compiled; what follows is warm from this.
        inFreshDirectory(this::warmUpFills);
      }
      inFreshDirectory(this::fillInOrder);
    }
    inFreshDirectory(this::runOnFilled);
    if (plan.wants(RoundPlan.RECLAIM)) {
      inFreshDirectory(this::reclaim);
    }
    if (plan.wants(RoundPlan.RECOVERY)) {
      inFreshDirectory(this::recover);
    }
  }

  private void inFreshDirectory(Work work) throws IOException {
    try (WorkDirectory directory = new WorkDirectory(plan.parent())) {
      work.in(directory.path());
    }
  }

  private void warmUpFills(Path directory) throws IOException {
    try (EngineUnderTest engine = kind.open(directory, small)) {
      EngineWorkload.FILLSEQ.warmUp(newRun(engine, new BitSet()));
      engine.settle();
    }
  }

  private void fillInOrder(Path directory) throws IOException {
    try (EngineUnderTest engine = kind.open(directory, small)) {
      measure(EngineWorkload.FILLSEQ, engine, EngineWorkload.FILLSEQ.label(), new BitSet());
    }
  }

  private void runOnFilled(Path directory) throws IOException {
    BitSet live = new BitSet((int) plan.data().count());
    try (EngineUnderTest engine = kind.open(directory, small)) {
      measure(EngineWorkload.FILLRANDOM, engine, EngineWorkload.FILLRANDOM.label(), live);
      for (EngineWorkload workload : RoundPlan.READS) {
        if (plan.wants(workload)) {
          measure(workload, engine, workload.label(), live);
        }
      }
    }
    EngineOptions large = EngineOptions.withCache(plan.largeCacheBytes());
    try (EngineUnderTest engine = kind.open(directory, large)) {
      readCached(engine, live);
      if (plan.wants(RoundPlan.READWHILEWRITING)) {
        progress.step(kind.label() + " " + RoundPlan.READWHILEWRITING);
        ReadWhileWriting.run(newRun(engine, live), otherRun(engine, live), meter, sink);
        engine.settle();
      }
    }
    try (EngineUnderTest engine = kind.open(directory, small)) {
      if (plan.wants(EngineWorkload.OVERWRITE)) {
        measure(EngineWorkload.OVERWRITE, engine, EngineWorkload.OVERWRITE.label(), live);
      }
      if (plan.wants(RoundPlan.DELETERANDOM)) {
        progress.step(kind.label() + " " + RoundPlan.DELETERANDOM);
        sink.accept(Deletion.ofHalf(newRun(engine, live), meter, plan.restMillis()));
      }
    }
  }

  private void readCached(EngineUnderTest engine, BitSet live) throws IOException {
    boolean any = RoundPlan.READS.stream().anyMatch(plan::wantsCached);
    if (!any) {
      return;
    }
    // So that the cache has what fits: no workload is to pay for that.
    EngineWorkload.READSEQ.step(newRun(engine, live), 0);
    for (EngineWorkload workload : RoundPlan.READS) {
      if (plan.wantsCached(workload)) {
        measure(workload, engine, workload.label() + RoundPlan.CACHED, live);
      }
    }
  }

  private EngineRun newRun(EngineUnderTest engine, BitSet live) {
    return new EngineRun(engine, plan.data(), live, round, progress);
  }

  /** With keys of its own, for a second thread. */
  private EngineRun otherRun(EngineUnderTest engine, BitSet live) {
    return new EngineRun(engine, plan.data(), live, -1L - round, progress);
  }

  private void measure(EngineWorkload workload, EngineUnderTest engine, String label, BitSet live)
      throws IOException {
    progress.step(kind.label() + " " + label);
    EngineRun run = newRun(engine, live);
    long nanos = workload.run(run, meter);
    if (workload.writes()) {
      engine.settle();
    }
    Costs costs = meter.stop(engine, run.liveBytes());
    long counted = workload.counted(run);
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.put(Figure.SPACE_AMPLIFICATION, costs.spaceAmplification());
    if (workload.writes()) {
      double put = (double) counted * plan.data().pairBytes();
      figures.put(Figure.WRITE_AMPLIFICATION, costs.io().writtenBytes() / put);
    } else if (run.foundBytes > 0) {
      figures.put(Figure.READ_AMPLIFICATION, (double) costs.io().readBytes() / run.foundBytes);
    }
    if (workload == EngineWorkload.OVERWRITE) {
      figures.putAll(Deletion.rest(engine, plan.restMillis()));
    }
    sink.accept(
        new Measurement(
            label, kind.label(), counted, nanos, run.latencies, run.found, costs, figures));
  }

  private void reclaim(Path directory) throws IOException {
    progress.step(kind.label() + " " + RoundPlan.RECLAIM);
    try (EngineUnderTest engine = kind.open(directory, small)) {
      BitSet live = new BitSet((int) plan.data().count());
      sink.accept(Deletion.ofCollections(newRun(engine, live), meter, plan.restMillis()));
    }
  }

  private void recover(Path directory) throws IOException {
    progress.step(kind.label() + " " + RoundPlan.RECOVERY);
    long pairs = plan.logBytes() / plan.data().pairBytes();
    // Nothing is flushed while it is filled: all that the log has is still needed.
    try (EngineUnderTest engine = kind.open(directory, small.withMemtable(4 * plan.logBytes()))) {
      if (!engine.recoversFromLog()) {
        return;
      }
      EngineRun run = newRun(engine, new BitSet());
      for (long i = 0; i < pairs; i++) {
        run.put(run.randomIndex());
      }
    }
    meter.start();
    long start = System.nanoTime();
    try (EngineUnderTest engine = kind.open(directory, small)) {
      EngineRun run = newRun(engine, new BitSet());
      run.get(0);
      long nanos = System.nanoTime() - start;
      run.latencies.recordValue(Math.min(EngineRun.TRACKED_NANOS_MAX, nanos));
      sink.accept(
          new Measurement(
              RoundPlan.RECOVERY,
              kind.label(),
              pairs,
              nanos,
              run.latencies,
              run.found,
              meter.stop(engine, 0),
              Map.of(Figure.RECOVERY_SECONDS, nanos / 1e9)));
    }
  }
}
