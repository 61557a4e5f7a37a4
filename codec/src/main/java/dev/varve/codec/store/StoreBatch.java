package dev.varve.codec.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Puts, deletes and counter deltas that take effect together: at most one write per key, in key
 * order.
 *
 * <p>Used by one thread. The arrays handed in belong to the batch; what it hands out may be copies.
 */
public final class StoreBatch implements StoreChanges {

  /** Receives the content of a batch. */
  public interface Visitor extends CounterDeltas.Visitor {
    /**
     * A put.
     *
     * @param value may be {@link #INSERTED}
     */
    void put(byte[] key, byte[] value);

    /** The same of a value that comes in two parts, one behind the other: the second is long. */
    default void put(byte[] key, byte[] start, byte[] rest) {
      put(key, joined(start, rest));
    }

    void delete(byte[] key);

    /**
     * What is stored under {@code key} stays, and nobody asks for it any more: what is kept of it
     * in memory is of no use. Comes before all puts; a put of the key makes it one like others.
     */
    default void forget(byte[] key) {}

    /**
     * Resident rows are to change. Comes after all puts and deletes, and only where a view has
     * handed such rows out.
     */
    default void change(ResidentRows.Change change) {}
  }

  /** Stands for a delete where a value is expected; known by identity, not by content. */
  public static final byte[] DELETED = new byte[0];

  /**
   * Stands for an empty value under a key that had none; known by identity. For whoever does not
   * care it is an empty value.
   */
  public static final byte[] INSERTED = new byte[0];

  /** The same where the key may have had one. */
  private static final byte[] EMPTY = new byte[0];

  private static final byte[][] NO_WRITES = {};

  /**
   * The longest stored key: the borders of tables are kept in memory and in one record of the
   * manifest, so that keys of hundreds of megabytes would be more than either takes.
   */
  public static final int KEY_BYTES_MAX = 32 << 20;

  /**
   * The longest value: a string of 512 MiB with what a data structure puts beside it. What stores
   * take at least.
   */
  public static final int VALUE_BYTES_MAX = 640 << 20;

  /** So many writes are kept in arrays; most commands have one to five, many none. */
  private static final int SORTED_MAX = 32;

  private static final int FIRST_WRITES = 4;

  /**
   * What one of many writes takes besides its bytes: two arrays, their places, and what the store
   * notes of it.
   */
  private static final long WRITE_HEAP_BYTES = 88;

  /** What many writes may take: with more, memory would run out for whoever else works. */
  private static final long HELD_BYTES_MAX = Runtime.getRuntime().maxMemory() / 3;

  /** The writes in key order, as long as they are few. */
  private byte[][] keys = NO_WRITES;

  private byte[][] values = NO_WRITES;

  /** What follows the values, of those that came in two parts; null if none did. */
  private byte @Nullable [] @Nullable [] rests;

  private int sorted;

  /** All writes, once they are many. */
  private @Nullable SortedWrites writes;

  private byte[][] forgotten = NO_WRITES;
  private int forgottenCount;

  private List<ResidentRows.Change> changes = List.of();

  private @Nullable CounterDeltas counters;
  private StepMeter meter = StepMeter.NONE;
  private long bytes;
  private int operations;
  private int sequencesReserved;

  /**
   * Sets the value of {@code key}, whatever this batch did to it before.
   *
   * @throws WriteTooLargeException when the key or the value is too long, or there are too many
   *     writes: as with the other writes
   */
  public void put(byte[] key, byte[] value) {
    write(key, value, null);
  }

  /**
   * The same for a value that comes in two parts, one behind the other: to make one array of them
   * would cost a copy of the second, which is long.
   */
  public void put(byte[] key, byte[] start, byte[] rest) {
    write(key, start, rest);
  }

  /**
   * Puts an empty value under {@code key}, which has none: a store may then forget both this and
   * the delete that follows one day, so a key that had a value would be seen to have it again.
   */
  public void insert(byte[] key) {
    write(key, INSERTED, null);
  }

  /**
   * What is left of two writes of one key. Before a delete it may have had a value, so that what
   * follows is a put like others.
   */
  public static byte[] afterAnother(byte[] value) {
    return value == INSERTED ? EMPTY : value;
  }

