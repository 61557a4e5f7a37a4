package dev.varve.server.engine;

import dev.varve.codec.store.StoreCursor;
import dev.varve.lsm.entry.KeyWords;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Rows in the order of their suffixes, by which a key of one keyspace of a collection ends: in one
 * array, and in two that say where they are.
 *
 * <p>Keyspace loop only.
 */
class SortedRows {
  /*
   * Rows lie in one array in the order in which they came; order[] says where, in the order of their keys,
   * and words[] what their suffixes begin with, so that a search need not go to each.
   *
   * A row keeps its number while others come before or after it, as walks do to stretches that another walk
   * is in. Only between commands are rows put in between or taken out.
   *
   *   length of the suffix:2  length of the value:2  suffix  value
   */
  private static final int HEADER_BYTES = 4;
  private static final int VALUE_LENGTH_AT = 2;
  private static final int FIRST_ROWS = 4;

  /** There is room for as many more rows as there are, but not for more than these. */
  private static final int ROWS_ADDED_MAX = 64;

  private static final int ROOM_MIN_BYTES = 512;

  private static final int NO_ROW = Integer.MIN_VALUE;

  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Whether suffixes are positions of a list, most of them one more than the one before. */
  private final boolean isOfList;

  private byte[] bytes = {};
  private int end;
  private int[] order = new int[FIRST_ROWS];

  /** The first word of each row's suffix, as {@link KeyWords} has it. */
  private long[] words = new long[FIRST_ROWS];

  /**
   * Where row 0 is in {@link #order} and {@link #words}, then the first row and the one after the
   * last.
   */
  private int zero = FIRST_ROWS / 2;

  private int first;
  private int behind;

  /**
   * None yet.
   *
   * @param isOfList whether most suffixes are a position that is one more than the one before
   */
  SortedRows(boolean isOfList) {
    this.isOfList = isOfList;
  }

  int rows() {
    return behind - first;
  }

  /** The number of the first row; the others count up from there. */
  int first() {
    return first;
  }

  /** The number after that of the last row. */
  int behind() {
    return behind;
  }

  /** What the arrays take. */
  int arrayBytes() {
    return bytes.length + (Integer.BYTES + Long.BYTES) * order.length;
  }

