package dev.varve.lsm.entry;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A walk, in both directions, over all entries of one source: old versions and tombstones included.
 *
 * <p>For one thread. A cursor starts positioned nowhere. Each positioning method returns whether
 * the cursor is at an entry now. After a {@link ColdBlockSignal} or a {@link ReadFailure} its
 * position is undefined until the next seek. The key and value accessors may only be called while
 * it is at an entry; the buffers they return are the cursor's own and change with the next move.
 */
public interface EntryCursor extends AutoCloseable {

  /** The largest sequence number: seeking a key with it finds the key's newest entry. */
  long SEQUENCE_MAX = (1L << 56) - 1;

  boolean seekToFirst();

  boolean seekToLast();

  /** Moves to the first entry that is not before (key, sequence) in entry order. */
  boolean seek(byte[] key, int offset, int length, long sequence);

  /** Moves to the last entry that is before (key, sequence) in entry order. */
  boolean seekBefore(byte[] key, int offset, int length, long sequence);

  /** Moves to the following entry. The cursor must be at an entry. */
  boolean next();

  /** Moves to the preceding entry. The cursor must be at an entry. */
  boolean previous();

  boolean isValid();

  /**
   * The cursor of the one source that the entry is of, whose accessors say the same of it. For who
   * asks an entry for several things: a cursor over many sources would pass each question on. Not
   * to be moved, and to be asked for anew after each move.
   */
  default EntryCursor source() {
    return this;
  }

  /** The key's bytes are {@code keyBuffer()[0, keyLength())}. */
  byte[] keyBuffer();

  int keyLength();

  long sequence();

  boolean isTombstone();

  /** The value's bytes are {@code valueBuffer()[valueOffset(), valueOffset()+valueLength())}. */
  ByteBuffer valueBuffer();

  int valueOffset();

  /** Zero for a tombstone. */
  int valueLength();

  /** Gives back what the cursor pins. Closing twice is allowed. */
  @Override
  void close();

  /** A fresh copy of the current key. */
  default byte[] copyKey() {
    return Arrays.copyOf(keyBuffer(), keyLength());
  }

  /** A fresh copy of the current value. */
  default byte[] copyValue() {
    byte[] copy = new byte[valueLength()];
    valueBuffer().get(valueOffset(), copy);
    return copy;
  }
}
