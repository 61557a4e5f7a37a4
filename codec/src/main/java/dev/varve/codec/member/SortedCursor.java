package dev.varve.codec.member;

import java.util.Arrays;

/**
 * A walk over the members of a hash or set in the order of their hashes, members of one hash in
 * their own order: the order that set operations merge in.
 */
abstract class SortedCursor extends MemberCursor {

  /** The hash of the member. */
  abstract int hash();

  /**
   * Goes to the first member that is not before the one {@code target} is on, if not there already;
   * false if there is none. To be called only when this is on a member.
   */
  abstract boolean advanceTo(SortedCursor target);

  final int compareTo(SortedCursor that) {
    int order = Integer.compareUnsigned(hash(), that.hash());
    return order == 0
        ? Arrays.compareUnsigned(
            array(),
            offset(),
            offset() + length(),
            that.array(),
            that.offset(),
            that.offset() + that.length())
        : order;
  }
}
