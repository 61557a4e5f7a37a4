package dev.varve.perf.engine;

import java.io.IOException;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** One run of a workload on an engine: the operations, and what they found. For one thread. */
final class EngineRun {
  static final long TRACKED_NANOS_MAX = 600_000_000_000L;

  final Dataset data;
  final Progress progress;
  final Histogram latencies = new Histogram(TRACKED_NANOS_MAX, 3);
  private final EngineUnderTest engine;
  private final BitSet live;
  private final SplittableRandom random;
  private final byte[] key = new byte[Dataset.KEY_BYTES];
  private final byte[] value;
  private final Pair pair = new Pair();
  long found;
  long foundBytes;

  /**
   * @param live which keys have a value; kept up to date
   * @param seed decides the keys: the same for every engine of a round
   */
  EngineRun(EngineUnderTest engine, Dataset data, BitSet live, long seed, Progress progress) {
    this.engine = engine;
    this.data = data;
    this.live = live;
    this.random = new SplittableRandom(seed);
    this.progress = progress;
    this.value = new byte[data.valueBytes()];
  }

  EngineUnderTest engine() {
    return engine;
  }

  long randomIndex() {
    return random.nextLong(data.count());
  }

  byte[] randomKey() {
    data.key(randomIndex(), key);
    return key;
  }

  void put(long index) throws IOException {
    fill(index);
    engine.put(key, value);
  }

  void putSynced(long index) throws IOException {
    fill(index);
    engine.putSynced(key, value);
  }

  private void fill(long index) {
    data.key(index, key);
    data.value(random, value);
    live.set((int) index);
  }

  void delete(long index) throws IOException {
    data.key(index, key);
    live.clear((int) index);
    engine.delete(key);
  }

  /** Deletes all keys from one index to before another, whose keys are given too. */
  void deleteRange(long index, long indexExclusive, byte[] from, byte[] toExclusive)
      throws IOException {
    live.clear((int) index, (int) indexExclusive);
    engine.deleteRange(from, toExclusive);
  }

  /** The first key that may be there. */
  byte[] firstKey() {
    data.key(0, key);
    return key;
  }

  void get(long index) throws IOException {
    data.key(index, key);
    count(engine.get(key));
  }

  void getMissing(long index) throws IOException {
    data.missingKey(index, key);
    count(engine.get(key));
  }

  private void count(byte @Nullable [] got) {
    if (got != null) {
      found++;
      foundBytes += key.length + got.length;
    }
  }

  EngineUnderTest.Walk walk() throws IOException {
    return engine.walk();
  }

  void read(EngineUnderTest.Walk walk) {
    foundBytes += walk.read(pair);
    found++;
  }

  long liveBytes() {
    return (long) live.cardinality() * data.pairBytes();
  }
}
