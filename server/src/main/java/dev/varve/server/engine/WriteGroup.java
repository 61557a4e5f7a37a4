package dev.varve.server.engine;

import dev.varve.codec.store.CounterDeltas;
import dev.varve.codec.store.StoreBatch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What commands have written and the tree does not have yet: the last write of each key, and what
 * was counted.
 *
 * <p>Keyspace loop only.
 */
final class WriteGroup {
  /*
   * Nobody but the writer sees anything before the end of a pass of its loop, when all of it is
   * committed. Commands that write the same key over and over until then, such as the meta of the
   * collection that everybody pushes to, need it in the log and in the memtable once.
   */

  private static final int ENTRIES_MIN = 64;
  private static final int ENTRIES_KEPT_MAX = 1 << 14;

  /** The table has so many slots for each entry. */
  private static final int SPREAD = 4;

  private final CounterDeltas counters = new CounterDeltas();
  private byte[][] keys = new byte[ENTRIES_MIN][];
  private byte[][] values = new byte[ENTRIES_MIN][];

  /** What follows the values, where they came in two parts. */
  private byte[] @Nullable [] rests = new byte[ENTRIES_MIN][];

  /** Whether any did since all was forgotten. */
  private boolean hasRests;

  private long[] hashes = new long[ENTRIES_MIN];
  private long[] rows = new long[ENTRIES_MIN];

  /** Where each entry is in {@link #slots}. */
  private int[] slotOf = new int[ENTRIES_MIN];

  /** By hash: the number of an entry, and one. */
  private int[] slots = new int[SPREAD * ENTRIES_MIN];

  private int entries;

  /** The tags of keyspaces that values were put into, a bit for each: they are letters. */
  private long putTags;

  private int sequences;
  private long bytes;

  /** What is counted with it. */
  CounterDeltas counters() {
    return counters;
  }

  /** Whether nothing is in it. */
  boolean isEmpty() {
    return entries == 0 && sequences == 0;
  }

  /** How many keys are written. */
  int entries() {
    return entries;
  }

  byte[] key(int entry) {
    return keys[entry];
  }

  /**
   * What is written under it, {@link StoreBatch#INSERTED} or {@link StoreBatch#DELETED}; the first
   * part of it if it has a {@link #rest}.
   */
  byte[] value(int entry) {
    return values[entry];
  }

  /** What follows it, of a long value that came in two parts; null otherwise. */
  byte @Nullable [] rest(int entry) {
    return rests[entry];
  }

  /** The hash of its key. */
  long hash(int entry) {
    return hashes[entry];
  }

  /** Its key's row when it was written last, or {@link RowCache#NO_ROW}. */
  long row(int entry) {
    return rows[entry];
  }

  /** Bytes of keys and values of all writes so far. */
  long bytes() {
    return bytes;
  }

  /** Sequence numbers that the writes so far have taken. */
  int sequences() {
    return sequences;
  }

  /** A command has been written, and takes so many sequence numbers. */
  void take(int itsSequences) {
    sequences += itsSequences;
  }

  /**
   * Writes a key, whatever was written under it before.
   *
   * @param hash of the key
   * @param value {@link StoreBatch#INSERTED} or {@link StoreBatch#DELETED} among them
   * @param rest what follows the value, if it comes in two parts
   * @param row of the key, or {@link RowCache#NO_ROW}
   */
  void write(byte[] key, long hash, byte[] value, byte @Nullable [] rest, long row) {
    bytes += key.length + value.length + (rest == null ? 0 : rest.length);
    if (value != StoreBatch.DELETED) {
      putTags |= 1L << key[0];
    }
    int slot = slot(key, hash);
    int entry = slots[slot] - 1;
    byte[] its = entry < 0 ? value : StoreBatch.afterAnother(value);
    if (entry < 0) {
      if (entries == keys.length) {
        grow();
        slot = slot(key, hash);
      }
      entry = entries++;
      fill(slot, entry);
      keys[entry] = key;
      hashes[entry] = hash;
    }
    values[entry] = its;
    hasRests |= rest != null;
    if (hasRests) {
      rests[entry] = rest;
    }
    rows[entry] = row;
  }

  private void fill(int slot, int entry) {
    slots[slot] = entry + 1;
    slotOf[entry] = slot;
  }

