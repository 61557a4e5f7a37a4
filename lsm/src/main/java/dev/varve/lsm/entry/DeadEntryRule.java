package dev.varve.lsm.entry;

/**
 * What a pass (flush or compaction) may physically drop although nothing in the tree shadows it:
 * the knowledge of dead ranges that only the tree's user has. Implementations are safe for use by
 * several threads.
 *
 * <p>Contract: an entry inside a dead range, with a sequence number up to the horizon that the rule
 * was asked for, is never asked for again by a read that starts after the pass was installed. Its
 * key may be written anew, as the position of a list that was popped and is pushed to: whoever asks
 * for it then finds what is newer. Dropping it needs no tombstone. That it died survives power loss
 * by the time that {@link #deadRanges} returns: what a pass drops is gone for good, while the end
 * of the log may still be lost.
 */
public interface DeadEntryRule {

  /** Nothing is dead but what is shadowed. */
  DeadEntryRule NONE = horizon -> DeadRanges.NONE;

  /**
   * What is dead for all readers at or after sequence number {@code horizon}. Called at the start
   * of a pass, on its thread; may read the tree with {@link ReadMode#MAY_BLOCK} and sync it.
   *
   * @throws ReadFailure when either fails; the pass ends then, and has changed nothing
   */
  DeadRanges deadRanges(long horizon);
}
