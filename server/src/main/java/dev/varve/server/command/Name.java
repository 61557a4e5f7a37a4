package dev.varve.server.command;

import java.util.Arrays;

/**
 * The name of a channel, a pattern of such names, a key, or a prefix of keys; equal by content.
 * Immutable.
 *
 * @param bytes not to be changed
 */
public record Name(byte[] bytes) {
  public boolean startsWith(Name prefix) {
    int length = prefix.bytes.length;
    return bytes.length >= length && Arrays.equals(bytes, 0, length, prefix.bytes, 0, length);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Name that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
