package dev.varve.codec.zset;

/**
 * Which members ZADD adds and which it changes.
 *
 * <p>Immutable, for any thread.
 *
 * @param onlyNew NX: changes none
 * @param onlyExisting XX: adds none
 * @param onlyGreater GT: changes a score only to a greater one
 * @param onlyLess LT: changes a score only to a smaller one
 */
public record ZAddCondition(
    boolean onlyNew, boolean onlyExisting, boolean onlyGreater, boolean onlyLess) {

  /** Adds and changes all. */
  public static final ZAddCondition NONE = new ZAddCondition(false, false, false, false);

  /** Whether a member's score is changed so; {@code from} and {@code to} may be equal. */
  boolean allows(double from, double to) {
    return !onlyNew && (!onlyGreater || to > from) && (!onlyLess || to < from);
  }
}
