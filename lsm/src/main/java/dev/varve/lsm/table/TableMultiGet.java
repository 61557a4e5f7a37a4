package dev.varve.lsm.table;

import dev.varve.lsm.entry.Lookup;
import dev.varve.lsm.entry.ValueCopy;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks up several keys, each in one table, step by step for all of them: what one key waits for
 * comes from memory while that of the others does. Reads only blocks that are in memory.
 *
 * <p>A value that is too long to be copied for who may never ask for it stays at hand: its block is
 * held until it is taken, or {@link #forget}.
 *
 * <p>One thread; used over and over.
 */
public final class TableMultiGet {
  /** The blocks of longer values would take too much memory from others. */
  private static final int HELD_VALUE_BYTES_MAX = 64 << 10;

  private final int[] asked;
  private final TableReader[] tables;
  private final @Nullable Block[] blocks;
  private final int[] ordinals;
  private final int[] entries;
  private int count;

  /** By the number of the key: the block that has its value, and where; or null. */
  private final @Nullable Block[] held;

  private final int[] heldEntries;
  private int heldCount;

  /** Keeps the compiler from leaving out what is read for no other reason. */
  @SuppressWarnings("unused")
  private int touched;

  /** For up to so many keys at once. */
  public TableMultiGet(int keysMax) {
    asked = new int[keysMax];
    tables = new TableReader[keysMax];
    blocks = new Block[keysMax];
    ordinals = new int[keysMax];
    entries = new int[keysMax];
    held = new Block[keysMax];
    heldEntries = new int[keysMax];
  }

  /**
   * The next {@link #run} looks for the key of this number in a table, which stays open until then.
   */
  public void add(int number, TableReader table) {
    asked[count] = number;
    tables[count++] = table;
  }

  /**
   * Looks for what was added, and forgets it. Where a table has an entry of a key with a sequence
   * number up to {@code sequence}, its newest goes into {@code values} under the key's number: a
   * copy of the value, or {@link Lookup#TOMBSTONE}; or {@link ValueCopy#NOT_COPIED}: then it {@link
   * #isHeld}, or is very long, or only the disk could tell.
   *
   * @param hashes {@link KeyHash} of each of the {@code keys}
   */
  public void run(
      byte[][] keys, long[] hashes, long sequence, byte[] @Nullable [] values, ValueCopy copy) {
    keepPossible(hashes);
    findBlocks(keys, sequence, values);
    try {
      findEntries(keys, sequence);
      copyValues(values, copy);
    } finally {
      release();
    }
  }

  /** Leaves those whose table has no such key by its filter. */
  private void keepPossible(long[] hashes) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
      sum += tables[i].touchFilter(hashes[asked[i]]);
    }
    touched = sum;
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (tables[i].mayContain(hashes[asked[i]])) {
        asked[kept] = asked[i];
        tables[kept++] = tables[i];
      }
    }
    count = kept;
  }

  private void findBlocks(byte[][] keys, long sequence, byte[] @Nullable [] values) {
    for (int i = 0; i < count; i++) {
      byte[] key = keys[asked[i]];
      ordinals[i] = tables[i].ordinal(key, sequence);
      blocks[i] = ordinals[i] < 0 ? null : tables[i].peek(ordinals[i]);
    }
    int sum = 0;
    for (int i = 0; i < count; i++) {
      Block block = blocks[i];
      sum += block == null ? 0 : block.touch();
    }
    touched = sum;
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (ordinals[i] < 0) {
        continue;
      }
      Block block = blocks[i] == null ? null : tables[i].acquireInMemory(ordinals[i]);
      if (block == null) {
        values[asked[i]] = ValueCopy.NOT_COPIED;
        continue;
      }
      asked[kept] = asked[i];
      blocks[kept++] = block;
    }
    count = kept;
  }

  /** In three steps, each of which reads where the one before has led to. */
  private void findEntries(byte[][] keys, long sequence) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
      byte[] key = keys[asked[i]];
      entries[i] = block(i).firstWithPrefix(key, 0, key.length);
      sum += block(i).touchRecord(entries[i]);
    }
    for (int i = 0; i < count; i++) {
      byte[] key = keys[asked[i]];
      int entry = block(i).refine(entries[i], key, 0, key.length, sequence);
      boolean isIt = entry < block(i).entries() && block(i).hasKey(entry, key);
      entries[i] = isIt ? entry : -1;
      sum += isIt ? block(i).touchValue(entry) : 0;
    }
    touched = sum;
  }

  private void copyValues(byte[] @Nullable [] values, ValueCopy copy) {
    for (int i = 0; i < count; i++) {
      if (entries[i] >= 0) {
        byte[] value = block(i).value(entries[i], copy);
        values[asked[i]] = value;
        if (value == ValueCopy.NOT_COPIED
            && block(i).valueLength(entries[i]) <= HELD_VALUE_BYTES_MAX) {
          hold(i);
        }
      }
    }
  }

  private void hold(int i) {
    held[asked[i]] = blocks[i];
    heldEntries[asked[i]] = entries[i];
    heldCount++;
    blocks[i] = null;
  }

  /** Whether the value of the key of that number is at hand. */
  public boolean isHeld(int number) {
    return held[number] != null;
  }

  /** A copy of the value of a key that {@link #isHeld}, and is not any more. */
  public byte[] takeHeld(int number, ValueCopy copy) {
    Block block = Objects.requireNonNull(held[number]);
    try {
      return block.value(heldEntries[number], copy);
    } finally {
      letGo(number, block);
    }
  }

  private void letGo(int number, Block block) {
    held[number] = null;
    heldCount--;
    block.release();
  }

  /** No value is at hand any more. */
  public void forget() {
    for (int number = 0; heldCount > 0; number++) {
      Block block = held[number];
      if (block != null) {
        letGo(number, block);
      }
    }
  }

  private void release() {
    for (int i = 0; i < count; i++) {
      Block block = blocks[i];
      if (block != null) {
        block.release();
      }
    }
    Arrays.fill(blocks, null);
    Arrays.fill(tables, null);
    count = 0;
  }

  private Block block(int i) {
    Block its = blocks[i];
    if (its == null) {
      throw new IllegalStateException("no block for the key of number " + asked[i]);
    }
    return its;
  }
}
