package dev.varve.codec.store;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Some neighbouring writes of {@link SortedWrites}, in key order, numbered from 0 on.
 *
 * <p>Used by one thread.
 */
final class WritePage {
  /*
   * A key and a value are two objects, and a command may write millions: the collector would copy
   * each of them, and everybody wait for that. So a page to which nobody adds any more is packed: all
   * of it in one array, and where each part ends in another. Who writes to it again unpacks it.
   */
  private static final int WRITES_MAX = 256;

  /** What is longer is few objects for its length. */
  private static final int PACKED_BYTES_MAX = 64 << 10;

  /** In the place of the length of a value. */
  private static final int DELETED = -1;

  private static final int INSERTED = -2;

  private static final byte[][] NONE = {};

  private byte[][] keys = new byte[WRITES_MAX][];
  private byte[][] values = new byte[WRITES_MAX][];
  private int size;

  /** Each key and, right behind it, its value; null while it is not packed. */
  private byte @Nullable [] packed;

  /** Where each of these keys begins, and where the last value ends. */
  private int[] begins = {};

  /** The lengths of the values. */
  private int[] valueLengths = {};

  /**
   * Where {@code key} is among the first {@code count} of {@code keys}, which are in order; the
   * complement of where it would be if it is not.
   */
  static int find(byte[][] keys, int count, byte[] key) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int order = Arrays.compareUnsigned(keys[middle], key);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return ~low;
  }

  int size() {
    return size;
  }

  boolean isFull() {
    return size == WRITES_MAX;
  }

  /** Where {@code key} is; the complement of where it would be if it is not. */
  int find(byte[] key) {
    int byLast = compare(size - 1, key);
    if (byLast <= 0) {
      return byLast == 0 ? size - 1 : ~size;
    }
    return packed == null ? find(keys, size - 1, key) : findPacked(key);
  }

  private int findPacked(byte[] key) {
    int low = 0;
    int high = size - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int order = compare(middle, key);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return ~low;
  }

  /** How the key of a write is ordered beside {@code key}. */
  int compare(int at, byte[] key) {
    byte[] all = packed;
    return all == null
        ? Arrays.compareUnsigned(keys[at], key)
        : Arrays.compareUnsigned(all, begins[at], keyEnd(at), key, 0, key.length);
  }

  private int keyEnd(int at) {
    return begins[at + 1] - Math.max(0, valueLengths[at]);
  }

  byte[] key(int at) {
    byte[] all = packed;
    return all == null ? keys[at] : Arrays.copyOfRange(all, begins[at], keyEnd(at));
  }

  byte[] value(int at) {
    byte[] all = packed;
    if (all == null) {
      return values[at];
    }
    return switch (valueLengths[at]) {
      case DELETED -> StoreBatch.DELETED;
      case INSERTED -> StoreBatch.INSERTED;
      default -> Arrays.copyOfRange(all, keyEnd(at), begins[at + 1]);
    };
  }

  void set(int at, byte[] value) {
    unpack();
    values[at] = value;
  }

  /** Adds a write before the one at {@code at}; it is not full. */
  void insert(int at, byte[] key, byte[] value) {
    unpack();
    System.arraycopy(keys, at, keys, at + 1, size - at);
    System.arraycopy(values, at, values, at + 1, size - at);
    keys[at] = key;
    values[at] = value;
    size++;
  }

  /** Moves all from {@code at} on to a new page. */
  WritePage splitOff(int at) {
    WritePage rest = new WritePage();
    if (at < size) {
      unpack();
      rest.size = size - at;
      System.arraycopy(keys, at, rest.keys, 0, rest.size);
      System.arraycopy(values, at, rest.values, 0, rest.size);
      Arrays.fill(keys, at, size, null);
      Arrays.fill(values, at, size, null);
      size = at;
    }
    return rest;
  }

  /** Keeps all of it in one array, if that is worth it and was not done. */
  void pack() {
    if (packed != null) {
      return;
    }
    long bytes = 0;
    for (int at = 0; at < size; at++) {
      bytes += keys[at].length + (long) values[at].length;
    }
    if (bytes > PACKED_BYTES_MAX) {
      return;
    }
    byte[] all = new byte[(int) bytes];
    int[] allBegins = new int[size + 1];
    int[] allLengths = new int[size];
    int end = 0;
    for (int at = 0; at < size; at++) {
      byte[] key = keys[at];
      byte[] value = values[at];
      allBegins[at] = end;
      allLengths[at] = length(value);
      System.arraycopy(key, 0, all, end, key.length);
      System.arraycopy(value, 0, all, end + key.length, value.length);
      end += key.length + value.length;
    }
    allBegins[size] = end;
    begins = allBegins;
    valueLengths = allLengths;
    packed = all;
    keys = NONE;
    values = NONE;
  }

  private static int length(byte[] value) {
    return value == StoreBatch.DELETED
        ? DELETED
        : value == StoreBatch.INSERTED ? INSERTED : value.length;
  }

  private void unpack() {
    if (packed == null) {
      return;
    }
    byte[][] itsKeys = new byte[WRITES_MAX][];
    byte[][] itsValues = new byte[WRITES_MAX][];
    for (int at = 0; at < size; at++) {
      itsKeys[at] = key(at);
      itsValues[at] = value(at);
    }
    keys = itsKeys;
    values = itsValues;
    packed = null;
  }
}
