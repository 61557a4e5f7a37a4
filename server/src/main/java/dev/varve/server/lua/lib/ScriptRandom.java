package dev.varve.server.lua.lib;

/**
 * The numbers that scripts take for random: those of the C function lrand48, which Redis carries
 * along so that a script does the same everywhere.
 *
 * <p>Single-threaded.
 */
public final class ScriptRandom {
  /* A linear congruential generator of 48 bits, as POSIX defines it; 31 of them are used. */
  private static final long MULTIPLIER = 0x5DEECE66DL;
  private static final long ADDEND = 0xB;
  private static final long MASK = (1L << 48) - 1;
  private static final long SEED_LOW = 0x330E;
  private static final int UNUSED_BITS = 17;

  /** What lrand48 begins with when nobody has seeded it. */
  private static final long UNSEEDED = 0x1234ABCD330EL;

  private long bits = UNSEEDED;

  /** Where the sequence is, to come back to. */
  public long position() {
    return bits;
  }

  /** Goes to a place of the sequence: of any number, some bits choose it. */
  public void setPosition(long position) {
    bits = position & MASK;
  }

  public void seed(int seed) {
    bits = ((seed & 0xFFFFFFFFL) << 16) | SEED_LOW;
  }

  /** From 0 on and below 1. */
  public double nextFraction() {
    bits = (bits * MULTIPLIER + ADDEND) & MASK;
    long number = bits >>> UNUSED_BITS;
    return (double) (number % Integer.MAX_VALUE) / Integer.MAX_VALUE;
  }
}
