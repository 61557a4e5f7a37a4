package dev.varve.compaction;

import dev.varve.lsm.version.Version;

/**
 * How large each level may grow, from how large the tree is. Immutable.
 *
 * <p>The deepest level has no limit. Level 0 merges into the <em>base level</em>; the levels
 * between grow by one factor each.
 */
final class LevelTargets {
  /*
   * Sizes follow the data, as RocksDB's level_compaction_dynamic_level_bytes has it: the deepest
   * level holds nearly everything, so space amplification stays near 1 + 1/factor.
   *
   * How many levels: with B bytes in a batch of level 0 and S at the deepest level, k levels with
   * the factor f = (S/B)^(1/k) cost about k(1+f) bytes written per byte. The least k with f <=
   * fanout is within a fifth of the best and keeps reads short. So a tree of up to fanout * B has
   * one level below level 0 and no byte is ever rewritten on its way through empty ones.
   */

  static final int DEEPEST = Version.LEVELS - 1;

  private final int baseLevel;
  private final long[] targets = new long[Version.LEVELS];

  LevelTargets(Version version, CompactionOptions options) {
    long largest = 0;
    int firstWithData = DEEPEST;
    for (int level = DEEPEST; level >= 1; level--) {
      long bytes = version.levelBytes(level);
      largest = Math.max(largest, bytes);
      if (bytes > 0) {
        firstWithData = level;
      }
    }
    double ratio = Math.max(1.0, (double) largest / options.levelZeroBytes());
    int levels = 1;
    while (levels < DEEPEST && Math.pow(ratio, 1.0 / levels) > options.fanout()) {
      levels++;
    }
    double factor = Math.pow(ratio, 1.0 / levels);
    int idealBase = DEEPEST - levels + 1;
    double target = options.levelZeroBytes();
    for (int level = idealBase; level < DEEPEST; level++) {
      target *= factor;
      targets[level] = (long) target;
    }
    targets[DEEPEST] = Long.MAX_VALUE;
    // Data left above the ideal base from larger days must not be overtaken by newer data.
    this.baseLevel = Math.min(idealBase, firstWithData);
  }

  /** The level that level 0 merges into. */
  int baseLevel() {
    return baseLevel;
  }

  /** Bytes that a level may hold; zero for one that should drain. */
  long targetBytes(int level) {
    return targets[level];
  }
}
