package dev.varve.codec;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How often the slots of {@link AccessTimes} were used, as Redis counts it under an LFU policy: a
 * byte each, which the next use raises with a chance that falls as it rises, and which time lowers.
 *
 * <p>Any thread; uses of one slot by two threads at once may count as one.
 */
final class AccessCounts {
  static final int COUNT_MAX = 255;

  /** What Redis gives a new key, so that it is not taken for one that nobody wants. */
  static final int COUNT_NEW = 5;

  private static final int MINUTE_SECONDS = 60;

  private final byte[] counts;
  private final int factor;
  private final int decayMinutes;

  AccessCounts(int slots, int factor, int decayMinutes) {
    this(new byte[slots], factor, decayMinutes);
    Arrays.fill(counts, (byte) COUNT_NEW);
  }

  private AccessCounts(byte[] counts, int factor, int decayMinutes) {
    this.counts = counts;
    this.factor = factor;
    this.decayMinutes = decayMinutes;
  }

  /** The same counts, raised and lowered otherwise from now on. */
  AccessCounts with(int newFactor, int newDecayMinutes) {
    return new AccessCounts(counts, newFactor, newDecayMinutes);
  }

  /** The count of a slot that has not been used for so long. */
  int at(int slot, long idleSeconds) {
    int count = Byte.toUnsignedInt(counts[slot]);
    if (decayMinutes == 0) {
      return count;
    }
    long steps = Math.max(0, idleSeconds) / MINUTE_SECONDS / decayMinutes;
    return (int) Math.max(0, count - steps);
  }

  /** A slot is used, after it has not been for so long. */
  void used(int slot, long idleSeconds) {
    int count = at(slot, idleSeconds);
    if (count < COUNT_MAX) {
      double above = Math.max(0, count - COUNT_NEW);
      if (ThreadLocalRandom.current().nextDouble() * (above * factor + 1) < 1) {
        count++;
      }
    }
    set(slot, count);
  }

  void set(int slot, int count) {
    counts[slot] = (byte) count;
  }
}
