package dev.varve.codec;

/**
 * When an expiry may be set: the options of EXPIRE.
 *
 * <p>Immutable, for any thread.
 *
 * @param onlyIfNone NX: the key has no expiry
 * @param onlyIfSome XX: the key has an expiry
 * @param onlyIfLater GT: the new expiry is later; no expiry is later than any
 * @param onlyIfEarlier LT: the new expiry is earlier
 */
public record ExpireCondition(
    boolean onlyIfNone, boolean onlyIfSome, boolean onlyIfLater, boolean onlyIfEarlier) {

  public static final ExpireCondition ALWAYS = new ExpireCondition(false, false, false, false);

  /** Whether a key with the expiry {@code currentMillis} may get {@code newMillis}. */
  public boolean allows(long currentMillis, long newMillis) {
    boolean some = currentMillis != Meta.NO_EXPIRY;
    return !(onlyIfNone && some)
        && !(onlyIfSome && !some)
        && !(onlyIfLater && newMillis <= currentMillis)
        && !(onlyIfEarlier && newMillis >= currentMillis);
  }
}
