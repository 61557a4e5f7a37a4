package dev.varve.server.model;

import dev.varve.codec.PackedLimits;
import dev.varve.lsm.TreeOptions;
import dev.varve.server.command.TreeTester.Sizes;
import java.util.SplittableRandom;

/**
 * Everything that may be chosen without any client ever noticing: sizes, limits, and how often what
 * happens. Immutable.
 *
 * @param joinsPasses whether requests share passes of the keyspace loop
 * @param oneIn how many requests there are on average between two events of a kind
 */
record OptionSet(
    Sizes sizes,
    int immutables,
    int slowdownRuns,
    PackedLimits limits,
    boolean joinsPasses,
    Intervals oneIn) {

  /** Requests on average between two: 0 for never. */
  record Intervals(int flush, int work, int manyWork, int sweep, int retire, int restart) {}

  private static final int STOP_BEHIND_SLOWDOWN = 8;
  private static final int FRAGMENT_BYTES_LEAST = 8;

  /** A server as it comes, whose background work never runs. */
  static final OptionSet PLAIN =
      new OptionSet(
          new Sizes(64 << 20, 16 << 10, 64 << 20, 64 << 20),
          4,
          12,
          PackedLimits.DEFAULT,
          false,
          new Intervals(0, 0, 0, 0, 0, 0));

  /** Any other one. */
  static OptionSet any(SplittableRandom random) {
    return new OptionSet(
        new Sizes(
            8192L << random.nextInt(8),
            64 << random.nextInt(9),
            1024L << random.nextInt(9),
            random.nextInt(3) == 0 ? 0 : 4096L << random.nextInt(10)),
        1 + random.nextInt(4),
        1 + random.nextInt(12),
        anyLimits(random),
        random.nextBoolean(),
        new Intervals(
            anyInterval(random, 50),
            anyInterval(random, 4),
            anyInterval(random, 50),
            anyInterval(random, 30),
            anyInterval(random, 100),
            anyInterval(random, 300)));
  }

  private static int anyInterval(SplittableRandom random, int least) {
    return random.nextInt(6) == 0 ? 0 : least << random.nextInt(6);
  }

  /** Those of streams stay: an inexact trim goes by them, and may. */
  private static PackedLimits anyLimits(SplittableRandom random) {
    int editedBytesMax = 1 + random.nextInt(300);
    return new PackedLimits(
            random.nextInt(200),
            random.nextInt(100),
            random.nextInt(200),
            random.nextInt(100),
            random.nextInt(200),
            random.nextInt(100),
            random.nextInt(200),
            random.nextInt(9000))
        .withStrings(
            editedBytesMax + random.nextInt(300),
            editedBytesMax,
            FRAGMENT_BYTES_LEAST << random.nextInt(6),
            FRAGMENT_BYTES_LEAST << random.nextInt(6));
  }

  TreeOptions.Builder options() {
    return sizes
        .options()
        .immutableMemtablesMax(immutables)
        .levelZeroRuns(slowdownRuns, slowdownRuns + STOP_BEHIND_SLOWDOWN);
  }
}
