package dev.varve.codec.zset;

import org.jspecify.annotations.Nullable;

/**
 * One end of a range of members in byte order.
 *
 * <p>Immutable, for any thread.
 */
public final class ZLexBound {
  /** Before every member. */
  public static final ZLexBound LOWEST = new ZLexBound(null, false);

  /** After every member. */
  public static final ZLexBound HIGHEST = new ZLexBound(null, true);

  final byte @Nullable [] member;

  /** Whether the member itself is out of the range; without a member, whether this is HIGHEST. */
  final boolean exclusive;

  private ZLexBound(byte @Nullable [] member, boolean exclusive) {
    this.member = member;
    this.exclusive = exclusive;
  }

  /** An end at {@code member}, which belongs to the range. */
  public static ZLexBound inclusive(byte[] member) {
    return new ZLexBound(member, false);
  }

  /** An end at {@code member}, which does not belong to the range. */
  public static ZLexBound exclusive(byte[] member) {
    return new ZLexBound(member, true);
  }
}
