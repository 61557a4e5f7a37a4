package dev.varve.server.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The values that the writer reads again and again and that are too long for the ring of {@link
 * RowCache}: the arrays themselves, which nobody changes.
 *
 * <p>Keyspace loop only, but for the figure.
 */
final class LongRows {
  /*
   * To copy such a value is most of what it costs to look at a few bytes of it (a register of a
   * HyperLogLog, a field of a packed hash, a bit), so it is handed out as it is. A key has one slot, and
   * comes in when the doorkeeper has seen it: what is read once would live just long enough to be copied by
   * a collection. Where all take too much, the slots are emptied in turn.
   */

  /** Longer ones are looked for in the blocks each time: few would push out all others. */
  static final int VALUE_BYTES_MAX = 64 << 10;

  private static final int SLOTS = 512;

  private final byte[] @Nullable [] keys = new byte[SLOTS][];
  private final byte[] @Nullable [] values = new byte[SLOTS][];

  /** Of the key in each slot; what is in a slot without a key means nothing. */
  private final long[] hashes = new long[SLOTS];

  private final Doorkeeper door = new Doorkeeper(SLOTS);

  private final long bytesMax;
  private int hand;
  private volatile long heldBytes;

  /**
   * @param bytesMax what keys and values may take
   */
  LongRows(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  private static int slot(long hash) {
    return (int) hash & (SLOTS - 1);
  }

  /** The value of {@code key}, or null if it is not here. Nobody changes the array. */
  byte @Nullable [] get(byte[] key, long hash) {
    int slot = slot(hash);
    return hashes[slot] == hash && Arrays.equals(keys[slot], key) ? values[slot] : null;
  }

  /** The tree has {@code value} under {@code key}, as was just read there. Both are kept. */
  void read(byte[] key, long hash, byte[] value) {
    if (door.admits(hash)) {
      fill(slot(hash), key, hash, value);
    }
  }

  /** The same of the first {@code length} bytes of an array which will change. */
  void readBriefly(byte[] key, long hash, byte[] array, int length) {
    if (length <= VALUE_BYTES_MAX && door.admits(hash)) {
      fill(slot(hash), key, hash, Arrays.copyOf(array, length));
    }
  }

  /**
   * From now on the tree has {@code value} under {@code key}, which is kept if an older one is
   * here.
   *
   * @param value null if the tree has nothing, or what does not belong here
   */
  void written(byte[] key, long hash, byte @Nullable [] value) {
    if (get(key, hash) != null) {
      fill(slot(hash), key, hash, value);
    }
  }

  private void fill(int slot, byte[] key, long hash, byte @Nullable [] value) {
    empty(slot);
    if (value == null || value.length > VALUE_BYTES_MAX || bytes(key, value) > bytesMax) {
      return;
    }
    while (heldBytes + bytes(key, value) > bytesMax) {
      empty(hand);
      hand = hand + 1 & SLOTS - 1;
    }
    keys[slot] = key;
    values[slot] = value;
    hashes[slot] = hash;
    hold(bytes(key, value));
  }

  private void empty(int slot) {
    byte[] key = keys[slot];
    byte[] value = values[slot];
    if (key != null && value != null) {
      hold(-bytes(key, value));
      keys[slot] = null;
      values[slot] = null;
    }
  }

  private static long bytes(byte[] key, byte[] value) {
    return (long) key.length + value.length;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  private void hold(long bytes) {
    heldBytes += bytes;
  }

  /** Forgets all. */
  void clear() {
    for (int slot = 0; slot < SLOTS; slot++) {
      empty(slot);
    }
  }

  /** Bytes of heap that keys and values take. Any thread. */
  long heldBytes() {
    return heldBytes;
  }
}
