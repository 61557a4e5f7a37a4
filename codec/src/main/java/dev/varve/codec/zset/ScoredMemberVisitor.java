package dev.varve.codec.zset;

/** Is handed members of a sorted set one by one, without a copy; it changes nothing. */
@FunctionalInterface
public interface ScoredMemberVisitor {

  /**
   * A member is {@code array[offset, offset + length)}; the array stays as it is until the store is
   * written.
   */
  void member(byte[] array, int offset, int length, double score);
}
