package dev.varve.lsm;

/** How hard writers should be slowed. Pure: the state of the tree in, a share out. */
final class WritePressure {

  /** A memtable may outgrow its limit this many times while its next log segment is prepared. */
  private static final long OVERFULL_MEMTABLES = 2;

  /** As {@link LsmTree#pressure}. Each command that writes asks. */
  static double of(TreeState state, TreeOptions options) {
    // An empty memtable has memory already, and cannot be rotated.
    long activeBytes = state.active().table().entries() == 0 ? 0 : state.active().table().bytes();
    boolean cannotRotate =
        state.immutableCount() >= options.immutableMemtablesMax()
            || activeBytes >= OVERFULL_MEMTABLES * options.memtableBytesMax();
    if (cannotRotate && activeBytes >= options.memtableBytesMax()) {
      return 1;
    }
    int runs = state.levelZeroRunCount();
    if (runs <= options.slowdownRuns()) {
      return 0;
    }
    double byRuns =
        (double) (runs - options.slowdownRuns()) / (options.stopRuns() - options.slowdownRuns());
    return Math.min(1, byRuns);
  }

  private WritePressure() {}
}
