package dev.varve.codec.check;

import dev.varve.codec.format.MurmurHash;

/**
 * What two walks over the same things in different orders have in common: a number made of all of
 * them, which their order does not change.
 *
 * <p>To look each up from the other side would be a read at a random place of the disk for each.
 * Who gets two different numbers does so, to say what is wrong. That two sets that differ get the
 * same happens by chance alone, once in 2^64.
 */
final class EntryDigest {
  private long sum;

  /** Adds one thing. */
  void add(byte[] bytes) {
    sum += MurmurHash.of(bytes);
  }

  boolean isSame(EntryDigest other) {
    return sum == other.sum;
  }
}
