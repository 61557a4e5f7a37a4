package dev.varve.codec.store;

import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Puts, deletes and counter deltas that take effect together: at most one write per key, in key
 * order.
 *
 * <p>Used by one thread. The arrays handed in belong to the batch.
 */
public final class StoreBatch implements StoreChanges {

  /** Receives the content of a batch. */
  public interface Visitor {
    void put(byte[] key, byte[] value);

    void delete(byte[] key);

    void count(long counterId, long delta);
  }

  /** Stands for a delete where a value is expected; known by identity, not by content. */
  public static final byte[] DELETED = new byte[0];

  private static final int FIRST_COUNTERS = 4;

  private static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

  /** The only write, as long as there is no second: most commands write one entry, many none. */
  private Map.@Nullable Entry<byte[], byte[]> only;

  /** All writes, once there are two. */
  private @Nullable TreeMap<byte[], byte[]> writes;

  private long[] counterIds = new long[FIRST_COUNTERS];
  private long[] counterDeltas = new long[FIRST_COUNTERS];
  private int counters;
  private int sequencesReserved;

  /** Sets the value of {@code key}, whatever this batch did to it before. */
  public void put(byte[] key, byte[] value) {
    write(key, value);
  }

  /** Deletes {@code key}, whatever this batch did to it before. Its absence is not an error. */
  public void delete(byte[] key) {
    write(key, DELETED);
  }

  private void write(byte[] key, byte[] value) {
    TreeMap<byte[], byte[]> all = writes;
    if (all == null) {
      Map.Entry<byte[], byte[]> first = only;
      if (first == null || Arrays.equals(first.getKey(), key)) {
        only = new SimpleImmutableEntry<>(key, value);
        return;
      }
      all = new TreeMap<>(ORDER);
      all.put(first.getKey(), first.getValue());
      writes = all;
    }
    all.put(key, value);
  }

  /** Adds {@code delta} to a counter. */
  public void count(long counterId, long delta) {
    int at = counterAt(counterId);
    if (at < 0) {
      at = counters++;
      if (at == counterIds.length) {
        counterIds = Arrays.copyOf(counterIds, 2 * at);
        counterDeltas = Arrays.copyOf(counterDeltas, 2 * at);
      }
      counterIds[at] = counterId;
    }
    counterDeltas[at] += delta;
  }

  /** Takes one more sequence number; returns how many were taken before it. */
  public int reserveSequence() {
    return sequencesReserved++;
  }

  @Override
  public int sequencesReserved() {
    return sequencesReserved;
  }

  /** What this batch adds to a counter. */
  public long delta(long counterId) {
    int at = counterAt(counterId);
    return at < 0 ? 0 : counterDeltas[at];
  }

  /** True when applying this batch would change nothing. */
  public boolean isEmpty() {
    if (writeCount() != 0) {
      return false;
    }
    for (int i = 0; i < counters; i++) {
      if (counterDeltas[i] != 0) {
        return false;
      }
    }
    return true;
  }

  /** How many keys this batch puts or deletes. */
  public int writeCount() {
    if (writes != null) {
      return writes.size();
    }
    return only == null ? 0 : 1;
  }

  /**
   * What this batch does to {@code key}: the value it puts, {@link #DELETED}, or null for nothing.
   */
  public byte @Nullable [] get(byte[] key) {
    if (writes != null) {
      return writes.get(key);
    }
    return only != null && Arrays.equals(only.getKey(), key) ? only.getValue() : null;
  }

  /** The first write at or after {@code key}; its value may be {@link #DELETED}. */
  public Map.@Nullable Entry<byte[], byte[]> ceiling(byte[] key) {
    if (writes != null) {
      return writes.ceilingEntry(key);
    }
    return orderOfOnly(key) >= 0 ? only : null;
  }

  /** The first write after {@code key}; its value may be {@link #DELETED}. */
  public Map.@Nullable Entry<byte[], byte[]> higher(byte[] key) {
    if (writes != null) {
      return writes.higherEntry(key);
    }
    return orderOfOnly(key) > 0 ? only : null;
  }

  /** The last write before {@code key}; its value may be {@link #DELETED}. */
  public Map.@Nullable Entry<byte[], byte[]> lower(byte[] key) {
    if (writes != null) {
      return writes.lowerEntry(key);
    }
    return orderOfOnly(key) < 0 ? only : null;
  }

  /** Where the only write stands to {@code key}; anything if there is none. */
  private int orderOfOnly(byte[] key) {
    return only == null ? 0 : Arrays.compareUnsigned(only.getKey(), key);
  }

  /** The puts and deletes come in key order, then the counters. */
  @Override
  public void accept(Visitor visitor) {
    if (writes != null) {
      for (Map.Entry<byte[], byte[]> write : writes.entrySet()) {
        accept(visitor, write);
      }
    } else if (only != null) {
      accept(visitor, only);
    }
    for (int i = 0; i < counters; i++) {
      if (counterDeltas[i] != 0) {
        visitor.count(counterIds[i], counterDeltas[i]);
      }
    }
  }

  private static void accept(Visitor visitor, Map.Entry<byte[], byte[]> write) {
    byte[] value = write.getValue();
    if (value == DELETED) {
      visitor.delete(write.getKey());
    } else {
      visitor.put(write.getKey(), value);
    }
  }

  private int counterAt(long counterId) {
    for (int i = 0; i < counters; i++) {
      if (counterIds[i] == counterId) {
        return i;
      }
    }
    return -1;
  }
}
