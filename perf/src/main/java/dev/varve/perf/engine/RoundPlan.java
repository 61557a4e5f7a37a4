package dev.varve.perf.engine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What each round runs. Immutable.
 *
 * @param data the pairs
 * @param only workloads to run, by name; empty for all. What others need runs anyway
 * @param smallCacheBytes the cache that does not hold everything
 * @param largeCacheBytes the cache for workloads called cached
 * @param restMillis how long engines are left alone before what they cleaned up is looked at
 * @param logBytes how much log recovery reads
 * @param parent where directories are made
 */
record RoundPlan(
    Dataset data,
    Set<String> only,
    long smallCacheBytes,
    long largeCacheBytes,
    long restMillis,
    long logBytes,
    Path parent) {

  static final String CACHED = "-cached";
  static final String READWHILEWRITING = "readwhilewriting";
  static final String READER = "+reader";
  static final String WRITER = "+writer";
  static final String DELETERANDOM = "deleterandom";
  static final String RECLAIM = "reclaim";
  static final String RECOVERY = "recovery";

  /** On one filled engine, in this order. */
  static final List<EngineWorkload> READS =
      List.of(
          EngineWorkload.READRANDOM,
          EngineWorkload.READMISSING,
          EngineWorkload.SEEKRANDOM_NEXT10,
          EngineWorkload.SEEKRANDOM_PREV10,
          EngineWorkload.READSEQ,
          EngineWorkload.READREVERSE);

  RoundPlan {
    only = Set.copyOf(only);
  }

  boolean wants(String workload) {
    return only.isEmpty() || only.contains(workload);
  }

  boolean wants(EngineWorkload workload) {
    return wants(workload.label());
  }

  boolean wantsCached(EngineWorkload workload) {
    return wants(workload) || wants(workload.label() + CACHED);
  }

  /** How many times {@link Progress#step} is called in a round of so many engines. */
  int steps(int engines) {
    return engines * stepsAlone() + (wants(EngineWorkload.FILLSYNC) ? 1 : 0);
  }

  private int stepsAlone() {
    int steps = 1;
    for (EngineWorkload workload : READS) {
      steps += (wants(workload) ? 1 : 0) + (wantsCached(workload) ? 1 : 0);
    }
    for (EngineWorkload fill : List.of(EngineWorkload.FILLSEQ, EngineWorkload.OVERWRITE)) {
      steps += wants(fill) ? 1 : 0;
    }
    for (String other : List.of(READWHILEWRITING, DELETERANDOM, RECLAIM, RECOVERY)) {
      steps += wants(other) ? 1 : 0;
    }
    return steps;
  }

  /** Names that {@link #only} may hold. */
  static List<String> names() {
    List<String> names = new ArrayList<>();
    for (EngineWorkload workload : EngineWorkload.values()) {
      names.add(workload.label());
    }
    READS.forEach(workload -> names.add(workload.label() + CACHED));
    names.addAll(List.of(READWHILEWRITING, DELETERANDOM, RECLAIM, RECOVERY));
    return names;
  }

  /** Names of measurements, in the order of tables. */
  static List<String> rows() {
    List<String> rows = new ArrayList<>();
    rows.add(EngineWorkload.FILLSEQ.label());
    rows.add(EngineWorkload.FILLRANDOM.label());
    READS.forEach(workload -> rows.add(workload.label()));
    READS.forEach(workload -> rows.add(workload.label() + CACHED));
    rows.add(READWHILEWRITING + READER);
    rows.add(READWHILEWRITING + WRITER);
    rows.add(EngineWorkload.OVERWRITE.label());
    rows.addAll(List.of(DELETERANDOM, RECLAIM, EngineWorkload.FILLSYNC.label(), RECOVERY));
    return rows;
  }
}
