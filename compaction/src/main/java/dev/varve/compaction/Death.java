package dev.varve.compaction;

import java.util.List;

/**
 * Something died whose entries may still be on disk: a collection, a database. Immutable.
 *
 * @param id what the tree's user knows it by, such as the key of its garbage record
 * @param ranges the keys that died; a table can be dropped unread only if one of them holds it
 *     whole
 * @param sequence entries of the ranges up to this sequence number are dead; there are no later
 *     ones. May be larger than when it died, as long as that has been published
 * @param rawBytes bytes of keys and values that died; {@link #UNKNOWN} if nobody counted
 */
public record Death(byte[] id, List<KeyRange> ranges, long sequence, long rawBytes) {
  public static final long UNKNOWN = Long.MAX_VALUE;

  public Death {
    ranges = List.copyOf(ranges);
  }
}
