package dev.varve.compaction;

import java.util.concurrent.TimeUnit;

/**
 * Remembers which sequence number was published when, to tell how old a write is and whether
 * anybody writes. Pure but for what it remembers; for one thread at a time.
 */
final class SequenceClock {
  /*
   * A sample is taken at most every half second. When the samples are full every second one is
   * forgotten and they are taken half as often: a fixed space covers any uptime, and the error of
   * an age stays a small part of it.
   */

  static final int SAMPLES_MAX = 512;
  private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Fewer writes per second than this are quiet. */
  static final long QUIET_WRITES_PER_SECOND = 100;

  /** It must have been quiet for so long. */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long[] nanos = new long[SAMPLES_MAX];
  private final long[] sequences = new long[SAMPLES_MAX];
  private int samples;
  private long sampleNanos = SAMPLE_NANOS;

  private long windowNanos;
  private long windowSequence;
  private long lastBusyNanos;

  SequenceClock(long nowNanos, long published) {
    nanos[0] = nowNanos;
    sequences[0] = published;
    samples = 1;
    windowNanos = nowNanos;
    windowSequence = published;
    lastBusyNanos = nowNanos;
  }

  /** Says what is published now. To be called often. */
  void tick(long nowNanos, long published) {
    if (nowNanos - windowNanos >= SAMPLE_NANOS) {
      double seconds = (double) (nowNanos - windowNanos) / TimeUnit.SECONDS.toNanos(1);
      if (published - windowSequence > QUIET_WRITES_PER_SECOND * seconds) {
        lastBusyNanos = nowNanos;
      }
      windowNanos = nowNanos;
      windowSequence = published;
    }
    if (nowNanos - nanos[samples - 1] >= sampleNanos) {
      add(nowNanos, published);
    }
  }

  private void add(long nowNanos, long published) {
    if (samples == SAMPLES_MAX) {
      samples = SAMPLES_MAX / 2;
      for (int i = 0; i < samples; i++) {
        nanos[i] = nanos[2 * i];
        sequences[i] = sequences[2 * i];
      }
      sampleNanos *= 2;
    }
    nanos[samples] = nowNanos;
    sequences[samples] = published;
    samples++;
  }

  /** Whether hardly anything was written for a while. */
  boolean isQuiet(long nowNanos) {
    return nowNanos - lastBusyNanos >= QUIET_NANOS;
  }

  /** For how long the sequence number has been published, at least; 0 if it is not known. */
  long ageMillis(long sequence, long nowNanos) {
    int low = 0;
    int high = samples;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sequences[middle] < sequence) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == samples ? 0 : TimeUnit.NANOSECONDS.toMillis(nowNanos - nanos[low]);
  }
}
