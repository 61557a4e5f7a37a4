package dev.varve.compaction;

/**
 * How fast passes may write, from how far they are behind. Immutable.
 *
 * @param bytesPerSecond while compaction keeps up: low enough that readers hardly notice
 * @param bytesPerSecondMax when writers are about to be stopped
 */
public record Pace(long bytesPerSecond, long bytesPerSecondMax) {

  public static final Pace DEFAULT = new Pace(64L << 20, 1L << 30);

  /** For tests and for those who have the machine to themselves. */
  public static final Pace UNLIMITED = new Pace(Long.MAX_VALUE, Long.MAX_VALUE);

  /** From this pressure on the pace grows. */
  private static final double PRESSURE_RISING = 1;

  /** At this pressure the pace is the highest. */
  private static final double PRESSURE_FULL = 3;

  public Pace {
    if (bytesPerSecond <= 0 || bytesPerSecondMax < bytesPerSecond) {
      throw new IllegalArgumentException(
          "pace cannot be " + bytesPerSecond + " to " + bytesPerSecondMax + " bytes per second");
    }
  }

  /** The pace at a pressure as {@link CompactionPicker#pressure} counts it. */
  long at(double pressure) {
    double share = (pressure - PRESSURE_RISING) / (PRESSURE_FULL - PRESSURE_RISING);
    double clamped = Math.max(0, Math.min(1, share));
    return bytesPerSecond + (long) ((bytesPerSecondMax - bytesPerSecond) * clamped);
  }
}
