package dev.varve.lsm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Named 64-bit sums. Any thread may add and read; a counter that was never added to is zero. */
final class Counters {
  private final ConcurrentHashMap<Long, LongAdder> sums = new ConcurrentHashMap<>();

  void add(long counter, long delta) {
    LongAdder sum = sums.get(counter);
    if (sum == null) {
      sum = sums.computeIfAbsent(counter, unused -> new LongAdder());
    }
    sum.add(delta);
  }

  void addAll(Map<Long, Long> deltas) {
    deltas.forEach(this::add);
  }

  long get(long counter) {
    LongAdder sum = sums.get(counter);
    return sum == null ? 0 : sum.sum();
  }
}
