package dev.varve.server.command.observe;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Delays that were long enough to be noted, by what caused them: LATENCY.
 *
 * <p>Any thread.
 */
public final class LatencyEvents {
  /** As many as Redis keeps of an event. */
  private static final int SAMPLES_MAX = 160;

  /** The longest delay of one second. */
  public record Sample(long seconds, long millis) {}

  /** The delays of one cause. */
  public record Series(String event, List<Sample> samples, long maxMillis) {
    public Sample last() {
      return samples.get(samples.size() - 1);
    }
  }

  private final Map<String, Deque<Sample>> samples = new TreeMap<>();
  private final Map<String, Long> maxMillis = new TreeMap<>();
  private volatile long thresholdMillis;

  /** Notes delays from {@code millis} on; 0: none. */
  public void threshold(long millis) {
    thresholdMillis = millis;
  }

  public boolean isOn() {
    return thresholdMillis > 0;
  }

  /** Something took {@code micros}. */
  public void took(String event, long micros, long nowMillis) {
    long least = thresholdMillis;
    if (least > 0 && micros >= 1000 * least) {
      add(event, micros / 1000, nowMillis / 1000);
    }
  }

  private synchronized void add(String event, long millis, long seconds) {
    Deque<Sample> its = samples.computeIfAbsent(event, first -> new ArrayDeque<>());
    Sample last = its.peekLast();
    if (last != null && last.seconds() == seconds) {
      its.removeLast();
      its.addLast(new Sample(seconds, Math.max(millis, last.millis())));
    } else {
      its.addLast(new Sample(seconds, millis));
    }
    if (its.size() > SAMPLES_MAX) {
      its.removeFirst();
    }
    maxMillis.merge(event, millis, Math::max);
  }

  public synchronized List<Series> all() {
    List<Series> all = new ArrayList<>();
    samples.forEach(
        (event, its) ->
            all.add(new Series(event, List.copyOf(its), maxMillis.getOrDefault(event, 0L))));
    return all;
  }

  public synchronized List<Sample> of(String event) {
    Deque<Sample> its = samples.get(event);
    return its == null ? List.of() : List.copyOf(its);
  }

  /** Forgets all, or one; how many that were. */
  public synchronized int clear(List<String> events) {
    int before = samples.size();
    if (events.isEmpty()) {
      samples.clear();
      maxMillis.clear();
    } else {
      samples.keySet().removeAll(events);
      maxMillis.keySet().removeAll(events);
    }
    return before - samples.size();
  }
}
