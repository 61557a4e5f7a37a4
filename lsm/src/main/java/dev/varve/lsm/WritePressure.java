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
    int tables = state.levelZeroRunCount();
    if (tables <= options.slowdownTables()) {
      return 0;
    }
    double byTables =
        (double) (tables - options.slowdownTables())
            / (options.stopTables() - options.slowdownTables());
    return Math.min(1, byTables);
  }

  private WritePressure() {}
}
