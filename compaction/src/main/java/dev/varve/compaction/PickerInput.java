package dev.varve.compaction;

import dev.varve.lsm.version.Version;
import java.util.List;
import java.util.Set;

/**
 * All that a pick depends on. Immutable.
 *
 * @param version the shape of the tree
 * @param running plans under way
 * @param avoided numbers of tables to leave alone for now, because a pass over them failed
 * @param garbage what of the tables is dead
 * @param horizon the published sequence number
 * @param quiet whether nothing has been written for a while
 * @param requests ranges that somebody wants compacted, oldest first
 * @param cursors where each level's last pick ended
 */
record PickerInput(
    Version version,
    List<Plan> running,
    Set<Long> avoided,
    TableGarbage garbage,
    long horizon,
    boolean quiet,
    List<RangeRequest> requests,
    LevelCursors cursors) {

  public PickerInput {
    running = List.copyOf(running);
    avoided = Set.copyOf(avoided);
    requests = List.copyOf(requests);
  }

  /** A tree at rest: nothing runs, nothing is dead. */
  public static PickerInput of(Version version) {
    return new PickerInput(
        version, List.of(), Set.of(), TableGarbage.NONE, 0, false, List.of(), LevelCursors.START);
  }
}
