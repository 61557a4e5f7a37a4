package dev.varve.server.lua.run;

/**
 * A light userdata: a value that is equal only to itself.
 *
 * @param shown what {@code tostring} gives
 */
public record Userdata(String shown) {
  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
