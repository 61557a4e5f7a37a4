package dev.varve.perf.engine;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What becomes of what was deleted: workloads that look again after a rest. */
final class Deletion {
  /** Pairs of one collection: a large hash, say. */
  private static final long COLLECTION_PAIRS = 10_000;

  private static final long IDLE_MILLIS = 50;

  /**
   * Deletes the lower half of the keys in random order, and measures the first seek after a rest:
   * it goes past all of them.
   */
  static Measurement ofHalf(EngineRun run, CostMeter meter, long restMillis) throws IOException {
    long half = run.data.count() / 2;
    long stride = strideFor(half);
    run.progress.begin(half);
    meter.start();
    long start = System.nanoTime();
    long last = start;
    long index = 0;
    for (long i = 0; i < half; i++) {
      run.delete(index);
      index = (index + stride) % half;
      long now = System.nanoTime();
      run.latencies.recordValue(Math.min(EngineRun.TRACKED_NANOS_MAX, now - last));
      last = now;
      run.progress.at(i);
    }
    long nanos = last - start;
    leaveAlone(run.engine(), restMillis);
    double firstSeekMillis = firstSeekNanos(run) / 1e6;
    Map<Figure, Double> figures = new EnumMap<>(Map.of(Figure.FIRST_SEEK_MILLIS, firstSeekMillis));
    return afterwards(RoundPlan.DELETERANDOM, run, half, nanos, meter, figures);
  }

  /**
   * Fills collections, each a range of keys as versioned sub-keys are, and deletes every other one
   * in the engine's quickest way.
   */
  static Measurement ofCollections(EngineRun run, CostMeter meter, long restMillis)
      throws IOException {
    long pairs = run.data.count();
    long collections = Math.max(2, pairs / COLLECTION_PAIRS);
    long each = pairs / collections;
    // Written in turns, so that each collection is spread over all memtables.
    for (long field = 0; field < each; field++) {
      for (long collection = 0; collection < collections; collection++) {
        run.put(collection * each + field);
      }
      run.progress.at(field);
    }
    run.engine().settle();
    meter.start();
    byte[] from = new byte[Dataset.KEY_BYTES];
    byte[] toExclusive = new byte[Dataset.KEY_BYTES];
    long start = System.nanoTime();
    long last = start;
    long deleted = 0;
    for (long collection = 0; collection < collections; collection += 2) {
      run.data.key(collection * each, from);
      run.data.key((collection + 1) * each, toExclusive);
      run.deleteRange(
          collection * each, (collection + 1) * each, from.clone(), toExclusive.clone());
      long now = System.nanoTime();
      run.latencies.recordValue(Math.min(EngineRun.TRACKED_NANOS_MAX, now - last));
      last = now;
      deleted++;
    }
    long nanos = last - start;
    leaveAlone(run.engine(), restMillis);
    return afterwards(RoundPlan.RECLAIM, run, deleted, nanos, meter, new EnumMap<>(Figure.class));
  }

  private static Measurement afterwards(
      String workload,
      EngineRun run,
      long operations,
      long nanos,
      CostMeter meter,
      Map<Figure, Double> figures)
      throws IOException {
    EngineUnderTest engine = run.engine();
    Costs costs = meter.stop(engine, run.liveBytes());
    figures.put(Figure.SPACE_AMPLIFICATION, costs.spaceAmplification());
    figures.putAll(overCompacted(engine, costs.diskBytes()));
    return new Measurement(
        workload, engine.name(), operations, nanos, run.latencies, run.found, costs, figures);
  }

  private static long firstSeekNanos(EngineRun run) throws IOException {
    long start = System.nanoTime();
    try (EngineUnderTest.Walk walk = run.walk()) {
      if (walk.seek(run.firstKey())) {
        run.read(walk);
      }
    }
    return System.nanoTime() - start;
  }

  /** What is on disk after a rest, over what it takes when all is compacted. */
  static Map<Figure, Double> rest(EngineUnderTest engine, long restMillis) throws IOException {
    leaveAlone(engine, restMillis);
    return overCompacted(engine, engine.diskBytes());
  }

  private static Map<Figure, Double> overCompacted(EngineUnderTest engine, long diskBytes)
      throws IOException {
    return engine.compactFully()
        ? Map.of(Figure.DISK_OVER_COMPACTED, (double) diskBytes / engine.diskBytes())
        : Map.of();
  }

  /** A step that meets every index below {@code count} once, far apart. */
  static long strideFor(long count) {
    long stride = Math.max(1, (long) (count * 0.618));
    while (greatestCommonDivisor(stride, count) != 1) {
      stride++;
    }
    return stride;
  }

  private static long greatestCommonDivisor(long a, long b) {
    return b == 0 ? a : greatestCommonDivisor(b, a % b);
  }

  private static void leaveAlone(EngineUnderTest engine, long millis) throws IOException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    try {
      while (System.nanoTime() - end < 0) {
        engine.idle();
        TimeUnit.MILLISECONDS.sleep(Math.min(millis, IDLE_MILLIS));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private Deletion() {}
}
