package dev.varve.server.command;

import java.util.Arrays;

/**
 * A key in the database of this number; equal by content. Immutable.
 *
 * @param key not to be changed
 */
public record DatabaseKey(int database, byte[] key) {
  @Override
  public boolean equals(Object other) {
    return other instanceof DatabaseKey that
        && database == that.database
        && Arrays.equals(key, that.key);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(key) + database;
  }
}
