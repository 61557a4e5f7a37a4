package dev.varve.codec.format;

import java.util.Arrays;

/**
 * The order of stored keys: expiry keys by expiry first, all others by their parts.
 *
 * <p>The layouts of {@link KeyFormat} are made so that this is plain unsigned byte order, the only
 * one that distributed engines know and the one a vectorised compare serves. Pure, for any thread.
 */
public final class KeyspaceOrder {
  /** Stored beside the data: a store in another order must not be opened with this one. */
  public static final String NAME = "varve.keyspace.1";

  private KeyspaceOrder() {}

  /** Negative, zero or positive as the first key is before, equal to or after the second. */
  public static int compare(
      byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return Arrays.compareUnsigned(a, aOffset, aOffset + aLength, b, bOffset, bOffset + bLength);
  }
}
