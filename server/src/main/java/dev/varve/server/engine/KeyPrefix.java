package dev.varve.server.engine;

import dev.varve.lsm.table.KeyHash;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What all keys of a keyspace of a collection begin with, to find things by. One may be used for
 * many searches.
 *
 * <p>Used by one thread.
 */
final class KeyPrefix {
  private static final byte[] NO_KEY = {};

  private byte[] bytes;
  private int length;
  private int hash;

  /** The first {@code length} bytes. */
  KeyPrefix(byte[] bytes, int length) {
    set(bytes, length);
  }

  final KeyPrefix set(byte[] itsBytes, int itsLength) {
    bytes = itsBytes;
    length = itsLength;
    hash = (int) KeyHash.hash(itsBytes, 0, itsLength);
    return this;
  }

  /** Holds no key any more, which may be a long one. */
  void forget() {
    bytes = NO_KEY;
    length = 0;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof KeyPrefix that
        && Arrays.equals(bytes, 0, length, that.bytes, 0, that.length);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
