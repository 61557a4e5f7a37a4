package dev.varve.perf.engine;

import java.io.IOException;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** What db_bench calls its benchmarks: each on one thread, on the pairs of a {@link Dataset}. */
enum EngineWorkload {
  FILLSEQ(1.0, Purpose.WRITE) {
    @Override
    void step(EngineRun run, long operation) throws IOException {
      run.put(operation);
    }
  },
  FILLRANDOM(1.0, Purpose.WRITE) {
    @Override
    void step(EngineRun run, long operation) throws IOException {
      run.put(run.randomIndex());
    }
  },
  OVERWRITE(1.0, Purpose.WRITE) {
    @Override
    void step(EngineRun run, long operation) throws IOException {
      run.put(run.randomIndex());
    }
  },
  FILLSYNC(0.001, Purpose.WRITE) {
    @Override
    long operations(Dataset data) {
      return Math.max(Math.min(SYNCED_MIN, data.count() / 10), super.operations(data));
    }

    @Override
    void step(EngineRun run, long operation) throws IOException {
      run.putSynced(run.randomIndex());
    }
  },
  READRANDOM(0.2, Purpose.READ) {
    @Override
    void step(EngineRun run, long operation) throws IOException {
      run.get(run.randomIndex());
    }
  },
  READMISSING(0.2, Purpose.READ) {
    @Override
    void step(EngineRun run, long operation) throws IOException {
      run.getMissing(run.randomIndex());
    }
  },
  SEEKRANDOM_NEXT10(0.05, Purpose.READ) {
    @Override
    void step(EngineRun run, long operation) throws IOException {
      try (EngineUnderTest.Walk walk = run.walk()) {
        boolean at = walk.seek(run.randomKey());
        for (int i = 0; at && i < STEPS_AFTER_SEEK; i++) {
          run.read(walk);
          at = walk.next();
        }
      }
    }
  },
  SEEKRANDOM_PREV10(0.05, Purpose.READ) {
    @Override
    void step(EngineRun run, long operation) throws IOException {
      try (EngineUnderTest.Walk walk = run.walk()) {
        boolean at = walk.seek(run.randomKey());
        for (int i = 0; at && i < STEPS_AFTER_SEEK; i++) {
          run.read(walk);
          at = walk.previous();
        }
      }
    }
  },
  READSEQ(Purpose.SCAN) {
    @Override
    void step(EngineRun run, long operation) throws IOException {
      try (EngineUnderTest.Walk walk = run.walk()) {
        for (boolean at = walk.seekToFirst(); at; at = walk.next()) {
          run.read(walk);
        }
      }
    }
  },
  READREVERSE(Purpose.SCAN) {
    @Override
    void step(EngineRun run, long operation) throws IOException {
      try (EngineUnderTest.Walk walk = run.walk()) {
        for (boolean at = walk.seekToLast(); at; at = walk.previous()) {
          run.read(walk);
        }
      }
    }
  };

  private enum Purpose {
    WRITE,
    READ,
    /** One operation goes through everything. */
    SCAN
  }

  private static final int STEPS_AFTER_SEEK = 10;
  private static final long SYNCED_MIN = 1_000;
  private static final double WARM_UP_SHARE = 0.2;
  private static final int SCANS = 3;
  private static final int WARM_UP_SCANS = 2;

  private final double share;
  private final Purpose purpose;

  EngineWorkload(Purpose purpose) {
    this(0, purpose);
  }

  /**
   * @param share operations as a share of the keys
   */
  EngineWorkload(double share, Purpose purpose) {
    this.share = share;
    this.purpose = purpose;
  }

  abstract void step(EngineRun run, long operation) throws IOException;

  long operations(Dataset data) {
    return purpose == Purpose.SCAN ? SCANS : Math.max(1, (long) (data.count() * share));
  }

  private long warmUpOperations(Dataset data) {
    return purpose == Purpose.SCAN
        ? WARM_UP_SCANS
        : (long) Math.ceil(operations(data) * WARM_UP_SHARE);
  }

  boolean writes() {
    return purpose == Purpose.WRITE;
  }

  /**
   * Runs it once, starts the meter, and returns how long it took in nanoseconds. Reads are warmed
   * up first, on every engine alike: caches fill, and code is compiled.
   */
  long run(EngineRun run, CostMeter meter) throws IOException {
    long operations = operations(run.data);
    if (purpose != Purpose.WRITE) {
      warmUp(run);
    }
    meter.start();
    Histogram nanos = run.latencies;
    run.progress.begin(operations);
    long start = System.nanoTime();
    long last = start;
    for (long i = 0; i < operations; i++) {
      step(run, i);
      long now = System.nanoTime();
      nanos.recordValue(Math.min(EngineRun.TRACKED_NANOS_MAX, now - last));
      last = now;
      run.progress.at(i);
    }
    return last - start;
  }

  /** Runs a part of it that does not count. */
  void warmUp(EngineRun run) throws IOException {
    long operations = warmUpOperations(run.data);
    for (long i = 0; i < operations; i++) {
      step(run, i);
    }
    run.found = 0;
    run.foundBytes = 0;
  }

  /** A scan is one step; what counts are the entries it showed. */
  long counted(EngineRun run) {
    return purpose == Purpose.SCAN ? run.found : operations(run.data);
  }

  /** As tables say it. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '+');
  }
}
