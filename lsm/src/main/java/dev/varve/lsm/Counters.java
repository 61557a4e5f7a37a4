package dev.varve.lsm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Named 64-bit sums; a counter that was never added to is zero. What batches add waits for their
 * sequence numbers to be published, as what they put does.
 *
 * <p>{@link #get}, {@link #addAll} and {@link #publish} are for any thread, the others for the
 * writer.
 */
final class Counters {

  /** What waits is kept as sequence number, counter, delta. */
  private static final int FIELDS = 3;

  private static final int WAITING_FIRST = 16 * FIELDS;
  private static final int WAITING_KEPT = 4096 * FIELDS;

  private final ConcurrentHashMap<Long, LongAdder> published = new ConcurrentHashMap<>();

  /** In order of sequence numbers, from {@link #first} up to {@link #end}; guarded by this. */
  private long[] waiting = new long[WAITING_FIRST];

  private int first;
  private int end;

  /** Adds to a counter once {@code sequence}, which is none before the last one's, is published. */
  synchronized void add(long sequence, long counter, long delta) {
    if (end == waiting.length) {
      makeRoom();
    }
    waiting[end] = sequence;
    waiting[end + 1] = counter;
    waiting[end + 2] = delta;
    end += FIELDS;
  }

  /** What batches up to {@code sequence} have added counts from now on. */
  synchronized void publish(long sequence) {
    while (first < end && waiting[first] <= sequence) {
      addNow(waiting[first + 1], waiting[first + 2]);
      first += FIELDS;
    }
    if (first == end) {
      first = 0;
      end = 0;
      if (waiting.length > WAITING_KEPT) {
        waiting = new long[WAITING_FIRST];
      }
    }
  }

  /** Adds what was published before. */
  void addAll(Map<Long, Long> deltas) {
    deltas.forEach(this::addNow);
  }

  /** The sum of what is published. */
  long get(long counter) {
    LongAdder sum = published.get(counter);
    return sum == null ? 0 : sum.sum();
  }

  /** The sum with what waits for being published. */
  synchronized long getWithWaiting(long counter) {
    long sum = get(counter);
    for (int at = first; at < end; at += FIELDS) {
      if (waiting[at + 1] == counter) {
        sum += waiting[at + 2];
      }
    }
    return sum;
  }

  private void makeRoom() {
    int length = end - first;
    long[] roomy = length > waiting.length / 2 ? new long[2 * waiting.length] : waiting;
    System.arraycopy(waiting, first, roomy, 0, length);
    waiting = roomy;
    first = 0;
    end = length;
  }

  private void addNow(long counter, long delta) {
    LongAdder sum = published.get(counter);
    if (sum == null) {
      sum = published.computeIfAbsent(counter, unused -> new LongAdder());
    }
    sum.add(delta);
  }
}
