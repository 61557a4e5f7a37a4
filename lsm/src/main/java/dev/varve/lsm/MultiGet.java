package dev.varve.lsm;

import dev.varve.lsm.entry.Lookup;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.lsm.memtable.Memtable;
import dev.varve.lsm.table.KeyHash;
import dev.varve.lsm.table.TableMultiGet;
import dev.varve.lsm.table.TableReader;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Several keys that are looked up together: the memory that one leads to is fetched while that of
 * the others is, and not after it. What only the disk has stays unknown; nothing here waits.
 *
 * <p>One thread. Used over and over: {@link #clear}, {@link #add} some keys, {@link Snapshot#get},
 * then {@link #indexOf} each and see what is known of it.
 */
public final class MultiGet {
  /** Once this much is held, what is left stays unknown: perhaps nobody asks for it in the end. */
  private static final int HELD_BYTES_MAX = 256 << 10;

  static final int VALUE_BYTES_MAX = 4096;

  /** Longer values are copied by who asks for them, and knows where to. */
  private static final ValueCopy SHORT = ValueCopy.upTo(VALUE_BYTES_MAX);

  private static final byte[] UNKNOWN = ValueCopy.NOT_COPIED;

  private final byte[][] keys;
  private final long[] hashes;

  /** Null while it is looked for, and for good if nothing has it. */
  private final byte[] @Nullable [] values;

  private final int[] open;
  private final int[] leaves;
  private final TableMultiGet inTables;
  private int count;
  private int openCount;
  private int heldBytes;
  private ValueCopy copy = SHORT;
  private int next;

  /** Until then, what nothing has been found of may yet be. */
  private boolean isAnswered;

  /** Keeps the compiler from leaving out what is read for no other reason. */
  @SuppressWarnings("unused")
  private int touched;

  /** For up to so many keys at once. */
  public MultiGet(int keysMax) {
    keys = new byte[keysMax][];
    hashes = new long[keysMax];
    values = new byte[keysMax][];
    open = new int[keysMax];
    leaves = new int[keysMax];
    inTables = new TableMultiGet(keysMax);
  }

  /**
   * From now on, until the next {@link #clear}, no more than the first {@code bytes} bytes of a
   * value are wanted. Asked before any answer.
   */
  public void startsOnly(int bytes) {
    copy = ValueCopy.start(bytes);
  }

  /** Forgets all. */
  public void clear() {
    copy = SHORT;
    if (count > 0) {
      Arrays.fill(keys, 0, count, null);
      Arrays.fill(values, 0, count, null);
      inTables.forget();
      count = 0;
      openCount = 0;
      heldBytes = 0;
      next = 0;
      isAnswered = false;
    }
  }

  /**
   * Asks for a key.
   *
   * @param hash its {@link KeyHash}
   */
  public void add(byte[] key, long hash) {
    keys[count] = key;
    hashes[count] = hash;
    open[openCount++] = count++;
    isAnswered = false;
  }

  /** Everything was asked that may know of a key. */
  void answered() {
    isAnswered = true;
  }

  /** How many keys are asked for. */
  public int count() {
    return count;
  }

  /** The number of a key, or -1 if it has not been asked for. */
  public int indexOf(byte[] key, long hash) {
    // Most are asked for in the order they were added in.
    for (int i = 0; i < count; i++) {
      int at = next + i < count ? next + i : next + i - count;
      if (hashes[at] == hash && Arrays.equals(keys[at], key)) {
        next = at + 1 < count ? at + 1 : 0;
        return at;
      }
    }
    return -1;
  }

  /** Whether {@link #take} says the first {@code bytes} bytes of what the snapshot has. */
  public boolean isKnown(int number, int bytes) {
    byte[] value = values[number];
    if (value == UNKNOWN) {
      return isAnswered && inTables.isHeld(number);
    }
    return isAnswered && (value == null || copy.isWhole(value) || bytes <= copy.bytesMax());
  }

  /**
   * A copy of a key's value or of its start, null if it has none. It is handed out once.
   *
   * @param longCopy how it is copied if that was put off, as it was too long
   */
  public byte @Nullable [] take(int number, ValueCopy longCopy) {
    if (inTables.isHeld(number)) {
      return inTables.takeHeld(number, longCopy);
    }
    byte[] value = values[number];
    if (value == null || value == Lookup.TOMBSTONE) {
      return null;
    }
    values[number] = UNKNOWN;
    return value;
  }

  void lookIn(Memtable table, long sequence) {
    int sum = 0;
    for (int i = 0; i < openCount; i++) {
      leaves[i] = table.leaf(keys[open[i]]);
      sum += table.touch(leaves[i]);
    }
    touched = sum;
    for (int i = 0; i < openCount; i++) {
      values[open[i]] =
          heldBytes > HELD_BYTES_MAX
              ? UNKNOWN
              : table.get(leaves[i], keys[open[i]], sequence, copy);
      hold(values[open[i]]);
    }
    keepOpen();
  }

  /**
   * Looks for each key in one table.
   *
   * @param tables says in which, if any
   */
  void lookIn(Function<byte[], @Nullable TableReader> tables, long sequence) {
    for (int i = 0; i < openCount; i++) {
      TableReader table = tables.apply(keys[open[i]]);
      if (heldBytes > HELD_BYTES_MAX) {
        values[open[i]] = UNKNOWN;
      } else if (table != null) {
        inTables.add(open[i], table);
      }
    }
    inTables.run(keys, hashes, sequence, values, copy);
    for (int i = 0; i < openCount; i++) {
      hold(values[open[i]]);
    }
    keepOpen();
  }

  private void hold(byte @Nullable [] value) {
    heldBytes += value == null ? 0 : value.length;
  }

  /** Leaves those that nothing is known of yet. */
  private void keepOpen() {
    int kept = 0;
    for (int i = 0; i < openCount; i++) {
      if (values[open[i]] == null) {
        open[kept++] = open[i];
      }
    }
    openCount = kept;
  }
}
