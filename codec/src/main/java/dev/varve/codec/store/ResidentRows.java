package dev.varve.codec.store;

import org.jspecify.annotations.Nullable;

/**
 * All rows under one prefix, kept in memory in a form of their user's own, which is cheaper to read
 * and to change than rows are. They stand in front of the store: it is handed what has changed once
 * for many changes, before anybody could read the rows themselves.
 *
 * <p>Writer thread only.
 */
public interface ResidentRows {

  /** Makes them of the rows themselves. */
  @FunctionalInterface
  interface Loader {
    /**
     * All rows under {@code prefix}, or null if they are not what they should be, or too many. It
     * may meet what is not in memory, and ends by the store's signal then.
     */
    @Nullable ResidentRows load(byte[] prefix, StoreCursor cursor);
  }

  /** Receives a row that has changed. */
  @FunctionalInterface
  interface RowVisitor {
    void put(byte[] key, byte[] value);
  }

  /** What a batch does to them, beside rows that it puts and deletes itself. */
  interface Change {
    ResidentRows rows();

    /** Does it. */
    void apply();
  }

  /** What the keys of all rows begin with. */
  byte[] prefix();

  /** About how many bytes of memory they take. */
  long heldBytes();

  /** From now on the store has {@code value} under {@code key}, or nothing if that is null. */
  void written(byte[] key, byte @Nullable [] value);

  /** Whether the store has not been handed all that changed. */
  boolean isChanged();

  /** Hands over the rows that have changed since the last call; the store has them then. */
  void settle(RowVisitor visitor);
}
