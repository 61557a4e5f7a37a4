package dev.varve.server.command.run;

import java.util.random.RandomGenerator;

/**
 * A source of randomness that gives the same again after the same seed: SplitMix64 (Steele, Lea and
 * Flood, 2014).
 *
 * <p>Single-threaded.
 */
public final class FrozenRandom implements RandomGenerator {
  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  private long state;

  public FrozenRandom(long seed) {
    state = seed;
  }

  void seed(long seed) {
    state = seed;
  }

  @Override
  public long nextLong() {
    state += GAMMA;
    long mixed = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }
}
