package dev.varve.perf.engine;

import java.io.IOException;
import java.util.Locale;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;

/** What db_bench calls its benchmarks: each on one thread, on the pairs of a {@link Dataset}. */
public enum EngineWorkload {
  FILLRANDOM(1.0) {
    @Override
    void step(Run run, long operation) throws IOException {
      run.data.key(run.random.nextLong(run.data.count()), run.key);
      run.data.value(run.random, run.value);
      run.engine.put(run.key.clone(), run.value.clone());
    }
  },
  READRANDOM(0.2) {
    @Override
    void step(Run run, long operation) throws IOException {
      run.data.key(run.random.nextLong(run.data.count()), run.key);
      if (run.engine.get(run.key) != null) {
        run.found++;
      }
    }
  },
  READMISSING(0.2) {
    @Override
    void step(Run run, long operation) throws IOException {
      run.data.missingKey(run.random.nextLong(run.data.count()), run.key);
      if (run.engine.get(run.key) != null) {
        run.found++;
      }
    }
  },
  SEEKRANDOM_NEXT10(0.05) {
    @Override
    void step(Run run, long operation) throws IOException {
      run.data.key(run.random.nextLong(run.data.count()), run.key);
      try (EngineUnderTest.Walk walk = run.engine.walk()) {
        boolean at = walk.seek(run.key);
        for (int i = 0; at && i < 10; i++) {
          run.found += walk.touch() > 0 ? 1 : 0;
          at = walk.next();
        }
      }
    }
  },
  SEEKRANDOM_PREV10(0.05) {
    @Override
    void step(Run run, long operation) throws IOException {
      run.data.key(run.random.nextLong(run.data.count()), run.key);
      try (EngineUnderTest.Walk walk = run.engine.walk()) {
        boolean at = walk.seek(run.key);
        for (int i = 0; at && i < 10; i++) {
          run.found += walk.touch() > 0 ? 1 : 0;
          at = walk.previous();
        }
      }
    }
  },
  READSEQ(1.0) {
    @Override
    long operations(Dataset data) {
      return 1;
    }

    @Override
    void step(Run run, long operation) throws IOException {
      try (EngineUnderTest.Walk walk = run.engine.walk()) {
        for (boolean at = walk.seekToFirst(); at; at = walk.next()) {
          run.found += walk.touch() > 0 ? 1 : 0;
        }
      }
    }
  },
  READREVERSE(1.0) {
    @Override
    long operations(Dataset data) {
      return 1;
    }

    @Override
    void step(Run run, long operation) throws IOException {
      try (EngineUnderTest.Walk walk = run.engine.walk()) {
        for (boolean at = walk.seekToLast(); at; at = walk.previous()) {
          run.found += walk.touch() > 0 ? 1 : 0;
        }
      }
    }
  };

  /** One run of a workload on an engine. */
  static final class Run {
    final EngineUnderTest engine;
    final Dataset data;
    final SplittableRandom random;
    final byte[] key = new byte[Dataset.KEY_BYTES];
    final byte[] value;
    long found;

    Run(EngineUnderTest engine, Dataset data, long seed) {
      this.engine = engine;
      this.data = data;
      this.random = new SplittableRandom(seed);
      this.value = new byte[data.valueBytes()];
    }
  }

  private static final long TRACKED_NANOS_MAX = 60_000_000_000L;

  private final double share;

  /**
   * @param share operations as a share of the keys
   */
  EngineWorkload(double share) {
    this.share = share;
  }

  abstract void step(Run run, long operation) throws IOException;

  long operations(Dataset data) {
    return Math.max(1, (long) (data.count() * share));
  }

  /** Runs it once; {@code seed} decides the keys, the same for every engine of a round. */
  Measurement run(EngineUnderTest engine, Dataset data, long seed) throws IOException {
    Run run = new Run(engine, data, seed);
    Histogram nanos = new Histogram(TRACKED_NANOS_MAX, 3);
    long operations = operations(data);
    long start = System.nanoTime();
    long last = start;
    for (long i = 0; i < operations; i++) {
      step(run, i);
      long now = System.nanoTime();
      nanos.recordValue(Math.min(TRACKED_NANOS_MAX, now - last));
      last = now;
    }
    // A walk is one step; what counts are the entries it showed.
    long counted = operations == 1 ? run.found : operations;
    return new Measurement(this, engine.name(), counted, last - start, nanos, run.found);
  }

  /** As tables say it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '+');
  }
}
