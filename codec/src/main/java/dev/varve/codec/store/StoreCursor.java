package dev.varve.codec.store;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * A position in the entries of a view, in key order; forward and backward steps mix freely.
 *
 * <p>Used by the thread that uses its view. It starts on no entry. When a step or seek finds none,
 * the cursor is on no entry until the next seek.
 */
public interface StoreCursor extends AutoCloseable {

  /**
   * Says that nothing is wanted before {@code from} or from {@code end} on: a step does not look
   * there, where all may lie that was deleted from another collection. A store may show what it has
   * there all the same, so who walks looks at the keys. The cursor is on no entry then.
   */
  void within(byte[] from, byte[] end);

  /**
   * The same, and says that there is nothing else in the keyspace of the collection that both
   * bounds are in: a store may know then, without a look, what an entry that is put beyond them is
   * next to. It must be so in the store itself, whatever a batch is going to change.
   */
  default void withinAll(byte[] from, byte[] end) {
    within(from, end);
  }

  /** Goes to the first entry whose key is at or after {@code key}; false if there is none. */
  boolean seek(byte[] key);

  /** Goes to the last entry whose key is before {@code key}; false if there is none. */
  boolean seekBefore(byte[] key);

  /** Goes to the entry after this one; false if there is none, or the cursor is on no entry. */
  boolean next();

  /** Goes to the entry before this one; false if there is none, or the cursor is on no entry. */
  boolean previous();

  /** Whether the cursor is on an entry. */
  boolean isValid();

  /**
   * The key of this entry. The array stays as it is after the cursor moves on, and neither side
   * changes it.
   *
   * @throws IllegalStateException when the cursor is on no entry
   */
  byte[] key();

  /**
   * The value of this entry, under the same rule as {@link #key()}.
   *
   * @throws IllegalStateException when the cursor is on no entry
   */
  byte[] value();

  /**
   * The value from its beginning on, {@code bytes} of it at least where it has as many, under the
   * same rule: who needs no more of a long one may be spared a copy of the rest.
   */
  default byte[] valueStart(int bytes) {
    return value();
  }

  /**
   * Where the key of this entry stands to another, as {@link Arrays#compareUnsigned(byte[],
   * byte[])} says; it may do so without a copy.
   */
  default int compareKey(byte[] other) {
    return Arrays.compareUnsigned(key(), other);
  }

  /**
   * Goes on to the first entry that is not before {@code bound}, which is this one if it is not;
   * returns how many entries that passes over. When none follows, the cursor is on no entry.
   */
  default long advanceTo(byte[] bound) {
    return advanceTo(bound, Long.MAX_VALUE);
  }

  /** The same, but passes over {@code max} entries at most. */
  default long advanceTo(byte[] bound, long max) {
    long passed = 0;
    boolean found = isValid();
    while (found && passed < max && compareKey(bound) < 0) {
      passed++;
      found = next();
    }
    return passed;
  }

  /**
   * Goes so many entries further in one direction; false if there are not as many, or the cursor is
   * on no entry.
   */
  default boolean skip(long entries, boolean isForward) {
    boolean found = isValid();
    for (long left = entries; found && left > 0; left--) {
      found = isForward ? next() : previous();
    }
    return found;
  }

  /** What a value counts for; it is {@code array[offset, offset + length)}. */
  @FunctionalInterface
  interface Weight {
    long of(byte[] array, int offset, int length);
  }

  /**
   * As {@link #advanceTo}, but returns the sum of what the values count for that it passes over.
   */
  default long sumTo(byte[] bound, Weight weight) {
    long sum = 0;
    boolean found = isValid();
    while (found && compareKey(bound) < 0) {
      sum += weight.of(valueArray(), valueOffset(), valueLength());
      found = next();
    }
    return sum;
  }

  /**
   * Is handed the last part of a key, {@code tails[tail, tail + tailLength)}, and the value under
   * it, {@code values[value, value + valueLength)}. The arrays stay as they are until the store is
   * written.
   */
  @FunctionalInterface
  interface EntryVisitor {
    void entry(byte[] tails, int tail, int tailLength, byte[] values, int value, int valueLength);
  }

  /**
   * Hands over this entry and those that follow in one direction, of their keys what these have
   * from {@code from} on; returns how many. Where the cursor is then is not said: the next step is
   * a seek.
   *
   * @param from not beyond any of these keys
   * @param bound entries before it are handed over, or where it goes back, those that are not
   * @param max how many at most
   */
  default long hand(int from, byte[] bound, long max, boolean isForward, EntryVisitor visitor) {
    long handed = 0;
    boolean found = isValid();
    while (found && handed < max && compareKey(bound) < 0 == isForward) {
      byte[] key = key();
      visitor.entry(key, from, key.length - from, valueArray(), valueOffset(), valueLength());
      handed++;
      found = handed < max && (isForward ? next() : previous());
    }
    return handed;
  }

  /**
   * Says that the entries that follow in one direction will soon be asked for: a store may have
   * some of them at hand then. The cursor stays where it is.
   */
  default void foresee(boolean isForward) {}

  /**
   * Says that entries whose keys begin with {@code prefix} will soon be asked for, here and there:
   * a store may bring all of them to hand, a part at each call. Where the cursor is then is not
   * said: the next step is a seek.
   *
   * @param prefix of a collection's keyspace
   * @param entries how many there are
   */
  default void foreseeAny(byte[] prefix, long entries) {}

  /**
   * Goes to one of the entries whose keys begin with {@code prefix}, each as likely as any other,
   * if that takes no search: for a store that has all of them at hand. False says nothing but that
   * the cursor is on no entry.
   *
   * @param prefix of a collection's keyspace
   * @param entries how many there are
   */
  default boolean seekAny(byte[] prefix, long entries, RandomGenerator random) {
    return false;
  }

  /**
   * An array that has the value of this entry at {@link #valueOffset}. It stays as it is until the
   * store is written, also when the cursor moves on.
   */
  default byte[] valueArray() {
    return value();
  }

  /** Where the value starts in {@link #valueArray}. */
  default int valueOffset() {
    return 0;
  }

  /** Bytes of the value. */
  default int valueLength() {
    return value().length;
  }

  @Override
  void close();
}
