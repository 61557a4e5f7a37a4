package dev.varve.compaction;

/**
 * Keys in a row. Immutable.
 *
 * @param start the first key
 * @param endExclusive the first key after them
 */
public record KeyRange(byte[] start, byte[] endExclusive) {}
