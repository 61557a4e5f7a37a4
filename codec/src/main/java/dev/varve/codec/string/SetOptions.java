package dev.varve.codec.string;

import dev.varve.codec.Meta;
import dev.varve.codec.format.Slice;
import org.jspecify.annotations.Nullable;

/**
 * How SET sets: under which condition, and what becomes of the expiry.
 *
 * <p>Immutable, for any thread.
 *
 * @param condition whether the key must or must not be there
 * @param expiryMillis the expiry that the key gets, or {@link Meta#NO_EXPIRY}
 * @param keepExpiry whether a key that is there keeps its expiry; then {@code expiryMillis} is none
 */
public record SetOptions(Condition condition, long expiryMillis, boolean keepExpiry) {

  /** Whether the key must be there. */
  public enum Condition {
    ALWAYS,
    IF_ABSENT,
    IF_PRESENT
  }

  /**
   * What a string has to be, or must not be, for a change to happen; a key of another type is
   * refused.
   *
   * @param isEqual whether it has to be {@code value}, so that the key must be there; else it may
   *     be anything else, or missing
   */
  public record Comparison(boolean isEqual, byte[] value) {
    /** Whether it is so; a string of another length is not read to learn that. */
    boolean allows(@Nullable StringValue current) {
      return isEqual
          == (current != null
              && current.length() == value.length
              && current.all().equals(Slice.of(value)));
    }
  }

  public static final SetOptions PLAIN = new SetOptions(Condition.ALWAYS, Meta.NO_EXPIRY, false);
  public static final SetOptions IF_ABSENT =
      new SetOptions(Condition.IF_ABSENT, Meta.NO_EXPIRY, false);
}
