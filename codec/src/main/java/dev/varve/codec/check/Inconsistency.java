package dev.varve.codec.check;

/**
 * One thing in a store that cannot be.
 *
 * @param where what it is about: a key, a database, or an entry that belongs to none
 * @param what what is wrong with it
 */
public record Inconsistency(String where, String what) {
  @Override
  public String toString() {
    return where + ": " + what;
  }
}
