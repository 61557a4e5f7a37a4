package dev.varve.compaction;

/**
 * Keys that died together and whose entries may still be on disk. Immutable.
 *
 * @param start the first dead key
 * @param endExclusive the first key after the range
 * @param deathSequence entries of the range up to this sequence number are dead; there are no later
 *     ones
 * @param rawBytes bytes of keys and values that died, as far as known; {@link Long#MAX_VALUE} if
 *     not
 */
public record DeadRange(byte[] start, byte[] endExclusive, long deathSequence, long rawBytes) {}
