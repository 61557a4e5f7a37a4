package dev.varve.server.command;

/**
 * How often one command ran on one thread, and how long it took.
 *
 * <p>Counted by that thread; any thread reads, and may be a moment behind.
 */
public final class CallStatistics {
  /* Times are counted in buckets: four to each power of two of nanoseconds. */
  private static final int BUCKET_BITS = 2;
  private static final int BUCKETS = 64 << BUCKET_BITS;

  private long calls;
  private long nanos;
  private long rejected;
  private long failed;
  private final int[] buckets = new int[BUCKETS];

  void ran(long itsNanos, boolean hasFailed, boolean isTimed) {
    calls++;
    nanos += itsNanos;
    if (hasFailed) {
      failed++;
    }
    if (isTimed) {
      buckets[bucket(itsNanos)]++;
    }
  }

  void refused() {
    rejected++;
  }

  void failedLater() {
    failed++;
  }

  /** Adds what {@code other} counted. */
  void add(CallStatistics other) {
    calls += other.calls;
    nanos += other.nanos;
    rejected += other.rejected;
    failed += other.failed;
    for (int i = 0; i < BUCKETS; i++) {
      buckets[i] += other.buckets[i];
    }
  }

  public long calls() {
    return calls;
  }

  public long micros() {
    return nanos / 1000;
  }

  public long rejected() {
    return rejected;
  }

  public long failed() {
    return failed;
  }

  /** How many were timed. */
  public long timed() {
    long sum = 0;
    for (int count : buckets) {
      sum += count;
    }
    return sum;
  }

  /** How many took at most {@code micros}, about. */
  public long within(long micros) {
    long sum = 0;
    for (int i = 0; i <= bucket(1000 * micros); i++) {
      sum += buckets[i];
    }
    return sum;
  }

  /** The time in µs that so many per cent of the calls stayed below, about. */
  public double percentileMicros(double percent) {
    long wanted = Math.max(1, (long) Math.ceil(timed() * percent / 100));
    long sum = 0;
    for (int i = 0; i < BUCKETS; i++) {
      sum += buckets[i];
      if (sum >= wanted) {
        return upperNanos(i) / 1000.0;
      }
    }
    return 0;
  }

  private static int bucket(long itsNanos) {
    long value = Math.max(1 << BUCKET_BITS, itsNanos);
    int power = 63 - Long.numberOfLeadingZeros(value);
    int part = (int) (value >>> (power - BUCKET_BITS)) & ((1 << BUCKET_BITS) - 1);
    return (power << BUCKET_BITS) + part;
  }

  private static double upperNanos(int bucket) {
    int power = bucket >> BUCKET_BITS;
    int part = bucket & ((1 << BUCKET_BITS) - 1);
    return Math.scalb(1 + (part + 1) / (double) (1 << BUCKET_BITS), power);
  }
}