  /** What was written under a key, or {@link StoreBatch#DELETED}; null if nothing was. */
  byte @Nullable [] get(byte[] key, long hash) {
    return getStart(key, hash, Integer.MAX_VALUE);
  }

  /** The same, but no more than the first {@code bytesMax} bytes of a value in two parts. */
  byte @Nullable [] getStart(byte[] key, long hash, int bytesMax) {
    int entry = slots[slot(key, hash)] - 1;
    if (entry < 0) {
      return null;
    }
    byte[] rest = rests[entry];
    if (rest == null) {
      return values[entry];
    }
    if (values[entry].length + (long) rest.length > bytesMax) {
      byte[] start = Arrays.copyOf(values[entry], bytesMax);
      int startBytes = Math.min(values[entry].length, bytesMax);
      System.arraycopy(rest, 0, start, startBytes, bytesMax - startBytes);
      return start;
    }
    values[entry] = StoreBatch.joined(values[entry], rest);
    rests[entry] = null;
    return values[entry];
  }

  /** Whether anything is written under a key. */
  boolean has(byte[] key, long hash) {
    return slots[slot(key, hash)] != 0;
  }

  /** Whether a key, the first bytes of an array, was deleted. */
  boolean isDeleted(byte[] key, int length, long hash) {
    int entry = slots[slot(key, length, hash)] - 1;
    return entry >= 0 && values[entry] == StoreBatch.DELETED;
  }

  /** Whether a value was put into a keyspace of that tag. */
  boolean hasPuts(byte tag) {
    return (putTags & 1L << tag) != 0;
  }

  private int slot(byte[] key, long hash) {
    return slot(key, key.length, hash);
  }

  /** Where the key is in the table, or would be. */
  private int slot(byte[] key, int length, long hash) {
    int mask = slots.length - 1;
    int slot = (int) hash & mask;
    while (slots[slot] != 0) {
      int entry = slots[slot] - 1;
      byte[] its = keys[entry];
      if (hashes[entry] == hash && Arrays.equals(its, 0, its.length, key, 0, length)) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    int length = 2 * entries;
    values = Arrays.copyOf(values, length);
    rests = Arrays.copyOf(rests, length);
    hashes = Arrays.copyOf(hashes, length);
    rows = Arrays.copyOf(rows, length);
    slotOf = Arrays.copyOf(slotOf, length);
    int[] emptySlots = new int[SPREAD * length];
    // Last, since its length is looked at: there may be no memory for all.
    keys = Arrays.copyOf(keys, length);
    slots = emptySlots;
    int mask = slots.length - 1;
    for (int entry = 0; entry < entries; entry++) {
      int slot = (int) hashes[entry] & mask;
      while (slots[slot] != 0) {
        slot = (slot + 1) & mask;
      }
      fill(slot, entry);
    }
  }

  /** Forgets all. Cannot fail: what the tree has been given must not be given to it again. */
  void clear() {
    Arrays.fill(keys, 0, entries, null);
    Arrays.fill(values, 0, entries, null);
    if (hasRests) {
      Arrays.fill(rests, 0, entries, null);
    }
    // One by one: a large group may have left a table that costs more to clear than a small one.
    for (int entry = 0; entry < entries; entry++) {
      slots[slotOf[entry]] = 0;
    }
    counters.clear();
    hasRests = false;
    entries = 0;
    putTags = 0;
    sequences = 0;
    bytes = 0;
    if (keys.length > ENTRIES_KEPT_MAX) {
      shrinkIfPossible();
    }
  }

  /** Gives back the memory of a large group; all is forgotten. */
  private void shrinkIfPossible() {
    try {
      byte[][] smallValues = new byte[ENTRIES_MIN][];
      byte[][] smallRests = new byte[ENTRIES_MIN][];
      long[] smallHashes = new long[ENTRIES_MIN];
      long[] smallRows = new long[ENTRIES_MIN];
      int[] smallSlotOf = new int[ENTRIES_MIN];
      int[] smallSlots = new int[SPREAD * ENTRIES_MIN];
      keys = new byte[ENTRIES_MIN][];
      values = smallValues;
      rests = smallRests;
      hashes = smallHashes;
      rows = smallRows;
      slotOf = smallSlotOf;
      slots = smallSlots;
    } catch (OutOfMemoryError noneLeft) {
      // It stays as large as it is until the next time.
    }
  }
}
