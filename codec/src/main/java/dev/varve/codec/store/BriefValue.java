package dev.varve.codec.store;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The value of an entry for who is done with it before the next read from its view: it may be
 * written over then.
 *
 * @param array its bytes, and perhaps others around them; not to be handed on
 * @param offset where they start
 * @param length how many they are
 */
public record BriefValue(byte[] array, int offset, int length) {

  /** All of an array; null for null. */
  public static @Nullable BriefValue of(byte @Nullable [] value) {
    return value == null ? null : new BriefValue(value, 0, value.length);
  }

  /** The bytes as an array; the one that they lie in, as brief as before, if this is all of it. */
  public byte[] toBytes() {
    return length == array.length ? array : Arrays.copyOfRange(array, offset, offset + length);
  }
}