  /** Deletes {@code key}, whatever this batch did to it before. Its absence is not an error. */
  public void delete(byte[] key) {
    write(key, DELETED, null);
  }

  /** Says that nobody will ask for what {@code key} has, which stays: {@link Visitor#forget}. */
  public void forget(byte[] key) {
    if (forgottenCount == forgotten.length) {
      forgotten = Arrays.copyOf(forgotten, Math.max(FIRST_WRITES, 2 * forgottenCount));
    }
    forgotten[forgottenCount++] = key;
  }

  /** Lets resident rows change with this batch. */
  public void change(ResidentRows.Change change) {
    if (changes.isEmpty()) {
      // Most have one.
      changes = List.of(change);
      return;
    }
    if (changes.size() == 1) {
      changes = new ArrayList<>(changes);
    }
    changes.add(change);
  }

  /** What is to happen to resident rows. */
  public List<ResidentRows.Change> changes() {
    return changes;
  }

  /** Resident rows stay as they are: the rows themselves are in this batch. */
  public void dropChanges() {
    changes = List.of();
  }

  /** From here on tells {@code its} of each write, once there are many. */
  public void meter(StepMeter its) {
    meter = its;
  }

  /** Tells that one of a step more, which neither reads nor writes and takes as long. */
  public void step() {
    meter.step();
  }

  /**
   * Refuses what is about to be in memory in order to be written, before it is.
   *
   * @param bytes what all of it takes on the heap, about
   * @throws WriteTooLargeException when that is more than many writes may take
   */
  public static void requireRoom(long bytes) {
    if (bytes > HELD_BYTES_MAX) {
      throw WriteTooLargeException.batch(HELD_BYTES_MAX);
    }
  }

  private void write(byte[] key, byte[] value, byte @Nullable [] rest) {
    if (key.length > KEY_BYTES_MAX) {
      throw WriteTooLargeException.key(KEY_BYTES_MAX);
    }
    long valueBytes = value.length + bytes(rest);
    if (valueBytes > VALUE_BYTES_MAX) {
      throw WriteTooLargeException.value(VALUE_BYTES_MAX);
    }
    bytes += key.length + valueBytes;
    operations++;
    if (writes != null) {
      writeAmongMany(writes, key, joined(value, rest));
      return;
    }
    int at = find(key);
    if (at >= 0) {
      bytes -= keys[at].length + values[at].length + bytes(rest(at));
      keys[at] = key;
      values[at] = afterAnother(value);
      setRest(at, rest);
    } else if (sorted < SORTED_MAX) {
      insertAt(~at, key, value);
      setRest(~at, rest);
    } else {
      SortedWrites all = new SortedWrites();
      for (int i = 0; i < sorted; i++) {
        all.put(keys[i], value(i));
      }
      all.put(key, joined(value, rest));
      writes = all;
    }
  }

  /** A value that came in two parts, as one array. */
  public static byte[] joined(byte[] start, byte @Nullable [] rest) {
    if (rest == null) {
      return start;
    }
    byte[] whole = Arrays.copyOf(start, start.length + rest.length);
    System.arraycopy(rest, 0, whole, start.length, rest.length);
    return whole;
  }

  private static long bytes(byte @Nullable [] rest) {
    return rest == null ? 0 : rest.length;
  }

  private byte @Nullable [] rest(int at) {
    return rests == null ? null : rests[at];
  }

  private void setRest(int at, byte @Nullable [] rest) {
    if (rest != null && rests == null) {
      rests = new byte[SORTED_MAX][];
    }
    if (rests != null) {
      rests[at] = rest;
    }
  }

  /** One of few values, in one array from now on. */
  private byte[] value(int at) {
    byte[] rest = rest(at);
    if (rest != null) {
      values[at] = joined(values[at], rest);
      setRest(at, null);
    }
    return values[at];
  }

  private void writeAmongMany(SortedWrites all, byte[] key, byte[] value) {
    meter.step();
    byte[] before = all.put(key, value);
    if (before != null) {
      bytes -= key.length + before.length;
      if (value == INSERTED) {
        all.put(key, EMPTY);
      }
    } else {
      requireRoom(bytes + all.size() * WRITE_HEAP_BYTES);
    }
  }