  /** The first row whose suffix is not before that of {@code key}, or {@link #behind}. */
  int rowFrom(byte[] key, int offset) {
    if (isOfList) {
      int element = element(key, offset);
      if (element != NO_ROW) {
        return element;
      }
    }
    long word = KeyWords.first(key, offset);
    int low = first;
    int high = behind;
    while (low < high) {
      int middle = (low + high) >> 1;
      int difference = Long.compareUnsigned(words[zero + middle], word);
      if (difference == 0 ? compare(middle, key, offset) < 0 : difference < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The row of an element of a list, if it is where its position says, or {@link #NO_ROW}. */
  private int element(byte[] key, int offset) {
    if (first == behind
        || key.length - offset != Long.BYTES
        || suffixBytes(order[zero + first]) != Long.BYTES) {
      return NO_ROW;
    }
    long ahead = (long) LONGS.get(key, offset) - (long) LONGS.get(bytes, suffixAt(first));
    if (ahead < 0 || ahead >= rows()) {
      return NO_ROW;
    }
    int row = first + (int) ahead;
    return compare(row, key, offset) == 0 ? row : NO_ROW;
  }

  private int suffixAt(int row) {
    return order[zero + row] + HEADER_BYTES;
  }

  /** Where the suffix of a row stands to that of {@code key}. */
  int compare(int row, byte[] key, int offset) {
    int at = order[zero + row];
    int suffix = at + HEADER_BYTES;
    return Arrays.compareUnsigned(bytes, suffix, suffix + suffixBytes(at), key, offset, key.length);
  }

  boolean isAt(int row, byte[] key, int offset) {
    return row < behind && compare(row, key, offset) == 0;
  }

  /** The key of a row, whose keyspace begins with {@code prefix}. */
  byte[] key(int row, byte[] prefix) {
    int at = order[zero + row];
    int length = suffixBytes(at);
    byte[] key = Arrays.copyOf(prefix, prefix.length + length);
    System.arraycopy(bytes, at + HEADER_BYTES, key, prefix.length, length);
    return key;
  }

  byte[] suffix(int row) {
    int suffix = suffixAt(row);
    return Arrays.copyOfRange(bytes, suffix, suffix + suffixBytes(suffix - HEADER_BYTES));
  }

  /**
   * Hands over suffixes and values from a row on to another in one direction, at most {@code max},
   * none if that lies behind; returns how many.
   */
  long hand(int row, int last, long max, boolean isForward, StoreCursor.EntryVisitor visitor) {
    int step = isForward ? 1 : -1;
    long count = Math.max(0, Math.min(max, (last - row) * step + 1L));
    for (int i = 0; i < count; i++) {
      int at = order[zero + row + i * step];
      int suffix = at + HEADER_BYTES;
      int suffixBytes = suffixBytes(at);
      visitor.entry(bytes, suffix, suffixBytes, bytes, suffix + suffixBytes, valueBytes(at));
    }
    return count;
  }

  byte[] value(int row) {
    int value = valueOffset(row);
    return Arrays.copyOfRange(bytes, value, value + valueLength(row));
  }

  /** What {@link #valueOffset} is in, until rows are added or written. */
  byte[] array() {
    return bytes;
  }

  int valueOffset(int row) {
    int at = order[zero + row];
    return at + HEADER_BYTES + suffixBytes(at);
  }

  /** The sum of what the values of some rows count for. */
  long sum(int fromRow, int toRow, StoreCursor.Weight weight) {
    long sum = 0;
    for (int row = fromRow; row < toRow; row++) {
      int at = order[zero + row];
      sum += weight.of(bytes, at + HEADER_BYTES + suffixBytes(at), valueBytes(at));
    }
    return sum;
  }

  int valueLength(int row) {
    return valueBytes(order[zero + row]);
  }

  /**
   * Makes room for rows of about the length of those that are here, all before the first or all
   * behind the last, so that it need not grow for each few of them.
   */
  void expect(int rows, boolean isForward) {
    int live = liveBytes();
    resize(rows() + rows, !isForward);
    tidy(live + rows * (live / rows() + 1));
  }

  /** Adds a row behind the last. */
  void append(byte[] key, int offset, byte[] value) {
    if (zero + behind == order.length) {
      makeRoom(false);
    }
    order[zero + behind] = store(key, offset, value);
    words[zero + behind] = KeyWords.first(key, offset);
    behind++;
  }

  /** Adds a row before the first. */
  void prepend(byte[] key, int offset, byte[] value) {
    if (zero + first == 0) {
      makeRoom(true);
    }
    order[zero + first - 1] = store(key, offset, value);
    words[zero + first - 1] = KeyWords.first(key, offset);
    first--;
  }

  /** Room for more rows: before the first, or behind the last. */
  private void makeRoom(boolean before) {
    int rows = rows();
    resize(Math.min(2 * Math.max(rows, FIRST_ROWS), rows + ROWS_ADDED_MAX), before);
  }

  private void resize(int length, boolean before) {
    int rows = rows();
    int at = before ? length - rows : 0;
    int[] itsOrder = new int[length];
    long[] itsWords = new long[length];
    System.arraycopy(order, zero + first, itsOrder, at, rows);
    System.arraycopy(words, zero + first, itsWords, at, rows);
    order = itsOrder;
    words = itsWords;
    zero = at - first;
  }

  /** Adds the rows of another from {@code row} on, all of which come after those that are here. */
  void appendAll(SortedRows others, int row) {
    for (int each = row; each < others.behind; each++) {
      append(others.suffix(each), 0, others.value(each));
    }
  }

  /** Keeps only the rows before {@code row}. */
  void cut(int row) {
    behind = row;
  }

  /** From now on there is {@code value} under a key, or nothing if it is null. */
  void put(byte[] key, int offset, byte @Nullable [] value) {
    int row = rowFrom(key, offset);
    boolean isThere = isAt(row, key, offset);
    if (value == null) {
      if (isThere) {
        remove(row);
      }
    } else if (isThere) {
      replace(row, key, offset, value);
    } else if (row == behind) {
      append(key, offset, value);
    } else if (row == first) {
      prepend(key, offset, value);
    } else {
      insert(row, key, offset, value);
    }
  }

  private void remove(int row) {
    if (row == first) {
      first++;
    } else {
      int at = zero + row;
      System.arraycopy(order, at + 1, order, at, behind - row - 1);
      System.arraycopy(words, at + 1, words, at, behind - row - 1);
      behind--;
    }
  }

  private void replace(int row, byte[] key, int offset, byte[] value) {
    int at = order[zero + row];
    if (valueBytes(at) == value.length) {
      System.arraycopy(value, 0, bytes, at + HEADER_BYTES + suffixBytes(at), value.length);
    } else {
      order[zero + row] = store(key, offset, value);
    }
  }

  private void insert(int row, byte[] key, int offset, byte[] value) {
    int stored = store(key, offset, value);
    if (zero + behind == order.length) {
      makeRoom(false);
    }
    int at = zero + row;
    System.arraycopy(order, at, order, at + 1, behind - row);
    System.arraycopy(words, at, words, at + 1, behind - row);
    order[at] = stored;
    words[at] = KeyWords.first(key, offset);
    behind++;
  }

  private int store(byte[] key, int offset, byte[] value) {
    int suffixBytes = key.length - offset;
    int length = HEADER_BYTES + suffixBytes + value.length;
    if (end + length > bytes.length) {
      int needed = liveBytes() + length;
      tidy(needed + Math.max(ROOM_MIN_BYTES, needed / 2));
    }
    int at = end;
    SHORTS.set(bytes, at, (short) suffixBytes);
    SHORTS.set(bytes, at + VALUE_LENGTH_AT, (short) value.length);
    System.arraycopy(key, offset, bytes, at + HEADER_BYTES, suffixBytes);
    System.arraycopy(value, 0, bytes, at + HEADER_BYTES + suffixBytes, value.length);
    end = at + length;
    return at;
  }

  private int liveBytes() {
    int live = 0;
    for (int row = first; row < behind; row++) {
      live += rowBytes(order[zero + row]);
    }
    return live;
  }

  /** Leaves out what is no row any more, in an array of that length. */
  private void tidy(int length) {
    byte[] tidied = new byte[length];
    end = 0;
    for (int row = first; row < behind; row++) {
      int at = order[zero + row];
      int its = rowBytes(at);
      System.arraycopy(bytes, at, tidied, end, its);
      order[zero + row] = end;
      end += its;
    }
    bytes = tidied;
  }

  private int rowBytes(int at) {
    return HEADER_BYTES + suffixBytes(at) + valueBytes(at);
  }

  private int suffixBytes(int at) {
    return (short) SHORTS.get(bytes, at);
  }

  private int valueBytes(int at) {
    return (short) SHORTS.get(bytes, at + VALUE_LENGTH_AT);
  }
}
