package dev.varve.compaction;

import org.jspecify.annotations.Nullable;

/**
 * Somebody wants a key range compacted to the deepest level, with nothing dead left in it.
 * Immutable.
 *
 * @param from first key, or null for the tree's first
 * @param to last key, inclusive, or null for the tree's last
 * @param sequence the published sequence number when it was asked: what is written later may stay
 *     where it is
 */
record RangeRequest(byte @Nullable [] from, byte @Nullable [] to, long sequence) {}