  private void insertAt(int at, byte[] key, byte[] value) {
    if (sorted == keys.length) {
      int length = Math.max(FIRST_WRITES, 2 * sorted);
      values = Arrays.copyOf(values, length);
      // Last, since its length is looked at: there may be no memory for both.
      keys = Arrays.copyOf(keys, length);
    }
    System.arraycopy(keys, at, keys, at + 1, sorted - at);
    System.arraycopy(values, at, values, at + 1, sorted - at);
    if (rests != null) {
      System.arraycopy(rests, at, rests, at + 1, sorted - at);
    }
    keys[at] = key;
    values[at] = value;
    sorted++;
  }

  /**
   * Where {@code key} is among the few writes; the complement of where it would be if it is not.
   */
  private int find(byte[] key) {
    return WritePage.find(keys, sorted, key);
  }

  /** Adds {@code delta} to a counter. */
  public void count(long counterId, long delta) {
    if (counters == null) {
      counters = new CounterDeltas();
    }
    counters.add(counterId, delta);
    operations++;
  }

  /** Takes one more sequence number; returns how many were taken before it. */
  public int reserveSequence() {
    return sequencesReserved++;
  }

  @Override
  public int sequencesReserved() {
    return sequencesReserved;
  }

  @Override
  public long bytesMax() {
    return bytes;
  }

  /** What this batch adds to a counter. */
  public long delta(long counterId) {
    return counters == null ? 0 : counters.get(counterId);
  }

  /** True when applying this batch would change nothing. */
  public boolean isEmpty() {
    return writeCount() == 0 && (counters == null || counters.isEmpty()) && changes.isEmpty();
  }

  /** How often something was written here, or counted: each time, whatever came of it. */
  public int operations() {
    return operations;
  }

  @Override
  public int writeCount() {
    return writes == null ? sorted : writes.size();
  }

  /**
   * What this batch does to {@code key}: the value it puts, {@link #DELETED}, or null for nothing.
   */
  public byte @Nullable [] get(byte[] key) {
    if (writes != null) {
      return writes.get(key);
    }
    int at = find(key);
    return at < 0 ? null : value(at);
  }

  /** The first write at or after {@code key}; its value may be {@link #DELETED}. */
  public Map.@Nullable Entry<byte[], byte[]> ceiling(byte[] key) {
    if (writes != null) {
      return writes.ceiling(key);
    }
    int at = find(key);
    return entry(at < 0 ? ~at : at);
  }

  /** The first write after {@code key}; its value may be {@link #DELETED}. */
  public Map.@Nullable Entry<byte[], byte[]> higher(byte[] key) {
    if (writes != null) {
      return writes.higher(key);
    }
    int at = find(key);
    return entry(at < 0 ? ~at : at + 1);
  }

  /** The last write before {@code key}; its value may be {@link #DELETED}. */
  public Map.@Nullable Entry<byte[], byte[]> lower(byte[] key) {
    if (writes != null) {
      return writes.lower(key);
    }
    int at = find(key);
    return entry((at < 0 ? ~at : at) - 1);
  }

  private Map.@Nullable Entry<byte[], byte[]> entry(int at) {
    return at < 0 || at >= sorted ? null : Map.entry(keys[at], value(at));
  }

  /**
   * What is forgotten comes first, then puts and deletes in key order, then changes of resident
   * rows, then the counters.
   */
  @Override
  public void accept(Visitor visitor) {
    for (int i = 0; i < forgottenCount; i++) {
      visitor.forget(forgotten[i]);
    }
    if (writes != null) {
      writes.forEach((key, value) -> accept(visitor, key, value));
    } else {
      for (int i = 0; i < sorted; i++) {
        byte[] rest = rest(i);
        if (rest == null) {
          accept(visitor, keys[i], values[i]);
        } else {
          visitor.put(keys[i], values[i], rest);
        }
      }
    }
    for (int i = 0; i < changes.size(); i++) {
      visitor.change(changes.get(i));
    }
    if (counters != null) {
      counters.forEach(visitor);
    }
  }

  private static void accept(Visitor visitor, byte[] key, byte[] value) {
    if (value == DELETED) {
      visitor.delete(key);
    } else {
      visitor.put(key, value);
    }
  }
}
