package dev.varve.compaction;

import java.util.List;

/**
 * Something died whose entries may still be on disk: a collection, a database. Immutable.
 *
 * @param id what the tree's user knows it by, such as its garbage record
 * @param ranges the keys that died; a table can be dropped unread only if one of them holds it
 *     whole
 * @param sequence entries of the ranges up to this sequence number are dead; there are no later
 *     ones, unless the death has been told of anew since, with ranges that leave them out. May be
 *     larger than when it died, as long as that has been published
 * @param rawBytes bytes of keys and values that died; {@link #UNKNOWN} if nobody counted
 * @param isPart whether what died is a part of something that lives, as the front of a queue: it is
 *     told of anew, with a greater sequence number, as more of it dies, so nothing waits for its
 *     end
 */
public record Death(
    Object id, List<KeyRange> ranges, long sequence, long rawBytes, boolean isPart) {
  public static final long UNKNOWN = Long.MAX_VALUE;

  public Death {
    ranges = List.copyOf(ranges);
  }

  /** The death of something as a whole. */
  public Death(Object id, List<KeyRange> ranges, long sequence, long rawBytes) {
    this(id, ranges, sequence, rawBytes, false);
  }
}
