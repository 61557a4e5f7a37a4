package dev.varve.lsm.memtable;

/**
 * The sequence numbers at which readers look, now or later: what a memtable asks before it lets go
 * of an entry that a newer one hides. Asked by the writer only.
 */
@FunctionalInterface
public interface ReadPoints {

  /** Every entry may be looked for. */
  ReadPoints EVERYWHERE = (from, toExclusive) -> true;

  /** There are no readers yet, and those to come see the newest entries. */
  ReadPoints NOWHERE = (from, toExclusive) -> false;

  /**
   * Whether a reader looks at a sequence number in {@code [from, toExclusive)}, or may come to.
   * {@code toExclusive} is at most the sequence number that is being added. True is always safe.
   */
  boolean isAny(long from, long toExclusive);
}
