package dev.varve.compaction;

/**
 * What a pass did. Immutable.
 *
 * @param plan what it ran
 * @param installed false if it was cancelled: then nothing has changed
 * @param bytesRead bytes read from the disk
 * @param bytesWritten bytes of the tables written
 * @param bytesFreed file bytes of inputs less those of outputs
 * @param shadowedEntries entries dropped because a newer one hides them
 * @param deadEntries entries dropped by the dead-entry rule, read or not
 * @param deadRawBytes keys and values of those
 */
record PassResult(
    Plan plan,
    boolean installed,
    long bytesRead,
    long bytesWritten,
    long bytesFreed,
    long shadowedEntries,
    long deadEntries,
    long deadRawBytes) {

  static PassResult cancelled(Plan plan) {
    return new PassResult(plan, false, 0, 0, 0, 0, 0, 0);
  }

  static PassResult moved(Plan plan) {
    return new PassResult(plan, true, 0, 0, 0, 0, 0, 0);
  }

  static PassResult deleted(Plan plan) {
    long entries = 0;
    long rawBytes = 0;
    for (PlacedTable placed : plan.inputs()) {
      entries += placed.table().entries();
      rawBytes += placed.table().rawBytes();
    }
    return new PassResult(plan, true, 0, 0, plan.inputBytes(), 0, entries, rawBytes);
  }
}
