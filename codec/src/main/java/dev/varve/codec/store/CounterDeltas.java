package dev.varve.codec.store;

import java.util.Arrays;

/**
 * What is to be added to a few counters, each named once.
 *
 * <p>Used by one thread.
 */
public final class CounterDeltas {

  /** Receives a delta. */
  public interface Visitor {
    void count(long counterId, long delta);
  }

  private static final long[] NONE = {};
  private static final int FIRST_COUNTERS = 4;

  private long[] ids = NONE;
  private long[] deltas = NONE;
  private int count;

  /** Adds {@code delta} to a counter. */
  public void add(long counterId, long delta) {
    int at = find(counterId);
    if (at < 0) {
      at = count;
      if (at == ids.length) {
        int length = Math.max(FIRST_COUNTERS, 2 * at);
        deltas = Arrays.copyOf(deltas, length);
        // Last, since its length is looked at: there may be no memory for both.
        ids = Arrays.copyOf(ids, length);
      }
      ids[at] = counterId;
      deltas[at] = 0;
      count++;
    }
    deltas[at] += delta;
  }

  /** What is added to a counter. */
  public long get(long counterId) {
    int at = find(counterId);
    return at < 0 ? 0 : deltas[at];
  }

  /** Whether no counter changes. */
  public boolean isEmpty() {
    for (int i = 0; i < count; i++) {
      if (deltas[i] != 0) {
        return false;
      }
    }
    return true;
  }

  /** Names each counter that changes. */
  public void forEach(Visitor visitor) {
    for (int i = 0; i < count; i++) {
      if (deltas[i] != 0) {
        visitor.count(ids[i], deltas[i]);
      }
    }
  }

  /** Forgets all. */
  public void clear() {
    count = 0;
  }

  private int find(long counterId) {
    for (int i = 0; i < count; i++) {
      if (ids[i] == counterId) {
        return i;
      }
    }
    return -1;
  }
}
